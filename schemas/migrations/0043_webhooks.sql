-- Webhooks (domain 1.12, 7): subscriptions as queries see them, their signing secrets, and deliveries.

CREATE SEQUENCE ops.webhook_id START 1 INCREMENT 100;
GRANT USAGE ON SEQUENCE ops.webhook_id TO workforce_writer;

CREATE TABLE read.webhook (
    organization_id bigint      NOT NULL,
    facility_id     bigint,  -- NULL: of all facilities of the organization
    is_sandbox      boolean     NOT NULL,
    id              bigint      NOT NULL,
    version         bigint      NOT NULL,
    deleted         boolean     NOT NULL,
    is_active       boolean     NOT NULL,
    owner           text        NOT NULL COLLATE "C",  -- whose it is: 'user/12', or a credential that no user stands behind
    name_key        text        NOT NULL COLLATE "C",
    search          text        NOT NULL COLLATE "C",
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    doc             text        NOT NULL,
    internals       text        NOT NULL,
    lacks_event     boolean     NOT NULL,
    PRIMARY KEY (organization_id, is_sandbox, id)
) WITH (fillfactor = 80);
CREATE INDEX webhook_by_id ON read.webhook (id);
CREATE INDEX webhook_by_creation ON read.webhook (organization_id, is_sandbox, created_at, id);
CREATE INDEX webhook_by_name ON read.webhook (organization_id, is_sandbox, name_key, id);
CREATE INDEX webhook_by_owner ON read.webhook (organization_id, is_sandbox, owner, created_at, id);
CREATE INDEX webhook_across ON read.webhook (is_sandbox, created_at, id);

-- No event in the log is of a subscription yet: as 0022_leads.sql has it.
INSERT INTO projection.checkpoint (projection, partition, position, revision)
SELECT 'webhook', partition, position, 1 FROM projection.checkpoint WHERE projection = 'shift';

GRANT SELECT ON read.webhook TO workforce_reader, workforce_operator;
GRANT ALL ON read.webhook TO workforce_projector;
ALTER TABLE read.webhook ENABLE ROW LEVEL SECURITY;
CREATE POLICY reader ON read.webhook FOR SELECT TO workforce_reader USING (
    (organization_id = (SELECT NULLIF(current_setting('app.organization', true), '')::bigint)
     OR (SELECT NULLIF(current_setting('app.operator', true), '')::boolean))
    AND is_sandbox = (SELECT NULLIF(current_setting('app.sandbox', true), '')::boolean));
CREATE POLICY operator ON read.webhook FOR SELECT TO workforce_operator USING (
    is_sandbox = (SELECT NULLIF(current_setting('app.sandbox', true), '')::boolean));
CREATE POLICY projector ON read.webhook TO workforce_projector USING (true);

-- What deliveries are signed with, sealed by the master key. Stored before the event that names it by its id; a secret whose
-- event was not appended signs nothing, and is deleted when it is settled.
CREATE TABLE auth.signing_secret (
    id              text        PRIMARY KEY,
    organization_id bigint      NOT NULL,
    webhook_id      bigint      NOT NULL,
    sealed          bytea       NOT NULL,
    master_key      text        NOT NULL,
    created_at      timestamptz NOT NULL DEFAULT now(),
    settled_at      timestamptz  -- since when it is known that its event was appended
);
CREATE INDEX signing_secret_unsettled ON auth.signing_secret (created_at) WHERE settled_at IS NULL;
CREATE INDEX signing_secret_of_webhook ON auth.signing_secret (webhook_id);
GRANT SELECT, INSERT, UPDATE, DELETE ON auth.signing_secret TO workforce_writer;

-- The fan-out's own fold: subscriptions, what they match, and what payloads tell of leads.
CREATE TABLE reactor.webhook_subscription (
    webhook_id      bigint  PRIMARY KEY,
    organization_id bigint  NOT NULL,
    version         bigint  NOT NULL,
    is_active       boolean NOT NULL,  -- neither switched off, nor disabled, nor deleted
    doc             text    NOT NULL   -- the subscription with its internals
);
CREATE INDEX webhook_subscription_of_organization ON reactor.webhook_subscription (organization_id);
CREATE TABLE reactor.webhook_lead (
    lead_id         bigint PRIMARY KEY,
    organization_id bigint NOT NULL,
    sealed          bytea  NOT NULL  -- under the lead's key
);

