-- Approvals of some partitions ($1) that waited past their end at $2, but for $3.
SELECT a.organization_id, a.is_sandbox, a.id
FROM read.approval a
JOIN ops.organization_home h ON h.organization_id = a.organization_id AND h.partition = ANY ($1::int[])
WHERE a.status = 'pending' AND NOT a.deleted AND a.expires_at <= $2::timestamptz AND a.id <> ALL ($3::bigint[])
ORDER BY a.organization_id, a.is_sandbox, a.id
LIMIT 10000
