-- Logs of some partitions ($1) that payroll runs hold which are over, but for $3. $2 is the time, which has no part in it.
SELECT r.organization_id, r.is_sandbox, held.id
FROM read.payroll_run r
JOIN ops.organization_home h ON h.organization_id = r.organization_id AND h.partition = ANY ($1::int[])
CROSS JOIN LATERAL unnest(r.held_timesheet_ids) AS held(id)
WHERE r.status IN ('paid', 'partially_paid') AND r.held_timesheet_ids <> '{}' AND NOT r.deleted
    AND $2::timestamptz IS NOT NULL
    AND held.id <> ALL ($3::bigint[])
ORDER BY r.organization_id, r.is_sandbox, held.id
LIMIT 10000