-- What is to be sent: a row each attempt that is due some time, of one subscription and one event.
CREATE SEQUENCE ops.webhook_delivery_id;
GRANT USAGE ON SEQUENCE ops.webhook_delivery_id TO workforce_writer, workforce_projector;
CREATE TABLE reactor.webhook_delivery (
    id              bigint      PRIMARY KEY DEFAULT nextval('ops.webhook_delivery_id'),  -- the attempt's
    partition       int         NOT NULL,
    organization_id bigint      NOT NULL,
    webhook_id      bigint      NOT NULL,
    event_id        uuid        NOT NULL,
    event_type      text        NOT NULL,
    body_at         timestamptz NOT NULL,  -- where its body lies
    cause           uuid        NOT NULL,  -- the event that had it sent: its own, or a redelivery, or a replay
    trigger         text        NOT NULL,  -- event, retry, or manual
    attempt         int         NOT NULL DEFAULT 1,
    due_at          timestamptz NOT NULL DEFAULT now(),
    created_at      timestamptz NOT NULL DEFAULT now(),
    UNIQUE (webhook_id, event_id, cause)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX webhook_delivery_due ON reactor.webhook_delivery (webhook_id, due_at, id);
CREATE INDEX webhook_delivery_of_webhook ON reactor.webhook_delivery (webhook_id, id);
CREATE INDEX webhook_delivery_pending ON reactor.webhook_delivery (partition, created_at);

-- Who sends a subscription's deliveries now, and when the next is due. One process at a time has a subscription.
CREATE TABLE reactor.webhook_queue (
    webhook_id           bigint      PRIMARY KEY,
    organization_id      bigint      NOT NULL,
    next_due             timestamptz,  -- NULL: nothing is
    owner                text        NOT NULL DEFAULT '',
    leased_until         timestamptz NOT NULL DEFAULT '-infinity',
    consecutive_failures bigint      NOT NULL DEFAULT 0,
    last_delivery_at     timestamptz
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX webhook_queue_due ON reactor.webhook_queue (next_due) WHERE next_due IS NOT NULL;

-- The bytes that are signed and sent, stored once for all subscriptions of an event's organization. Those that name a person
-- are sealed under the person's key: an erasure blanks them.
CREATE TABLE ops.webhook_body (
    event_id        uuid        NOT NULL,
    at              timestamptz NOT NULL,  -- of the event
    organization_id bigint      NOT NULL,
    facility_ids    bigint[]    NOT NULL,  -- where it happened: for replays, which match once more
    event_type      text        NOT NULL,
    correlation_id  text        NOT NULL,
    person          text,                  -- NULL: it names nobody
    body            bytea       NOT NULL,
    PRIMARY KEY (event_id, at)
) PARTITION BY RANGE (at);
CREATE INDEX webhook_body_of_organization ON ops.webhook_body (organization_id, at);
CREATE INDEX webhook_body_of_person ON ops.webhook_body (person) WHERE person IS NOT NULL;

-- What became of attempts (domain 1.12).
CREATE TABLE ops.webhook_attempt (
    id                 bigint      NOT NULL,
    organization_id    bigint      NOT NULL,
    is_sandbox         boolean     NOT NULL DEFAULT false,
    webhook_id         bigint      NOT NULL,
    event_id           uuid        NOT NULL,
    event_type         text        NOT NULL,
    body_at            timestamptz,  -- NULL: its body is not kept
    attempt            int         NOT NULL,
    trigger            text        NOT NULL,
    status             text        NOT NULL,
    status_code        int,
    response_body      text        NOT NULL DEFAULT '',
    response_truncated boolean     NOT NULL DEFAULT false,
    error              text,
    duration_ms        int,
    next_retry_at      timestamptz,
    attempted_at       timestamptz,
    created_at         timestamptz NOT NULL DEFAULT now()
) PARTITION BY RANGE (created_at);
CREATE INDEX webhook_attempt_of_webhook ON ops.webhook_attempt (webhook_id, id);
CREATE INDEX webhook_attempt_by_id ON ops.webhook_attempt (id);
CREATE INDEX webhook_attempt_of_event ON ops.webhook_attempt (event_id);

-- Rows that no day's partition takes are kept all the same.
CREATE TABLE ops.webhook_body_default PARTITION OF ops.webhook_body DEFAULT;
CREATE TABLE ops.webhook_attempt_default PARTITION OF ops.webhook_attempt DEFAULT;

-- Makes the partitions of the days to come, and drops those of days that are over for longer than `kept`. Whoever may write
-- deliveries may ask; partitions belong to the tables' owner.
CREATE FUNCTION ops.keep_webhook_partitions(kept int) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog SET timezone = 'UTC' AS $$
DECLARE
    parent text;
    day date;
    part text;
BEGIN
    PERFORM pg_advisory_xact_lock(7303843, 43);
    FOREACH parent IN ARRAY ARRAY['webhook_body', 'webhook_attempt'] LOOP
        FOR day IN SELECT d::date FROM generate_series(current_date, current_date + 3, interval '1 day') AS d LOOP
            part := parent || to_char(day, '_YYYYMMDD');
            CONTINUE WHEN to_regclass('ops.' || part) IS NOT NULL;
            EXECUTE format('CREATE TABLE ops.%I PARTITION OF ops.%I FOR VALUES FROM (%L) TO (%L)', part, parent,
                           day::timestamptz, (day + 1)::timestamptz);
        END LOOP;
        FOR part IN
            SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
            WHERE i.inhparent = ('ops.' || parent)::regclass AND c.relname ~ '_\d{8}$'
                AND to_date(right(c.relname, 8), 'YYYYMMDD') < current_date - kept
        LOOP
            EXECUTE format('DROP TABLE ops.%I', part);
        END LOOP;
    END LOOP;
    -- What a restore brought of days that have no partition.
    DELETE FROM ops.webhook_body_default WHERE at < current_date - kept;
    DELETE FROM ops.webhook_attempt_default WHERE created_at < current_date - kept;
END $$;
REVOKE ALL ON FUNCTION ops.keep_webhook_partitions FROM PUBLIC;
GRANT EXECUTE ON FUNCTION ops.keep_webhook_partitions TO workforce_writer;
SELECT ops.keep_webhook_partitions(30);

GRANT SELECT, INSERT, UPDATE, DELETE ON reactor.webhook_subscription, reactor.webhook_lead, reactor.webhook_delivery,
    reactor.webhook_queue, ops.webhook_body, ops.webhook_attempt TO workforce_projector, workforce_writer;

-- Callers see attempts, what is still to be sent, and how it goes.
GRANT USAGE ON SCHEMA reactor TO workforce_reader, workforce_operator;
GRANT USAGE ON SCHEMA ops TO workforce_operator;
GRANT SELECT ON reactor.webhook_delivery, reactor.webhook_queue, ops.webhook_attempt TO workforce_reader, workforce_operator;
ALTER TABLE reactor.webhook_delivery ENABLE ROW LEVEL SECURITY;
ALTER TABLE reactor.webhook_queue ENABLE ROW LEVEL SECURITY;
ALTER TABLE ops.webhook_attempt ENABLE ROW LEVEL SECURITY;
CREATE POLICY reader ON reactor.webhook_delivery FOR SELECT TO workforce_reader USING (
    organization_id = (SELECT NULLIF(current_setting('app.organization', true), '')::bigint)
    AND NOT (SELECT NULLIF(current_setting('app.sandbox', true), '')::boolean));
CREATE POLICY operator ON reactor.webhook_delivery FOR SELECT TO workforce_operator USING (
    NOT (SELECT NULLIF(current_setting('app.sandbox', true), '')::boolean));
CREATE POLICY worker ON reactor.webhook_delivery TO workforce_projector, workforce_writer USING (true);
CREATE POLICY reader ON reactor.webhook_queue FOR SELECT TO workforce_reader USING (
    organization_id = (SELECT NULLIF(current_setting('app.organization', true), '')::bigint));
CREATE POLICY operator ON reactor.webhook_queue FOR SELECT TO workforce_operator USING (true);
CREATE POLICY worker ON reactor.webhook_queue TO workforce_projector, workforce_writer USING (true);
CREATE POLICY reader ON ops.webhook_attempt FOR SELECT TO workforce_reader USING (
    organization_id = (SELECT NULLIF(current_setting('app.organization', true), '')::bigint)
    AND is_sandbox = (SELECT NULLIF(current_setting('app.sandbox', true), '')::boolean));
CREATE POLICY operator ON ops.webhook_attempt FOR SELECT TO workforce_operator USING (
    is_sandbox = (SELECT NULLIF(current_setting('app.sandbox', true), '')::boolean));
CREATE POLICY worker ON ops.webhook_attempt TO workforce_projector, workforce_writer USING (true);
