-- The newest attempts of subscription $1, those that are to be made included, at most $3 with ids below $2. After the sixth, which is
-- the last, a delivery stays until its subscription is disabled: no attempt of it is to be made.
SELECT * FROM (
    (SELECT d.id, d.webhook_id, d.event_id, d.event_type, d.attempt, d.trigger, 'pending' AS status,
            NULL::int AS status_code, '' AS response_body, false AS response_truncated, NULL AS error,
            NULL::int AS duration_ms, d.due_at AS next_retry_at, NULL::timestamptz AS attempted_at, d.created_at
     FROM reactor.webhook_delivery d
     WHERE d.webhook_id = $1::bigint AND d.attempt <= 6 AND ($2::bigint IS NULL OR d.id < $2)
     ORDER BY d.id DESC LIMIT $3)
    UNION ALL
    (SELECT a.id, a.webhook_id, a.event_id, a.event_type, a.attempt, a.trigger, a.status,
            a.status_code, a.response_body, a.response_truncated, a.error,
            a.duration_ms, a.next_retry_at, a.attempted_at, a.created_at
     FROM ops.webhook_attempt a
     WHERE a.webhook_id = $1::bigint AND ($2::bigint IS NULL OR a.id < $2)
     ORDER BY a.id DESC LIMIT $3)
) AS both_sorts
ORDER BY id DESC
LIMIT $3
