-- Work of partition $1: events ($2, at $3) that triggers ($4) of organizations ($5), live or of the sandbox ($6), are to fire for,
-- led to by requests ($7), as the operation takes them ($8).
INSERT INTO trigger_work (id, partition, position, organization_id, is_sandbox, trigger_id, event_id, correlation_id, body)
SELECT encode(substr(sha256(convert_to(u.event_id || ' ' || u.trigger_id, 'UTF8')), 1, 16), 'hex')::uuid, $1, u.position,
    u.organization_id, u.is_sandbox, u.trigger_id, u.event_id, u.correlation_id, u.body
FROM unnest($2::uuid[], $3::bigint[], $4::bigint[], $5::bigint[], $6::boolean[], $7::text[], $8::text[])
    AS u(event_id, position, trigger_id, organization_id, is_sandbox, correlation_id, body)
ON CONFLICT (id) DO NOTHING
