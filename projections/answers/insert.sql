-- Writes a batch's answers that still count, with an hour's grace, by the clock that all processes are held to.
INSERT INTO answer (organization_id, is_sandbox, id, key, answered_at)
SELECT u.organization_id, u.is_sandbox, u.id, u.key, u.answered_at
FROM unnest($1::bigint[], $2::boolean[], $3::bigint[], $4::uuid[], $5::timestamptz[])
    AS u(organization_id, is_sandbox, id, key, answered_at)
WHERE u.answered_at >= now() - interval '25 hours'
