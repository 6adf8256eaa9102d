-- Of facilities ($4, $5, $6) one shift each that ends after $7 and is not one of $8, which are hashed: they may be very many. No
-- shift lasts longer than a day.
SELECT ahead.*
FROM unnest($4::bigint[], $5::boolean[], $6::bigint[], $7::timestamptz[])
    AS k(organization_id, is_sandbox, facility_id, after)
CROSS JOIN LATERAL (
    SELECT s.is_sandbox, s.version, s.doc, s.assignments, s.deleted, s.former_staff_ids, s.lacks_event
    FROM read.shift s
    WHERE s.organization_id = k.organization_id AND s.is_sandbox = k.is_sandbox AND s.facility_id = k.facility_id
        AND s.starts_at > k.after - interval '24 hours' AND s.ends_at > k.after
        AND s.status IN ('open', 'assigned', 'in_progress') AND s.id NOT IN (SELECT unnest($8::bigint[]))
    ORDER BY s.starts_at, s.id
    LIMIT 1
) AS ahead
