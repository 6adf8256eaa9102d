-- Shifts by id ($4, $5); and of facilities ($6, $7, $8) one each that ends after $9 and is not one of $10. And how far
-- these rows have come. No shift lasts longer than a day.
SELECT (/*reached*/) AS reached, t.is_sandbox, t.version, t.doc, t.assignments, t.deleted, t.lacks_event
FROM (SELECT) AS once
LEFT JOIN (
    SELECT s.is_sandbox, s.version, s.doc, s.assignments, s.deleted, s.lacks_event
    FROM unnest($4::bigint[], $5::bigint[]) AS k(organization_id, id)
    JOIN LATERAL (SELECT * FROM read.shift s WHERE s.id = k.id OFFSET 0) AS s ON s.organization_id = k.organization_id
    UNION ALL
    SELECT ahead.*
    FROM unnest($6::bigint[], $7::boolean[], $8::bigint[], $9::timestamptz[])
        AS k(organization_id, is_sandbox, facility_id, after)
    CROSS JOIN LATERAL (
        SELECT s.is_sandbox, s.version, s.doc, s.assignments, s.deleted, s.lacks_event
        FROM read.shift s
        WHERE s.organization_id = k.organization_id AND s.is_sandbox = k.is_sandbox AND s.facility_id = k.facility_id
            AND s.starts_at > k.after - interval '24 hours' AND s.ends_at > k.after
            AND s.status IN ('open', 'assigned', 'in_progress') AND s.id <> ALL ($10::bigint[])
        ORDER BY s.starts_at, s.id
        LIMIT 1
    ) AS ahead
) AS t ON true
