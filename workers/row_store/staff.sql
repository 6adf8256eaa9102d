-- Staff by id ($4, $5) and by e-mail address ($6, $7, $8), and how far these rows have come.
SELECT (/*reached*/) AS reached, t.is_sandbox, t.version, t.doc, t.erased
FROM (SELECT) AS once
LEFT JOIN (
    SELECT s.is_sandbox, s.version, s.doc, s.erased OR s.email = '' AS erased
    FROM unnest($4::bigint[], $5::bigint[]) AS k(organization_id, id)
    JOIN read.staff s ON s.id = k.id AND s.organization_id = k.organization_id
    UNION ALL
    SELECT s.is_sandbox, s.version, s.doc, s.erased OR s.email = ''
    FROM unnest($6::bigint[], $7::boolean[], $8::text[]) AS k(organization_id, is_sandbox, email)
    JOIN read.staff s ON s.organization_id = k.organization_id AND s.is_sandbox = k.is_sandbox
        AND s.email = k.email AND k.email <> ''
) AS t ON true
