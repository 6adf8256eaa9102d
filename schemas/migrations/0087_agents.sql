-- Agents and their runs (domain 1.11): their ids, read models, and the work that runs are.

CREATE SEQUENCE ops.agent_id START 1 INCREMENT 100;
CREATE SEQUENCE ops.agent_run_id START 1 INCREMENT 100;
GRANT USAGE ON SEQUENCE ops.agent_id, ops.agent_run_id TO workforce_writer;

CREATE TABLE read.agent (
    organization_id bigint      NOT NULL,
    is_sandbox      boolean     NOT NULL,
    id              bigint      NOT NULL,
    version         bigint      NOT NULL,
    facility_id     bigint,  -- NULL: of the organization as a whole
    deleted         boolean     NOT NULL,
    is_active       boolean     NOT NULL,
    executor        text        NOT NULL,
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    name_key        text        NOT NULL COLLATE "C",
    search          text        NOT NULL COLLATE "C",
    doc             text        NOT NULL,
    lacks_event     boolean     NOT NULL,
    PRIMARY KEY (organization_id, is_sandbox, id)
) WITH (fillfactor = 80);
CREATE INDEX agent_by_id ON read.agent (id);
CREATE INDEX agent_by_name ON read.agent (organization_id, is_sandbox, name_key, id);
CREATE INDEX agent_by_creation ON read.agent (organization_id, is_sandbox, created_at, id);
CREATE INDEX agent_of_sandbox ON read.agent (organization_id, facility_id, id) WHERE is_sandbox AND NOT deleted;

CREATE TABLE read.agent_run (
    organization_id bigint      NOT NULL,
    is_sandbox      boolean     NOT NULL,
    id              bigint      NOT NULL,
    version         bigint      NOT NULL,
    facility_id     bigint,  -- NULL: its calls are limited to none
    deleted         boolean     NOT NULL,
    agent_id        bigint      NOT NULL,
    trigger_id      bigint,
    status          text        NOT NULL,
    named_staff_ids bigint[]    NOT NULL,  -- whom it names
    named_user_ids  bigint[]    NOT NULL,
    named_lead_ids  bigint[]    NOT NULL,
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    doc             text        NOT NULL,
    internals       text        NOT NULL,
    erased          boolean     NOT NULL,
    lacks_event     boolean     NOT NULL,
    PRIMARY KEY (organization_id, is_sandbox, id)
) WITH (fillfactor = 70);
CREATE INDEX agent_run_by_id ON read.agent_run (id);
CREATE INDEX agent_run_by_creation ON read.agent_run (organization_id, is_sandbox, created_at, id);
CREATE INDEX agent_run_of_agent ON read.agent_run (organization_id, is_sandbox, agent_id, created_at, id);
CREATE INDEX agent_run_by_facility ON read.agent_run (organization_id, is_sandbox, facility_id, created_at, id);
CREATE INDEX agent_run_across ON read.agent_run (is_sandbox, created_at, id);
-- Those that did not end are few, unless they wait.
CREATE INDEX agent_run_live ON read.agent_run (organization_id, is_sandbox, agent_id, status, id)
    WHERE status IN ('queued', 'running', 'pending_approval') AND NOT deleted;
CREATE INDEX agent_run_of_sandbox ON read.agent_run (organization_id, facility_id, id) WHERE is_sandbox AND NOT deleted;
CREATE INDEX agent_run_of_staff ON read.agent_run USING gin (named_staff_ids) WITH (fastupdate = off)
    WHERE named_staff_ids <> '{}';
CREATE INDEX agent_run_of_user ON read.agent_run USING gin (named_user_ids) WITH (fastupdate = off)
    WHERE named_user_ids <> '{}';
CREATE INDEX agent_run_of_lead ON read.agent_run USING gin (named_lead_ids) WITH (fastupdate = off)
    WHERE named_lead_ids <> '{}';
CREATE INDEX agent_run_erased ON read.agent_run (id) WHERE erased;

-- No event in the log is of either yet: as 0022_leads.sql has it.
INSERT INTO projection.checkpoint (projection, partition, position, revision)
SELECT model, partition, position, 1
FROM projection.checkpoint CROSS JOIN unnest(ARRAY['agent', 'agent_run']) AS m (model)
WHERE projection = 'shift';

GRANT SELECT ON read.agent, read.agent_run TO workforce_reader, workforce_operator;
GRANT ALL ON read.agent, read.agent_run TO workforce_projector;
ALTER TABLE read.agent ENABLE ROW LEVEL SECURITY;
ALTER TABLE read.agent_run ENABLE ROW LEVEL SECURITY;
CREATE POLICY reader ON read.agent FOR SELECT TO workforce_reader USING (
    (organization_id = (SELECT NULLIF(current_setting('app.organization', true), '')::bigint)
     OR (SELECT NULLIF(current_setting('app.operator', true), '')::boolean))
    AND is_sandbox = (SELECT NULLIF(current_setting('app.sandbox', true), '')::boolean));
CREATE POLICY operator ON read.agent FOR SELECT TO workforce_operator USING (
    is_sandbox = (SELECT NULLIF(current_setting('app.sandbox', true), '')::boolean));
CREATE POLICY projector ON read.agent TO workforce_projector USING (true);
CREATE POLICY reader ON read.agent_run FOR SELECT TO workforce_reader USING (
    (organization_id = (SELECT NULLIF(current_setting('app.organization', true), '')::bigint)
     OR (SELECT NULLIF(current_setting('app.operator', true), '')::boolean))
    AND is_sandbox = (SELECT NULLIF(current_setting('app.sandbox', true), '')::boolean));
CREATE POLICY operator ON read.agent_run FOR SELECT TO workforce_operator USING (
    is_sandbox = (SELECT NULLIF(current_setting('app.sandbox', true), '')::boolean));
CREATE POLICY projector ON read.agent_run TO workforce_projector USING (true);

-- The work of runs: a row for each that is queued or running; those that wait for people have none.
CREATE TABLE reactor.agent_run_work (
    id              uuid PRIMARY KEY,  -- of the event
    partition       int         NOT NULL,
    position        bigint      NOT NULL,
    organization_id bigint      NOT NULL,
    is_sandbox      boolean     NOT NULL,
    run_id          bigint      NOT NULL,
    agent_id        bigint,                -- of a run that begins
    waits_turn      boolean     NOT NULL DEFAULT false,  -- until another run of the agent rests
    correlation_id  text        NOT NULL,
    created_at      timestamptz NOT NULL DEFAULT now(),
    due_at          timestamptz NOT NULL DEFAULT now(),
    attempts        int         NOT NULL DEFAULT 0,
    last_error      text        NOT NULL DEFAULT ''
);
CREATE INDEX agent_run_work_due ON reactor.agent_run_work (due_at);
CREATE INDEX agent_run_work_waiting ON reactor.agent_run_work (agent_id, created_at) WHERE waits_turn;
CREATE INDEX agent_run_work_pending ON reactor.agent_run_work (partition, created_at);
CREATE INDEX agent_run_work_of_run ON reactor.agent_run_work (run_id);
GRANT SELECT, INSERT, UPDATE, DELETE ON reactor.agent_run_work TO workforce_projector, workforce_writer;
