-- Outcomes (domain 8.3, 8.6): a marker for each request that has one, folded from the events, and what the billing meter is
-- to hear.

CREATE TABLE reactor.usage_marker (
    request_id      uuid        PRIMARY KEY,
    organization_id bigint      NOT NULL,
    facility_id     bigint      NOT NULL,  -- 0: of none
    occurred_at     timestamptz NOT NULL,
    outcome         text        NOT NULL,
    channel         text        NOT NULL,
    credential_type text        NOT NULL,
    key_id          bigint      NOT NULL,
    client_id       text        NOT NULL,
    user_id         bigint      NOT NULL,
    agent           text        NOT NULL,
    run_id          text        NOT NULL,
    tool            text        NOT NULL,
    dedupe_key      text,
    -- The request's own row is there, and the marker tells what that tells: until then the marker is the row.
    is_answered     boolean     NOT NULL DEFAULT false
) WITH (fillfactor = 90);
CREATE INDEX usage_marker_of_organization ON reactor.usage_marker (organization_id, occurred_at);
CREATE INDEX usage_marker_by_time ON reactor.usage_marker (occurred_at);
CREATE INDEX usage_marker_unanswered ON reactor.usage_marker (organization_id, occurred_at) WHERE NOT is_answered;
CREATE INDEX usage_marker_of_call ON reactor.usage_marker (organization_id, dedupe_key) WHERE dedupe_key IS NOT NULL;

-- Whom the meter knows an organization as.
CREATE TABLE reactor.usage_organization (
    id              bigint PRIMARY KEY,
    organization_id bigint NOT NULL,
    doc             text   NOT NULL
);

CREATE SEQUENCE ops.billing_outbox_id;
CREATE TABLE ops.billing_outbox (
    id              bigint      PRIMARY KEY DEFAULT nextval('ops.billing_outbox_id'),
    organization_id bigint      NOT NULL,
    request_id      text        NOT NULL,
    event_name      text        NOT NULL,
    subject         text,
    identifier      text        NOT NULL UNIQUE,
    occurred_at     timestamptz NOT NULL,
    status          text        NOT NULL,  -- pending, sent, dead, held, no_subject
    attempts        int         NOT NULL DEFAULT 0,
    first_sent_at   timestamptz,           -- when it was first tried
    due_at          timestamptz,           -- of a pending one: when it is tried next
    sent_at         timestamptz,
    resent_at       timestamptz,           -- when an operator had it sent once more
    last_error      text        NOT NULL DEFAULT '',
    created_at      timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 80);
CREATE INDEX billing_outbox_due ON ops.billing_outbox (due_at) WHERE status = 'pending';
CREATE INDEX billing_outbox_by_status ON ops.billing_outbox (status, id);

GRANT USAGE ON SEQUENCE ops.billing_outbox_id TO workforce_projector, workforce_writer;
GRANT SELECT, INSERT, UPDATE, DELETE ON reactor.usage_marker, reactor.usage_organization, ops.billing_outbox
    TO workforce_projector, workforce_writer;
-- Operators alone are shown it.
GRANT SELECT ON ops.billing_outbox TO workforce_operator;

-- Markers as callers see them, each with what its request's row tells where that has come.
CREATE VIEW usage.seen_marker AS
    SELECT m.request_id, m.outcome, m.organization_id, m.is_answered OR c.request_id IS NOT NULL AS is_answered,
           m.occurred_at AS marked_at, coalesce(c.occurred_at, m.occurred_at) AS occurred_at, coalesce(c.facility_id, m.facility_id) AS facility_id,
           coalesce(c.channel, m.channel) AS channel, coalesce(c.key_id, m.key_id) AS key_id,
           coalesce(c.agent, m.agent) AS agent, coalesce(c.tool, m.tool) AS tool
    FROM reactor.usage_marker m
    LEFT JOIN LATERAL (
        SELECT c.* FROM usage.call c
        WHERE NOT m.is_answered AND c.request_id = m.request_id
          -- A provider may take a payroll run days after the request that approved it.
          AND c.occurred_at BETWEEN m.occurred_at - interval '3 days' AND m.occurred_at + interval '1 hour'
        LIMIT 1) c ON true
    WHERE m.organization_id = (SELECT NULLIF(current_setting('app.organization', true), '')::bigint)
       OR (SELECT NULLIF(current_setting('app.operator', true), '')::boolean);
-- The outcome alone, for rows that are there.
CREATE VIEW usage.seen_outcome AS
    SELECT m.request_id, m.outcome FROM reactor.usage_marker m
    WHERE m.organization_id = (SELECT NULLIF(current_setting('app.organization', true), '')::bigint)
       OR (SELECT NULLIF(current_setting('app.operator', true), '')::boolean);
GRANT SELECT ON usage.seen_marker, usage.seen_outcome TO workforce_reader, workforce_operator;
