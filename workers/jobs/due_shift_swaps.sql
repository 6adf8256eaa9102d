-- Pending swap requests of some partitions ($1) whose swap can't happen any more at $2, but for $3: a side's shift has
-- begun or closed, or its person is no longer on it.
SELECT w.organization_id, w.is_sandbox, w.id
FROM read.shift_swap w
JOIN ops.organization_home h ON h.organization_id = w.organization_id AND h.partition = ANY ($1::int[])
CROSS JOIN LATERAL (
    SELECT count(*) AS sides
    FROM (VALUES (w.shift_id, w.staff_id), (w.other_shift_id, w.other_staff_id)) AS side (shift_id, staff_id)
    JOIN read.shift s ON s.organization_id = w.organization_id AND s.is_sandbox = w.is_sandbox AND s.id = side.shift_id
    WHERE NOT s.deleted AND s.status IN ('open', 'assigned') AND s.starts_at > $2::timestamptz
        AND side.staff_id = ANY (s.staff_ids)
) standing
WHERE w.status IN ('pending_peer', 'pending_approval') AND NOT w.deleted  -- as the index has it
    AND standing.sides < 2
    AND w.id <> ALL ($3::bigint[])
ORDER BY w.organization_id, w.is_sandbox, w.id
LIMIT 10000
