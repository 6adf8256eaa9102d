-- Credentials of persons: $4, $5 and $6 are organizations, whether of the sandbox, and persons.
SELECT c.is_sandbox, c.version, c.doc, c.internals, c.deleted, c.lacks_event
FROM unnest($4::bigint[], $5::boolean[], $6::bigint[]) AS k(organization_id, is_sandbox, staff_id)
CROSS JOIN LATERAL (
    SELECT * FROM read.credential c
    WHERE c.organization_id = k.organization_id AND c.is_sandbox = k.is_sandbox AND c.staff_id = k.staff_id
    OFFSET 0
) AS c
