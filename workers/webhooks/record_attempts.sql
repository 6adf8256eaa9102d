-- Records attempts, parallel arrays of ops.webhook_attempt's columns ($1 to $17), and what follows: deliveries $19 are done, $20 are
-- due again at $21, as another attempt with an id of its own. Queues $18 are locked first, in the order of their ids: who
-- abandons deliveries does so, too, for itself alone. An attempt whose delivery is there no more is recorded only where $23 says so. Gives
-- the ids that were recorded. $22 is the time.
WITH locked AS MATERIALIZED (
    SELECT FROM reactor.webhook_queue WHERE webhook_id = ANY ($18::bigint[]) ORDER BY webhook_id FOR SHARE
), done AS (
    DELETE FROM reactor.webhook_delivery d
    WHERE d.id = ANY ($19::bigint[]) AND (SELECT count(*) FROM locked) >= 0
    RETURNING d.id
), again AS (
    UPDATE reactor.webhook_delivery d
    SET id = nextval('ops.webhook_delivery_id'), attempt = d.attempt + 1, trigger = 'retry', due_at = u.due_at,
        created_at = $22::timestamptz
    FROM unnest($20::bigint[], $21::timestamptz[]) AS u(id, due_at)
    WHERE d.id = u.id AND (SELECT count(*) FROM locked) >= 0
    RETURNING u.id
), there AS (
    SELECT id FROM done UNION ALL SELECT id FROM again
)
INSERT INTO ops.webhook_attempt (
    id, organization_id, is_sandbox, webhook_id, event_id, event_type, body_at, attempt, trigger, status, status_code,
    response_body, response_truncated, error, duration_ms, next_retry_at, attempted_at, created_at)
SELECT u.*, u.attempted_at
FROM unnest($1::bigint[], $2::bigint[], $3::boolean[], $4::bigint[], $5::uuid[], $6::text[], $7::timestamptz[], $8::int[],
            $9::text[], $10::text[], $11::int[], $12::text[], $13::boolean[], $14::text[], $15::int[], $16::timestamptz[],
            $17::timestamptz[])
    AS u(id, organization_id, is_sandbox, webhook_id, event_id, event_type, body_at, attempt, trigger, status, status_code,
         response_body, response_truncated, error, duration_ms, next_retry_at, attempted_at)
WHERE $23::boolean OR u.id IN (SELECT id FROM there)
RETURNING id
