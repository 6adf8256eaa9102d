-- What resources were, as their last entries tell that changed them.
SELECT k.resource, last.state
FROM unnest($1::bigint[], $2::boolean[], $3::text[]) AS k(organization_id, is_sandbox, resource)
CROSS JOIN LATERAL (
    SELECT t.state FROM audit_entry t
    WHERE t.organization_id = k.organization_id AND t.is_sandbox = k.is_sandbox AND t.resource = k.resource
        AND t.state IS NOT NULL  -- as the index has it
    ORDER BY t.id DESC
    LIMIT 1
) AS last
