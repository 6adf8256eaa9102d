-- Notifications of partition $1, one for each event ($2, at $3) and user ($4) of organizations ($5), live or of the sandbox
-- ($6), led to by requests ($7), as the operation takes them ($8).
INSERT INTO notification_work (id, partition, position, organization_id, is_sandbox, event_id, correlation_id, doc)
SELECT encode(substr(sha256(convert_to(u.event_id || ' ' || u.user_id, 'UTF8')), 1, 16), 'hex')::uuid, $1, u.position,
    u.organization_id, u.is_sandbox, u.event_id, u.correlation_id, u.doc
FROM unnest($2::uuid[], $3::bigint[], $4::bigint[], $5::bigint[], $6::boolean[], $7::text[], $8::text[])
    AS u(event_id, position, user_id, organization_id, is_sandbox, correlation_id, doc)
ON CONFLICT (id) DO NOTHING
