-- Time off (domain 3.4): its ids and its read model.

CREATE SEQUENCE ops.time_off_id START 1 INCREMENT 100;
GRANT USAGE ON SEQUENCE ops.time_off_id TO workforce_writer;

CREATE TABLE read.time_off (
    organization_id bigint      NOT NULL,
    is_sandbox      boolean     NOT NULL,
    id              bigint      NOT NULL,
    version         bigint      NOT NULL,
    staff_id        bigint      NOT NULL,
    deleted         boolean     NOT NULL,
    status          text        NOT NULL,
    type            text        NOT NULL,
    start_date      date        NOT NULL,
    end_date        date        NOT NULL,  -- included
    starts_at       timestamptz NOT NULL,
    ends_at         timestamptz NOT NULL,
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    doc             text        NOT NULL,
    internals       text        NOT NULL,
    lacks_event     boolean     NOT NULL,
    PRIMARY KEY (organization_id, is_sandbox, id)
) WITH (fillfactor = 80);
CREATE INDEX time_off_by_id ON read.time_off (id);
CREATE INDEX time_off_by_person ON read.time_off (organization_id, is_sandbox, staff_id, starts_at, id);
CREATE INDEX time_off_by_start ON read.time_off (organization_id, is_sandbox, start_date, id);
CREATE INDEX time_off_by_creation ON read.time_off (organization_id, is_sandbox, created_at, id);
CREATE INDEX time_off_across ON read.time_off (is_sandbox, start_date, id);

-- No event in the log is of time off yet: as 0022_leads.sql has it.
INSERT INTO projection.checkpoint (projection, partition, position, revision)
SELECT 'time_off', partition, position, 1 FROM projection.checkpoint WHERE projection = 'shift';

GRANT SELECT ON read.time_off TO workforce_reader, workforce_operator;
GRANT ALL ON read.time_off TO workforce_projector;
ALTER TABLE read.time_off ENABLE ROW LEVEL SECURITY;
CREATE POLICY reader ON read.time_off FOR SELECT TO workforce_reader USING (
    (organization_id = (SELECT NULLIF(current_setting('app.organization', true), '')::bigint)
     OR (SELECT NULLIF(current_setting('app.operator', true), '')::boolean))
    AND is_sandbox = (SELECT NULLIF(current_setting('app.sandbox', true), '')::boolean));
CREATE POLICY operator ON read.time_off FOR SELECT TO workforce_operator USING (
    is_sandbox = (SELECT NULLIF(current_setting('app.sandbox', true), '')::boolean));
CREATE POLICY projector ON read.time_off TO workforce_projector USING (true);
