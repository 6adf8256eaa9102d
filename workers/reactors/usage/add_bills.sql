-- What the meter is to hear of organizations ($2): requests ($3), names ($4), subjects ($5), identifiers ($6), times ($7).
-- What is older than $1 hours is held.
INSERT INTO ops.billing_outbox (organization_id, request_id, event_name, subject, identifier, occurred_at, status, due_at)
SELECT u.organization_id, u.request_id, u.event_name, u.subject, u.identifier, u.occurred_at, s.status,
       CASE WHEN s.status = 'pending' THEN now() END
FROM unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::timestamptz[])
    AS u(organization_id, request_id, event_name, subject, identifier, occurred_at)
CROSS JOIN LATERAL (
    SELECT CASE WHEN u.subject IS NULL THEN 'no_subject'
                WHEN u.occurred_at < now() - $1 * interval '1 hour' THEN 'held'
                ELSE 'pending' END AS status) AS s
ON CONFLICT (identifier) DO NOTHING
