-- Claims of some partitions ($1) that wait at $2 for a shift which takes nobody any more, but for $3: it is full, it was
-- cancelled, or it has begun.
SELECT c.organization_id, c.is_sandbox, c.id
FROM read.shift_claim c
JOIN ops.organization_home h ON h.organization_id = c.organization_id AND h.partition = ANY ($1::int[])
JOIN read.shift s ON s.organization_id = c.organization_id AND s.is_sandbox = c.is_sandbox AND s.id = c.shift_id
WHERE c.status = 'pending' AND NOT c.deleted
    AND (s.deleted OR s.status <> 'open' OR s.starts_at <= $2::timestamptz)
    AND c.id <> ALL ($3::bigint[])
ORDER BY c.organization_id, c.is_sandbox, c.id
LIMIT 10000
