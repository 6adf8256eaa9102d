-- Triggers of agents (domain 1.11, 6.6): their ids, the read model, which of them wait for events, and the work that events are.

CREATE SEQUENCE ops.trigger_id START 1 INCREMENT 100;
GRANT USAGE ON SEQUENCE ops.trigger_id TO workforce_writer;

CREATE TABLE read.trigger (
    organization_id bigint      NOT NULL,
    is_sandbox      boolean     NOT NULL,
    id              bigint      NOT NULL,
    version         bigint      NOT NULL,
    facility_id     bigint,  -- NULL: its agent is of no facility
    deleted         boolean     NOT NULL,
    agent_id        bigint      NOT NULL,
    type            text        NOT NULL,
    is_enabled      boolean     NOT NULL,
    next_run_at     timestamptz,  -- NULL: no time of its own makes it fire
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    name_key        text        NOT NULL COLLATE "C",
    search          text        NOT NULL COLLATE "C",
    doc             text        NOT NULL,
    internals       text        NOT NULL,
    lacks_event     boolean     NOT NULL,
    PRIMARY KEY (organization_id, is_sandbox, id)
) WITH (fillfactor = 70);
CREATE INDEX trigger_by_id ON read.trigger (id);
CREATE INDEX trigger_of_agent ON read.trigger (organization_id, is_sandbox, agent_id, id);
CREATE INDEX trigger_of_sandbox ON read.trigger (organization_id, facility_id, id) WHERE is_sandbox AND NOT deleted;
CREATE INDEX trigger_due ON read.trigger (next_run_at) WHERE next_run_at IS NOT NULL AND NOT deleted;

-- No event in the log is of any yet: as 0022_leads.sql has it.
INSERT INTO projection.checkpoint (projection, partition, position, revision)
SELECT 'trigger', partition, position, 1 FROM projection.checkpoint WHERE projection = 'shift';

GRANT SELECT ON read.trigger TO workforce_reader, workforce_operator;
GRANT ALL ON read.trigger TO workforce_projector;
ALTER TABLE read.trigger ENABLE ROW LEVEL SECURITY;
CREATE POLICY reader ON read.trigger FOR SELECT TO workforce_reader USING (
    (organization_id = (SELECT NULLIF(current_setting('app.organization', true), '')::bigint)
     OR (SELECT NULLIF(current_setting('app.operator', true), '')::boolean))
    AND is_sandbox = (SELECT NULLIF(current_setting('app.sandbox', true), '')::boolean));
CREATE POLICY operator ON read.trigger FOR SELECT TO workforce_operator USING (
    is_sandbox = (SELECT NULLIF(current_setting('app.sandbox', true), '')::boolean));
CREATE POLICY projector ON read.trigger TO workforce_projector USING (true);

-- What event triggers wait for, as the reactor has folded it.
CREATE TABLE reactor.trigger_rule (
    id              bigint PRIMARY KEY,
    organization_id bigint NOT NULL,
    doc             text   NOT NULL
);
CREATE INDEX trigger_rule_of_organization ON reactor.trigger_rule (organization_id);
GRANT SELECT, INSERT, UPDATE, DELETE ON reactor.trigger_rule TO workforce_projector, workforce_writer;

-- A row for each trigger and event that it is to fire for.
CREATE TABLE reactor.trigger_work (
    id              uuid PRIMARY KEY,  -- of the event and the trigger
    partition       int         NOT NULL,
    position        bigint      NOT NULL,
    organization_id bigint      NOT NULL,
    is_sandbox      boolean     NOT NULL,
    trigger_id      bigint      NOT NULL,
    event_id        text        NOT NULL,
    correlation_id  text        NOT NULL,
    body            text        NOT NULL,
    created_at      timestamptz NOT NULL DEFAULT now(),
    due_at          timestamptz NOT NULL DEFAULT now(),
    attempts        int         NOT NULL DEFAULT 0,
    last_error      text        NOT NULL DEFAULT ''
);
CREATE INDEX trigger_work_due ON reactor.trigger_work (due_at);
CREATE INDEX trigger_work_pending ON reactor.trigger_work (partition, created_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON reactor.trigger_work TO workforce_projector, workforce_writer;
