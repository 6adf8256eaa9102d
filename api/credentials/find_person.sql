-- The user account $1 of organization $2, and the organization.
SELECT u.doc, o.doc
FROM read.user_account u
JOIN read.organization o ON o.organization_id = u.organization_id
WHERE u.id = $1 AND u.organization_id = $2
