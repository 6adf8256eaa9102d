-- What resources were, as their last entries tell that changed them. All of a resource's are looked at: so few that no plan is
-- better.
SELECT k.resource, last.state
FROM unnest($1::bigint[], $2::boolean[], $3::text[]) AS k(organization_id, is_sandbox, resource)
CROSS JOIN LATERAL (
    SELECT t.state
    FROM (
        SELECT a.id, a.state FROM audit_entry a
        WHERE a.organization_id = k.organization_id AND a.is_sandbox = k.is_sandbox AND a.resource = k.resource
            AND a.state IS NOT NULL  -- as the index has it
        OFFSET 0
    ) AS t
    ORDER BY t.id DESC
    LIMIT 1
) AS last
