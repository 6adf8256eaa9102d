-- API keys of some partitions ($1) in which time ($2) has brought something, but for $3: a rotated secret has ended, or the
-- key has.
SELECT k.organization_id, k.is_sandbox, k.id
FROM read.api_key k
JOIN ops.organization_home h ON h.organization_id = k.organization_id AND h.partition = ANY ($1::int[])
WHERE k.ends_at <= $2::timestamptz AND k.id <> ALL ($3::bigint[])
ORDER BY k.organization_id, k.is_sandbox, k.id
LIMIT 10000
