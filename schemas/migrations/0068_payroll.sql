-- Payroll runs and their payments (domain 1.7): ids of runs, and the read models. A payment's id follows from its run's.

CREATE SEQUENCE ops.payroll_run_id START 1 INCREMENT 100;
GRANT USAGE ON SEQUENCE ops.payroll_run_id TO workforce_writer;

CREATE TABLE read.payroll_run (
    organization_id    bigint      NOT NULL,
    is_sandbox         boolean     NOT NULL,
    id                 bigint      NOT NULL,
    version            bigint      NOT NULL,
    facility_id        bigint,
    deleted            boolean     NOT NULL,
    closed             boolean     NOT NULL,  -- nothing is open, and nothing held
    status             text        NOT NULL,
    period_start       date        NOT NULL,
    period_end         date        NOT NULL,
    held_timesheet_ids bigint[]    NOT NULL,  -- that no other run may pay
    told_of_staff_ids  bigint[]    NOT NULL,  -- of whom a note or reason speaks
    created_at         timestamptz NOT NULL,
    updated_at         timestamptz NOT NULL,
    doc                text        NOT NULL,
    internals          text        NOT NULL,
    lacks_event        boolean     NOT NULL,
    PRIMARY KEY (organization_id, is_sandbox, id)
) WITH (fillfactor = 80);
CREATE INDEX payroll_run_by_id ON read.payroll_run (id);
CREATE INDEX payroll_run_by_start ON read.payroll_run (organization_id, is_sandbox, period_start, id);
CREATE INDEX payroll_run_by_creation ON read.payroll_run (organization_id, is_sandbox, created_at, id);
CREATE INDEX payroll_run_by_facility ON read.payroll_run (organization_id, is_sandbox, facility_id, period_start, id);
CREATE INDEX payroll_run_across ON read.payroll_run (is_sandbox, period_start, id);
CREATE INDEX payroll_run_open ON read.payroll_run (organization_id, is_sandbox, closed) WHERE NOT deleted;
CREATE INDEX payroll_run_holding ON read.payroll_run USING gin (held_timesheet_ids) WITH (fastupdate = off)
    WHERE held_timesheet_ids <> '{}';
CREATE INDEX payroll_run_telling ON read.payroll_run USING gin (told_of_staff_ids) WITH (fastupdate = off)
    WHERE told_of_staff_ids <> '{}';
CREATE INDEX payroll_run_of_sandbox ON read.payroll_run (organization_id, facility_id, id) WHERE is_sandbox AND NOT deleted;
-- Runs that are over and hold logs still, which become paid.
CREATE INDEX payroll_run_due ON read.payroll_run (id)
    WHERE status IN ('paid', 'partially_paid') AND held_timesheet_ids <> '{}';

CREATE TABLE read.payroll_payment (
    organization_id     bigint      NOT NULL,
    is_sandbox          boolean     NOT NULL,
    id                  bigint      NOT NULL,
    version             bigint      NOT NULL,
    payroll_run_id      bigint      NOT NULL,
    staff_id            bigint      NOT NULL,
    facility_id         bigint,
    status              text        NOT NULL,
    external_payment_id text,
    failure_reason      text        NOT NULL,
    paid_at             timestamptz,
    created_at          timestamptz NOT NULL,
    created_on          date        NOT NULL,
    doc                 text        NOT NULL,
    PRIMARY KEY (organization_id, is_sandbox, id)
) WITH (fillfactor = 70);
CREATE INDEX payroll_payment_by_id ON read.payroll_payment (id);
CREATE INDEX payroll_payment_by_run ON read.payroll_payment (organization_id, is_sandbox, payroll_run_id, id);
CREATE INDEX payroll_payment_by_person ON read.payroll_payment (organization_id, is_sandbox, staff_id, created_at, id);
CREATE INDEX payroll_payment_by_creation ON read.payroll_payment (organization_id, is_sandbox, created_at, id);
CREATE INDEX payroll_payment_by_facility ON read.payroll_payment (organization_id, is_sandbox, facility_id, created_at, id);
CREATE INDEX payroll_payment_across ON read.payroll_payment (is_sandbox, created_at, id);

-- Approved logs of a facility, which runs are made of.
CREATE INDEX timesheet_approved ON read.timesheet (organization_id, is_sandbox, facility_id, clock_in)
    WHERE status = 'approved' AND NOT deleted;

-- No event in the log is of a run yet: as 0022_leads.sql has it.
INSERT INTO projection.checkpoint (projection, partition, position, revision)
SELECT model, partition, position, 1
FROM projection.checkpoint CROSS JOIN (VALUES ('payroll_run'), ('payroll_payment')) AS models(model)
WHERE projection = 'shift';

GRANT SELECT ON read.payroll_run, read.payroll_payment TO workforce_reader, workforce_operator;
GRANT ALL ON read.payroll_run, read.payroll_payment TO workforce_projector;
ALTER TABLE read.payroll_run ENABLE ROW LEVEL SECURITY;
CREATE POLICY reader ON read.payroll_run FOR SELECT TO workforce_reader USING (
    (organization_id = (SELECT NULLIF(current_setting('app.organization', true), '')::bigint)
     OR (SELECT NULLIF(current_setting('app.operator', true), '')::boolean))
    AND is_sandbox = (SELECT NULLIF(current_setting('app.sandbox', true), '')::boolean));
CREATE POLICY operator ON read.payroll_run FOR SELECT TO workforce_operator USING (
    is_sandbox = (SELECT NULLIF(current_setting('app.sandbox', true), '')::boolean));
CREATE POLICY projector ON read.payroll_run TO workforce_projector USING (true);
ALTER TABLE read.payroll_payment ENABLE ROW LEVEL SECURITY;
CREATE POLICY reader ON read.payroll_payment FOR SELECT TO workforce_reader USING (
    (organization_id = (SELECT NULLIF(current_setting('app.organization', true), '')::bigint)
     OR (SELECT NULLIF(current_setting('app.operator', true), '')::boolean))
    AND is_sandbox = (SELECT NULLIF(current_setting('app.sandbox', true), '')::boolean));
CREATE POLICY operator ON read.payroll_payment FOR SELECT TO workforce_operator USING (
    is_sandbox = (SELECT NULLIF(current_setting('app.sandbox', true), '')::boolean));
CREATE POLICY projector ON read.payroll_payment TO workforce_projector USING (true);
