-- Records attempts: parallel arrays of ops.webhook_attempt's columns.
INSERT INTO ops.webhook_attempt (
    id, organization_id, is_sandbox, webhook_id, event_id, event_type, body_at, attempt, trigger, status, status_code,
    response_body, response_truncated, error, duration_ms, next_retry_at, attempted_at, created_at)
SELECT u.*, u.attempted_at
FROM unnest($1::bigint[], $2::bigint[], $3::boolean[], $4::bigint[], $5::uuid[], $6::text[], $7::timestamptz[], $8::int[],
            $9::text[], $10::text[], $11::int[], $12::text[], $13::boolean[], $14::text[], $15::int[], $16::timestamptz[],
            $17::timestamptz[])
    AS u(id, organization_id, is_sandbox, webhook_id, event_id, event_type, body_at, attempt, trigger, status, status_code,
         response_body, response_truncated, error, duration_ms, next_retry_at, attempted_at)
