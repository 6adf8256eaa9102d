-- Usage (domain 8): a row for each metered request and call, beside the log, and what they add up to by hour and day.
CREATE SCHEMA usage;

-- As it came, from the process that answered. Rows come in batches; a batch is open until it is rolled up.
CREATE SEQUENCE usage.batch_id;
CREATE TABLE usage.open_batch (
    id       bigint      PRIMARY KEY,
    first_at timestamptz NOT NULL,
    last_at  timestamptz NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0.05);
CREATE TABLE usage.call (
    batch_id        bigint      NOT NULL,
    occurred_at     timestamptz NOT NULL,
    request_id      uuid        NOT NULL,
    organization_id bigint      NOT NULL,
    facility_id     bigint      NOT NULL,  -- 0: of none
    is_sandbox      boolean     NOT NULL,
    channel         text        NOT NULL,
    credential_type text        NOT NULL,
    key_id          bigint      NOT NULL,  -- 0: no API key
    client_id       text        NOT NULL,  -- of OAuth; '': none
    user_id         bigint      NOT NULL,
    agent           text        NOT NULL,
    run_id          text        NOT NULL,
    tool            text        NOT NULL,
    status_code     smallint    NOT NULL,
    error_code      text        NOT NULL,
    latency_ms      int         NOT NULL,
    dedupe_key      bytea       NOT NULL   -- empty: no call of a tool
) PARTITION BY RANGE (occurred_at);
CREATE INDEX call_of_organization ON usage.call (organization_id, occurred_at);
CREATE INDEX call_of_request ON usage.call (request_id);
CREATE INDEX call_of_batch ON usage.call (batch_id);
CREATE INDEX call_by_time ON usage.call (occurred_at);
-- Rows that no day's partition takes are kept all the same.
CREATE TABLE usage.call_default PARTITION OF usage.call DEFAULT;

-- What rolled rows of live data add up to; `period` is hour or day, in UTC.
CREATE TABLE usage.total (
    organization_id bigint      NOT NULL,
    period          text        NOT NULL,
    starts_at       timestamptz NOT NULL,
    facility_id     bigint      NOT NULL,
    key_id          bigint      NOT NULL,
    channel         text        NOT NULL,
    tool            text        NOT NULL,
    agent           text        NOT NULL,
    calls           bigint      NOT NULL,
    errors          bigint      NOT NULL,
    latency_ms      bigint      NOT NULL,  -- of all calls together
    last_at         timestamptz NOT NULL,
    PRIMARY KEY (organization_id, period, starts_at, facility_id, key_id, channel, tool, agent)
) WITH (fillfactor = 80);
CREATE INDEX total_across ON usage.total (period, starts_at);
-- How many calls took how long, for each tool and, with an empty one, for all together.
CREATE TABLE usage.latency (
    organization_id bigint      NOT NULL,
    period          text        NOT NULL,
    tool            text        NOT NULL,
    channel         text        NOT NULL,
    starts_at       timestamptz NOT NULL,
    facility_id     bigint      NOT NULL,
    bucket          int         NOT NULL,
    calls           bigint      NOT NULL,
    PRIMARY KEY (organization_id, period, tool, channel, starts_at, facility_id, bucket)
) WITH (fillfactor = 80);
CREATE INDEX latency_across ON usage.latency (period, tool, starts_at);

-- Each millisecond up to 2,047 is a bucket of its own; above, an octave has 64 (1.6 %).
CREATE FUNCTION usage.latency_bucket(ms int) RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN ms < 2048 THEN ms ELSE 2048 + octave * 64 + ((ms >> (5 + octave)) & 63) END
    FROM (SELECT width_bucket(ms, ARRAY[4096, 8192, 16384, 32768, 65536, 131072, 262144, 524288, 1048576, 2097152,
        4194304, 8388608, 16777216, 33554432, 67108864, 134217728, 268435456, 536870912, 1073741824]) AS octave) AS o
