-- Where persons work, as their last items tell. All of a person's are looked at: so few that no plan is better.
SELECT k.id, last.facility_ids
FROM unnest($1::bigint[], $2::boolean[], $3::bigint[]) AS k(organization_id, is_sandbox, id)
CROSS JOIN LATERAL (
    SELECT t.facility_ids
    FROM (
        SELECT a.id, a.facility_ids FROM activity a
        WHERE a.organization_id = k.organization_id AND a.is_sandbox = k.is_sandbox AND a.resource = 'staff:' || k.id
            AND a.resource LIKE 'staff:%'  -- as the index has it
        OFFSET 0
    ) AS t
    ORDER BY t.id DESC
    LIMIT 1
) AS last
