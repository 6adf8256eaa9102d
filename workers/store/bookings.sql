-- The time that persons ($4, $5) are assigned to from a moment on ($6). A person is either live or of the sandbox, and so
-- are their shifts.
SELECT k.organization_id, k.staff_id, s.id, s.starts_at, s.ends_at
FROM unnest($4::bigint[], $5::bigint[], $6::timestamptz[]) AS k(organization_id, staff_id, since)
JOIN LATERAL (
    SELECT * FROM read.shift s WHERE s.staff_ids @> ARRAY[k.staff_id] AND s.staff_ids <> '{}' OFFSET 0
) AS s ON s.organization_id = k.organization_id AND s.starts_at >= k.since
