-- Webhook subscriptions of organizations that were not deleted: $4 and $5 are organizations and whether of the sandbox.
SELECT w.is_sandbox, w.version, w.doc, w.internals, w.deleted, w.lacks_event
FROM unnest($4::bigint[], $5::boolean[]) AS k(organization_id, is_sandbox)
CROSS JOIN LATERAL (
    SELECT * FROM read.webhook w
    WHERE w.organization_id = k.organization_id AND w.is_sandbox = k.is_sandbox AND NOT w.deleted
    OFFSET 0
) AS w
