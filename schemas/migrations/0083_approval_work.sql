-- What is to be done of approvals: calls that are carried out outside, and people who are told.

CREATE TABLE reactor.approval_work (
    id              uuid PRIMARY KEY,  -- the event's
    partition       int         NOT NULL,
    position        bigint      NOT NULL,
    organization_id bigint      NOT NULL,
    is_sandbox      boolean     NOT NULL,
    approval_id     bigint      NOT NULL,
    task            text        NOT NULL,  -- "execute", "tell_approvers" or "tell_requester"
    correlation_id  text        NOT NULL,  -- request that caused the event
    created_at      timestamptz NOT NULL DEFAULT now(),
    due_at          timestamptz NOT NULL DEFAULT now(),
    attempts        int         NOT NULL DEFAULT 0,
    last_error      text        NOT NULL DEFAULT ''
);
CREATE INDEX approval_work_due ON reactor.approval_work (due_at);
CREATE INDEX approval_work_pending ON reactor.approval_work (partition, created_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON reactor.approval_work TO workforce_projector, workforce_writer;
