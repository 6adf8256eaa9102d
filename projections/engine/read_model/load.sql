-- The rows that a batch's events go on from.
SELECT t.id, t.version, t.doc/*further*/
FROM unnest($1::bigint[], $2::boolean[], $3::bigint[]) AS k(organization_id, is_sandbox, id)
CROSS JOIN LATERAL (
    SELECT * FROM /*table*/ t
    WHERE t.organization_id = k.organization_id AND t.is_sandbox = k.is_sandbox AND t.id = k.id
    LIMIT 1
) AS t
