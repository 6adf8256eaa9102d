-- By which request a payroll run was approved: that one has the outcome of its submission, which the installation records. Runs that
-- were approved before have the first cause, as until now.

CREATE TABLE reactor.usage_payroll_run (
    id              bigint PRIMARY KEY,
    organization_id bigint NOT NULL,
    doc             text   NOT NULL
);
GRANT SELECT, INSERT, UPDATE, DELETE ON reactor.usage_payroll_run TO workforce_projector, workforce_writer;
