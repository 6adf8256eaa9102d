-- Shift templates (domain 12): their ids and their read model.

CREATE SEQUENCE ops.shift_template_id START 1 INCREMENT 100;
GRANT USAGE ON SEQUENCE ops.shift_template_id TO workforce_writer;

CREATE TABLE read.shift_template (
    organization_id bigint      NOT NULL,
    is_sandbox      boolean     NOT NULL,
    id              bigint      NOT NULL,
    version         bigint      NOT NULL,
    facility_id     bigint      NOT NULL,
    deleted         boolean     NOT NULL,
    is_active       boolean     NOT NULL,
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    title_key       text        NOT NULL COLLATE "C",
    search          text        NOT NULL COLLATE "C",
    doc             text        NOT NULL,
    lacks_event     boolean     NOT NULL,
    PRIMARY KEY (organization_id, is_sandbox, id)
) WITH (fillfactor = 80);
CREATE INDEX shift_template_by_id ON read.shift_template (id);
CREATE INDEX shift_template_by_creation ON read.shift_template (organization_id, is_sandbox, created_at, id);
CREATE INDEX shift_template_by_title ON read.shift_template (organization_id, is_sandbox, title_key, id);
CREATE INDEX shift_template_by_facility ON read.shift_template (organization_id, is_sandbox, facility_id, created_at, id);
CREATE INDEX shift_template_across ON read.shift_template (is_sandbox, created_at, id);

-- No event in the log is of a shift template yet: as 0022_leads.sql has it.
INSERT INTO projection.checkpoint (projection, partition, position, revision)
SELECT 'shift_template', partition, position, 1 FROM projection.checkpoint WHERE projection = 'shift';

GRANT SELECT ON read.shift_template TO workforce_reader, workforce_operator;
GRANT ALL ON read.shift_template TO workforce_projector;
ALTER TABLE read.shift_template ENABLE ROW LEVEL SECURITY;
CREATE POLICY reader ON read.shift_template FOR SELECT TO workforce_reader USING (
    (organization_id = (SELECT NULLIF(current_setting('app.organization', true), '')::bigint)
     OR (SELECT NULLIF(current_setting('app.operator', true), '')::boolean))
    AND is_sandbox = (SELECT NULLIF(current_setting('app.sandbox', true), '')::boolean));
CREATE POLICY operator ON read.shift_template FOR SELECT TO workforce_operator USING (
    is_sandbox = (SELECT NULLIF(current_setting('app.sandbox', true), '')::boolean));
CREATE POLICY projector ON read.shift_template TO workforce_projector USING (true);
