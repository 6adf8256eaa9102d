-- Connections to apps outside and what was done through them (domain 1.11): ids of connections, and the read models. An
-- execution's id follows from its connection's.

CREATE SEQUENCE ops.app_id START 1 INCREMENT 100;
GRANT USAGE ON SEQUENCE ops.app_id TO workforce_writer;

CREATE TABLE read.app (
    organization_id bigint      NOT NULL,
    is_sandbox      boolean     NOT NULL,
    id              bigint      NOT NULL,
    version         bigint      NOT NULL,
    facility_id     bigint,  -- NULL: of the organization as a whole
    deleted         boolean     NOT NULL,
    app             text        NOT NULL,
    status          text        NOT NULL,
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    doc             text        NOT NULL,
    internals       text        NOT NULL,
    erased          boolean     NOT NULL,
    lacks_event     boolean     NOT NULL,
    PRIMARY KEY (organization_id, is_sandbox, id)
) WITH (fillfactor = 80);
CREATE INDEX app_by_id ON read.app (id);
CREATE INDEX app_by_app ON read.app (organization_id, is_sandbox, app, id) WHERE NOT deleted AND status <> 'disconnected';
CREATE INDEX app_by_creation ON read.app (organization_id, is_sandbox, created_at, id);
CREATE INDEX app_across ON read.app (is_sandbox, created_at, id);
CREATE INDEX app_of_sandbox ON read.app (organization_id, facility_id, id) WHERE is_sandbox AND NOT deleted;
CREATE INDEX app_erased ON read.app (id) WHERE erased;

CREATE TABLE read.app_execution (
    organization_id bigint      NOT NULL,
    is_sandbox      boolean     NOT NULL,
    id              bigint      NOT NULL,
    version         bigint      NOT NULL,
    connection_id   bigint      NOT NULL,
    facility_id     bigint,
    app             text        NOT NULL,
    action          text        NOT NULL,
    status          text        NOT NULL,
    created_at      timestamptz NOT NULL,
    doc             text        NOT NULL,  -- what is fixed
    arguments       text        NOT NULL,  -- these are empty once the connection was erased
    result          text        NOT NULL,
    error           text,
    PRIMARY KEY (organization_id, is_sandbox, id)
) WITH (fillfactor = 90);
CREATE INDEX app_execution_by_id ON read.app_execution (id);
CREATE INDEX app_execution_by_creation ON read.app_execution (organization_id, is_sandbox, created_at, id);
CREATE INDEX app_execution_by_connection ON read.app_execution (organization_id, is_sandbox, connection_id, created_at, id);
CREATE INDEX app_execution_across ON read.app_execution (is_sandbox, created_at, id);

-- No event in the log is of a connection yet: as 0022_leads.sql has it.
INSERT INTO projection.checkpoint (projection, partition, position, revision)
SELECT model, partition, position, 1
FROM projection.checkpoint CROSS JOIN (VALUES ('app'), ('app_execution')) AS models(model)
WHERE projection = 'shift';

GRANT SELECT ON read.app, read.app_execution TO workforce_reader, workforce_operator;
GRANT ALL ON read.app, read.app_execution TO workforce_projector;
ALTER TABLE read.app ENABLE ROW LEVEL SECURITY;
CREATE POLICY reader ON read.app FOR SELECT TO workforce_reader USING (
    (organization_id = (SELECT NULLIF(current_setting('app.organization', true), '')::bigint)
     OR (SELECT NULLIF(current_setting('app.operator', true), '')::boolean))
    AND is_sandbox = (SELECT NULLIF(current_setting('app.sandbox', true), '')::boolean));
CREATE POLICY operator ON read.app FOR SELECT TO workforce_operator USING (
    is_sandbox = (SELECT NULLIF(current_setting('app.sandbox', true), '')::boolean));
CREATE POLICY projector ON read.app TO workforce_projector USING (true);
ALTER TABLE read.app_execution ENABLE ROW LEVEL SECURITY;
CREATE POLICY reader ON read.app_execution FOR SELECT TO workforce_reader USING (
    (organization_id = (SELECT NULLIF(current_setting('app.organization', true), '')::bigint)
     OR (SELECT NULLIF(current_setting('app.operator', true), '')::boolean))
    AND is_sandbox = (SELECT NULLIF(current_setting('app.sandbox', true), '')::boolean));
CREATE POLICY operator ON read.app_execution FOR SELECT TO workforce_operator USING (
    is_sandbox = (SELECT NULLIF(current_setting('app.sandbox', true), '')::boolean));
CREATE POLICY projector ON read.app_execution TO workforce_projector USING (true);
