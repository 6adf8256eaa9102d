-- Timesheets (domain 1.6): their ids and their read model.

CREATE SEQUENCE ops.timesheet_id START 1 INCREMENT 100;
GRANT USAGE ON SEQUENCE ops.timesheet_id TO workforce_writer;

CREATE TABLE read.timesheet (
    organization_id bigint      NOT NULL,
    is_sandbox      boolean     NOT NULL,
    id              bigint      NOT NULL,
    version         bigint      NOT NULL,
    staff_id        bigint      NOT NULL,
    facility_id     bigint      NOT NULL,
    shift_id        bigint,
    payroll_run_id  bigint,
    deleted         boolean     NOT NULL,
    status          text        NOT NULL,
    date            date        NOT NULL,
    clock_in        timestamptz NOT NULL,
    clock_out       timestamptz,
    worked_minutes  bigint      NOT NULL,
    rate_hundredths bigint      NOT NULL,
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    doc             text        NOT NULL,
    internals       text        NOT NULL,
    lacks_event     boolean     NOT NULL,
    PRIMARY KEY (organization_id, is_sandbox, id)
) WITH (fillfactor = 80);
CREATE INDEX timesheet_by_id ON read.timesheet (id);
CREATE INDEX timesheet_by_person ON read.timesheet (organization_id, is_sandbox, staff_id, clock_in, id);
CREATE INDEX timesheet_by_shift ON read.timesheet (organization_id, is_sandbox, shift_id) WHERE shift_id IS NOT NULL;
CREATE INDEX timesheet_by_facility ON read.timesheet (organization_id, is_sandbox, facility_id, clock_in, id);
CREATE INDEX timesheet_by_start ON read.timesheet (organization_id, is_sandbox, clock_in, id);
CREATE INDEX timesheet_by_creation ON read.timesheet (organization_id, is_sandbox, created_at, id);
CREATE INDEX timesheet_across ON read.timesheet (is_sandbox, clock_in, id);
CREATE INDEX timesheet_by_run ON read.timesheet (organization_id, is_sandbox, payroll_run_id, id)
    WHERE payroll_run_id IS NOT NULL;
CREATE INDEX timesheet_open ON read.timesheet (organization_id, is_sandbox, staff_id) WHERE status = 'open';
CREATE INDEX timesheet_of_sandbox ON read.timesheet (organization_id, facility_id, id) WHERE is_sandbox AND NOT deleted;

-- No event in the log is of a timesheet yet: as 0022_leads.sql has it.
INSERT INTO projection.checkpoint (projection, partition, position, revision)
SELECT 'timesheet', partition, position, 1 FROM projection.checkpoint WHERE projection = 'shift';

GRANT SELECT ON read.timesheet TO workforce_reader, workforce_operator;
GRANT ALL ON read.timesheet TO workforce_projector;
ALTER TABLE read.timesheet ENABLE ROW LEVEL SECURITY;
CREATE POLICY reader ON read.timesheet FOR SELECT TO workforce_reader USING (
    (organization_id = (SELECT NULLIF(current_setting('app.organization', true), '')::bigint)
     OR (SELECT NULLIF(current_setting('app.operator', true), '')::boolean))
    AND is_sandbox = (SELECT NULLIF(current_setting('app.sandbox', true), '')::boolean));
CREATE POLICY operator ON read.timesheet FOR SELECT TO workforce_operator USING (
    is_sandbox = (SELECT NULLIF(current_setting('app.sandbox', true), '')::boolean));
CREATE POLICY projector ON read.timesheet TO workforce_projector USING (true);
