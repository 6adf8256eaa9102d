-- Shifts of some partitions ($1) that the clock may have to move at $2, but for $3: staffed ones at their start, running
-- ones a quarter of an hour past their end, where their facility wants it. Of those that began within a week, or, as the
-- section says, before that; no shift lasts longer than a day.
SELECT s.organization_id, s.is_sandbox, s.id
FROM read.shift s
JOIN ops.organization_home h ON h.organization_id = s.organization_id AND h.partition = ANY ($1::int[])
JOIN read.facility f ON f.organization_id = s.organization_id AND f.id = s.facility_id AND NOT f.is_sandbox
WHERE /*began*/ s.starts_at > $2::timestamptz - interval '7 days' AND s.starts_at <= $2::timestamptz /*end began*/
    AND (s.status = 'in_progress' OR s.status IN ('open', 'assigned') AND s.staff_ids <> '{}')  -- as the index has it
    AND CASE WHEN s.status = 'in_progress'
        THEN s.ends_at + interval '15 minutes' <= $2::timestamptz AND (f.doc::json ->> 'autoComplete')::boolean
        ELSE (f.doc::json ->> 'autoStart')::boolean END
    AND s.id <> ALL ($3::bigint[])
ORDER BY s.organization_id, s.is_sandbox, s.starts_at, s.id
LIMIT 10000
