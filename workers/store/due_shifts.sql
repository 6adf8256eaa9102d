-- Shifts of some partitions that the clock may have to move: staffed ones at their start, running ones a quarter of an hour
-- past their end, where their facility wants it. Of those that began after $2; no shift lasts longer than a day.
SELECT s.organization_id, s.is_sandbox, s.id
FROM read.shift s
JOIN ops.organization_home h ON h.organization_id = s.organization_id AND h.partition = ANY ($1::int[])
JOIN read.facility f ON f.organization_id = s.organization_id AND f.id = s.facility_id AND NOT f.is_sandbox
WHERE s.starts_at > $2 AND s.starts_at <= now()
    AND (s.status = 'in_progress' OR s.status IN ('open', 'assigned') AND s.staff_ids <> '{}')  -- as the index has it
    AND CASE WHEN s.status = 'in_progress'
        THEN s.ends_at + interval '15 minutes' <= now() AND (f.doc::json ->> 'autoComplete')::boolean
        ELSE (f.doc::json ->> 'autoStart')::boolean END
ORDER BY s.organization_id, s.is_sandbox, s.starts_at, s.id
LIMIT 10000
