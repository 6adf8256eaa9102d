-- Where answers to the keys ($4, $5, $6) stand, the newest of each.
SELECT k.place, a.id
FROM unnest($4::bigint[], $5::boolean[], $6::uuid[]) WITH ORDINALITY AS k(organization_id, is_sandbox, key, place)
CROSS JOIN LATERAL (
    SELECT a.id FROM read.answer a
    WHERE a.organization_id = k.organization_id AND a.is_sandbox = k.is_sandbox AND a.key = k.key
    ORDER BY a.id DESC
    LIMIT 1
) AS a
