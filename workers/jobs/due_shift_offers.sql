-- Offers of some partitions ($1) that stand and at $2 can't be accepted any more, but for $3: their time is over, or the
-- shift takes nobody (it is full, it was cancelled, or it has begun).
SELECT o.organization_id, o.is_sandbox, o.id
FROM read.shift_offer o
JOIN ops.organization_home h ON h.organization_id = o.organization_id AND h.partition = ANY ($1::int[])
JOIN read.shift s ON s.organization_id = o.organization_id AND s.is_sandbox = o.is_sandbox AND s.id = o.shift_id
WHERE o.status = 'offered' AND NOT o.deleted
    AND (o.expires_at <= $2::timestamptz OR s.deleted OR s.status <> 'open' OR s.starts_at <= $2::timestamptz)
    AND o.id <> ALL ($3::bigint[])
ORDER BY o.organization_id, o.is_sandbox, o.id
LIMIT 10000
