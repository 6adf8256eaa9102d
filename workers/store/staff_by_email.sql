-- Staff by e-mail address: $4, $5 and $6 are organizations, whether of the sandbox, and addresses.
SELECT s.is_sandbox, s.version, s.doc, s.erased, s.deleted, s.lacks_event
FROM unnest($4::bigint[], $5::boolean[], $6::text[]) AS k(organization_id, is_sandbox, email)
CROSS JOIN LATERAL (
    SELECT * FROM read.staff s
    WHERE s.organization_id = k.organization_id AND s.is_sandbox = k.is_sandbox AND s.email = k.email
        AND NOT s.deleted
    OFFSET 0
) AS s
WHERE k.email <> ''
