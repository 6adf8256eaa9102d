-- The newest attempts at subscription $1 that were made, at most $2. What was abandoned before it was made is none of them: it would
-- hide why.
SELECT a.id, a.webhook_id, a.event_id, a.event_type, a.attempt, a.trigger, a.status, a.status_code, a.response_body,
       a.response_truncated, a.error, a.duration_ms, a.next_retry_at, a.attempted_at, a.created_at
FROM ops.webhook_attempt a
WHERE a.webhook_id = $1::bigint AND a.attempted_at IS NOT NULL
ORDER BY a.id DESC
LIMIT $2
