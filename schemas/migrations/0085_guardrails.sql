-- Guardrails (domain 1.11): their ids and their read model, which calls of tools are judged by, too.

CREATE SEQUENCE ops.guardrail_id START 1 INCREMENT 100;
GRANT USAGE ON SEQUENCE ops.guardrail_id TO workforce_writer;

CREATE TABLE read.guardrail (
    organization_id bigint      NOT NULL,
    facility_ids    bigint[]    NOT NULL,  -- empty: all facilities of the organization
    is_sandbox      boolean     NOT NULL,
    id              bigint      NOT NULL,
    version         bigint      NOT NULL,
    deleted         boolean     NOT NULL,
    is_enabled      boolean     NOT NULL,
    effect          text        NOT NULL,
    priority        bigint      NOT NULL,
    name_key        text        NOT NULL COLLATE "C",
    search          text        NOT NULL COLLATE "C",
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    doc             text        NOT NULL,
    lacks_event     boolean     NOT NULL,
    PRIMARY KEY (organization_id, is_sandbox, id)
) WITH (fillfactor = 80);
CREATE INDEX guardrail_by_id ON read.guardrail (id);
CREATE INDEX guardrail_by_creation ON read.guardrail (organization_id, is_sandbox, created_at, id);
CREATE INDEX guardrail_by_name ON read.guardrail (organization_id, is_sandbox, name_key, id);
CREATE INDEX guardrail_by_priority ON read.guardrail (organization_id, is_sandbox, priority, id);
CREATE INDEX guardrail_across ON read.guardrail (is_sandbox, created_at, id);
CREATE INDEX guardrail_of_sandbox ON read.guardrail (organization_id, (facility_ids[1]), id)
    WHERE is_sandbox AND NOT deleted AND cardinality(facility_ids) = 1;

-- No event in the log is of a guardrail yet: as 0022_leads.sql has it.
INSERT INTO projection.checkpoint (projection, partition, position, revision)
SELECT 'guardrail', partition, position, 1 FROM projection.checkpoint WHERE projection = 'shift';

GRANT SELECT ON read.guardrail TO workforce_reader, workforce_operator;
GRANT ALL ON read.guardrail TO workforce_projector;
ALTER TABLE read.guardrail ENABLE ROW LEVEL SECURITY;
CREATE POLICY reader ON read.guardrail FOR SELECT TO workforce_reader USING (
    (organization_id = (SELECT NULLIF(current_setting('app.organization', true), '')::bigint)
     OR (SELECT NULLIF(current_setting('app.operator', true), '')::boolean))
    AND is_sandbox = (SELECT NULLIF(current_setting('app.sandbox', true), '')::boolean));
CREATE POLICY operator ON read.guardrail FOR SELECT TO workforce_operator USING (
    is_sandbox = (SELECT NULLIF(current_setting('app.sandbox', true), '')::boolean));
CREATE POLICY projector ON read.guardrail TO workforce_projector USING (true);