$$;
-- The longest time that a bucket counts, in milliseconds.
CREATE FUNCTION usage.latency_edge(bucket int) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN bucket < 2048 THEN bucket
                ELSE ((65 + ((bucket - 2048) & 63))::bigint << (5 + (bucket - 2048) / 64)) - 1 END
$$;

-- Drops the days that are over for longer than `kept`, and makes those to come, as ops.keep_webhook_partitions has it.
CREATE FUNCTION usage.keep_partitions(kept int) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog SET timezone = 'UTC' AS $$
DECLARE
    day date;
    part text;
BEGIN
    PERFORM pg_advisory_xact_lock(7303843, 75);
    FOR part IN
        SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = 'usage.call'::regclass AND c.relname ~ '_\d{8}$'
            AND to_date(right(c.relname, 8), 'YYYYMMDD') < current_date - kept
    LOOP
        EXECUTE format('DROP TABLE usage.%I', part);
    END LOOP;
    DELETE FROM usage.call_default WHERE occurred_at < (current_date - kept)::timestamptz;
    FOR day IN SELECT d::date FROM generate_series(current_date - 1, current_date + 3, interval '1 day') AS d LOOP
        part := 'call' || to_char(day, '_YYYYMMDD');
        CONTINUE WHEN to_regclass('usage.' || part) IS NOT NULL;
        BEGIN
            LOCK TABLE usage.call_default IN ACCESS EXCLUSIVE MODE;
            EXECUTE format('CREATE TABLE usage.%I (LIKE usage.call INCLUDING DEFAULTS)', part);
            EXECUTE format('WITH moved AS (DELETE FROM usage.call_default WHERE occurred_at >= $1 AND occurred_at < $2'
                           ' RETURNING *) INSERT INTO usage.%I SELECT * FROM moved', part)
                USING day::timestamptz, (day + 1)::timestamptz;
            EXECUTE format('ALTER TABLE usage.call ATTACH PARTITION usage.%I FOR VALUES FROM (%L) TO (%L)', part,
                           day::timestamptz, (day + 1)::timestamptz);
        EXCEPTION WHEN OTHERS THEN
            RAISE WARNING 'partition % is not made: %', part, SQLERRM;
        END;
    END LOOP;
END $$;
REVOKE ALL ON FUNCTION usage.keep_partitions FROM PUBLIC;
GRANT EXECUTE ON FUNCTION usage.keep_partitions TO workforce_writer;
SELECT usage.keep_partitions(730);

GRANT USAGE ON SCHEMA usage TO workforce_writer, workforce_reader, workforce_operator, workforce_projector;
GRANT USAGE ON SEQUENCE usage.batch_id TO workforce_writer;
GRANT SELECT, INSERT, DELETE ON usage.open_batch, usage.call TO workforce_writer;
GRANT UPDATE ON usage.open_batch TO workforce_writer;  -- which locks its rows
GRANT SELECT, INSERT, UPDATE, DELETE ON usage.total, usage.latency TO workforce_writer;

-- What callers see of them: COPY does not write to a table with row-level security, so that these views have its conditions.
-- Sandbox rows are in no total.
CREATE VIEW usage.seen_call AS
    SELECT * FROM usage.call c
    WHERE NOT c.is_sandbox
      AND (c.organization_id = (SELECT NULLIF(current_setting('app.organization', true), '')::bigint)
           OR (SELECT NULLIF(current_setting('app.operator', true), '')::boolean));
CREATE VIEW usage.seen_total AS
    SELECT * FROM usage.total t
    WHERE t.organization_id = (SELECT NULLIF(current_setting('app.organization', true), '')::bigint)
       OR (SELECT NULLIF(current_setting('app.operator', true), '')::boolean);
CREATE VIEW usage.seen_latency AS
    SELECT * FROM usage.latency l
    WHERE l.organization_id = (SELECT NULLIF(current_setting('app.organization', true), '')::bigint)
       OR (SELECT NULLIF(current_setting('app.operator', true), '')::boolean);
GRANT SELECT ON usage.open_batch, usage.seen_call, usage.seen_total, usage.seen_latency
    TO workforce_reader, workforce_operator;
