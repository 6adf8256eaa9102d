-- Staff by id ($4, $5) and by e-mail address ($6, $7, $8), and how far these rows have come.
SELECT (/*reached*/) AS reached, t.is_sandbox, t.version, t.doc, t.erased, t.lacks_event
FROM (SELECT) AS once
LEFT JOIN (
    SELECT s.is_sandbox, s.version, s.doc, s.erased OR s.email = '' AS erased, s.lacks_event
    FROM unnest($4::bigint[], $5::bigint[]) AS k(organization_id, id)
    JOIN LATERAL (SELECT * FROM read.staff s WHERE s.id = k.id OFFSET 0) AS s ON s.organization_id = k.organization_id
    UNION ALL
    SELECT s.is_sandbox, s.version, s.doc, s.erased OR s.email = '', s.lacks_event
    FROM unnest($6::bigint[], $7::boolean[], $8::text[]) AS k(organization_id, is_sandbox, email)
    CROSS JOIN LATERAL (
        SELECT * FROM read.staff s
        WHERE s.organization_id = k.organization_id AND s.is_sandbox = k.is_sandbox AND s.email = k.email
        OFFSET 0
    ) AS s
    WHERE k.email <> ''
) AS t ON true
