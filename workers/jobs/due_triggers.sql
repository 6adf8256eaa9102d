-- Triggers of some partitions ($1) whose schedule names a moment up to $2, but for $3. What is of an organization that is not active
-- waits for it.
SELECT t.organization_id, t.is_sandbox, t.id
FROM read.trigger t
JOIN ops.organization_home h ON h.organization_id = t.organization_id AND h.partition = ANY ($1::int[])
JOIN read.organization o ON o.organization_id = t.organization_id AND o.id = t.organization_id AND NOT o.is_sandbox AND o.is_active
WHERE t.next_run_at <= $2::timestamptz AND NOT t.deleted AND t.id <> ALL ($3::bigint[])
ORDER BY t.organization_id, t.is_sandbox, t.next_run_at, t.id
LIMIT 10000
