-- Attempt $2 of subscription $1, where its body may be kept still.
SELECT a.id, a.webhook_id, a.event_id, a.event_type, a.attempt, a.trigger, a.status, a.status_code, a.response_body,
       a.response_truncated, a.error, a.duration_ms, a.next_retry_at, a.attempted_at, a.created_at
FROM ops.webhook_attempt a
WHERE a.webhook_id = $1::bigint AND a.id = $2::bigint
LIMIT 1
