-- Between the approval of a payroll run and its settlement: what the provider is to be sent, what it was, and what it calls back.

-- The reactor's own fold: what a provider is told of runs that may still be approved, and their payments, as the events had them.
CREATE TABLE reactor.payroll_run (
    id              bigint PRIMARY KEY,
    organization_id bigint NOT NULL,
    doc             text   NOT NULL
);
CREATE TABLE reactor.payroll_payments (
    first_id        bigint PRIMARY KEY,  -- of the first payment that the row has
    run_id          bigint NOT NULL,
    organization_id bigint NOT NULL,
    doc             text   NOT NULL      -- some hundred payments
);
CREATE INDEX payroll_payments_of_run ON reactor.payroll_payments (run_id, first_id);

-- Its work: a run that was approved and that the provider does not have yet, as far as is known.
CREATE TABLE reactor.payroll_work (
    id              uuid PRIMARY KEY,  -- of the event
    partition       int         NOT NULL,
    position        bigint      NOT NULL,
    organization_id bigint      NOT NULL,
    is_sandbox      boolean     NOT NULL,
    run_id          bigint      NOT NULL,
    attempt         bigint      NOT NULL,
    correlation_id  text        NOT NULL,
    created_at      timestamptz NOT NULL DEFAULT now(),
    due_at          timestamptz NOT NULL DEFAULT now(),
    attempts        int         NOT NULL DEFAULT 0,
    last_error      text        NOT NULL DEFAULT ''
);
CREATE INDEX payroll_work_due ON reactor.payroll_work (due_at);
CREATE INDEX payroll_work_pending ON reactor.payroll_work (partition, created_at);
CREATE INDEX payroll_work_of_run ON reactor.payroll_work (run_id);

-- What became of approvals, as the log tells: whoever waits for one looks here, and the provider's reports find their run.
CREATE TABLE reactor.payroll_attempt (
    run_id          bigint      NOT NULL,
    attempt         bigint      NOT NULL,
    organization_id bigint      NOT NULL,
    is_sandbox      boolean     NOT NULL,
    approved_at     timestamptz NOT NULL,
    event_id        uuid        NOT NULL,  -- of the approval
    correlation_id  text        NOT NULL,
    external_id     text,                  -- NULL: the provider is not known to have it
    submitted_at    timestamptz,
    refusal         text,                  -- NULL: it did not refuse the whole
    poll_at         timestamptz,           -- when to ask the provider how it goes; NULL: not any more, or not yet
    polls           int         NOT NULL DEFAULT 0,
    ended_at        timestamptz,
    PRIMARY KEY (run_id, attempt)
);
CREATE INDEX payroll_attempt_due ON reactor.payroll_attempt (poll_at) WHERE poll_at IS NOT NULL;
CREATE INDEX payroll_attempt_by_external_id ON reactor.payroll_attempt (external_id) WHERE external_id IS NOT NULL;
CREATE INDEX payroll_attempt_ended ON reactor.payroll_attempt (ended_at) WHERE ended_at IS NOT NULL;

-- Reports that the provider called back with: stored, so that none is lost, until they are applied; then their ids alone, so that
-- none counts twice.
CREATE TABLE reactor.payroll_callback (
    id          text        PRIMARY KEY,
    external_id text        NOT NULL,
    report      text,                    -- NULL: applied
    received_at timestamptz NOT NULL DEFAULT now(),
    due_at      timestamptz NOT NULL DEFAULT now(),
    attempts    int         NOT NULL DEFAULT 0
);
CREATE INDEX payroll_callback_due ON reactor.payroll_callback (due_at) WHERE report IS NOT NULL;
CREATE INDEX payroll_callback_by_external_id ON reactor.payroll_callback (external_id) WHERE report IS NOT NULL;
CREATE INDEX payroll_callback_received ON reactor.payroll_callback (received_at);

-- Who hears that a run failed, as the reactor of notifications folds it.
CREATE TABLE reactor.notification_payroll_run (
    id              bigint PRIMARY KEY,
    organization_id bigint NOT NULL,
    doc             text   NOT NULL
);

GRANT SELECT, INSERT, UPDATE, DELETE ON reactor.notification_payroll_run, reactor.payroll_run, reactor.payroll_payments, reactor.payroll_work,
    reactor.payroll_attempt, reactor.payroll_callback TO workforce_projector, workforce_writer;

-- Who approves a run waits for its row.
GRANT SELECT ON reactor.payroll_attempt TO workforce_reader, workforce_operator;
ALTER TABLE reactor.payroll_attempt ENABLE ROW LEVEL SECURITY;
CREATE POLICY reader ON reactor.payroll_attempt FOR SELECT TO workforce_reader USING (
    organization_id = (SELECT NULLIF(current_setting('app.organization', true), '')::bigint)
    AND is_sandbox = (SELECT NULLIF(current_setting('app.sandbox', true), '')::boolean));
CREATE POLICY operator ON reactor.payroll_attempt FOR SELECT TO workforce_operator USING (
    is_sandbox = (SELECT NULLIF(current_setting('app.sandbox', true), '')::boolean));
CREATE POLICY worker ON reactor.payroll_attempt TO workforce_projector, workforce_writer USING (true);
