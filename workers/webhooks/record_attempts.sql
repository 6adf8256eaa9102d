-- Records attempts, parallel arrays of ops.webhook_attempt's columns ($7 to $23), and what follows: deliveries $2 are done, $3 are
-- due again at $4, as another attempt with an id of its own. Queues $1 are locked first, in the order of their ids: who
-- abandons deliveries does so, too, for itself alone. An attempt whose delivery is there no more is recorded only where $6 says so. Gives
-- the ids that were recorded. $5 is the time.
WITH locked AS MATERIALIZED (
    SELECT FROM reactor.webhook_queue WHERE webhook_id = ANY ($1::bigint[]) ORDER BY webhook_id FOR SHARE
), done AS (
    DELETE FROM reactor.webhook_delivery d
    WHERE d.id = ANY ($2::bigint[]) AND (SELECT count(*) FROM locked) >= 0
    RETURNING d.id
), again AS (
    UPDATE reactor.webhook_delivery d
    SET id = nextval('ops.webhook_delivery_id'), attempt = d.attempt + 1, trigger = 'retry', due_at = u.due_at,
        created_at = $5::timestamptz
    FROM unnest($3::bigint[], $4::timestamptz[]) AS u(id, due_at)
    WHERE d.id = u.id AND (SELECT count(*) FROM locked) >= 0
    RETURNING u.id
), there AS (
    SELECT id FROM done UNION ALL SELECT id FROM again
)
INSERT INTO ops.webhook_attempt (
    id, organization_id, is_sandbox, webhook_id, event_id, event_type, body_at, attempt, trigger, status, status_code,
    response_body, response_truncated, error, duration_ms, next_retry_at, attempted_at, created_at)
SELECT u.*, u.attempted_at
FROM unnest($7::bigint[], $8::bigint[], $9::boolean[], $10::bigint[], $11::uuid[], $12::text[], $13::timestamptz[], $14::int[],
            $15::text[], $16::text[], $17::int[], $18::text[], $19::boolean[], $20::text[], $21::int[], $22::timestamptz[],
            $23::timestamptz[])
    AS u(id, organization_id, is_sandbox, webhook_id, event_id, event_type, body_at, attempt, trigger, status, status_code,
         response_body, response_truncated, error, duration_ms, next_retry_at, attempted_at)
WHERE $6::boolean OR u.id IN (SELECT id FROM there)
RETURNING id
