-- Who stands behind items of a sandbox: users ($2), and keys without one ($3). Both are live, so a session of the sandbox does
-- not see them.
SELECT 'user' AS type, t.id, t.name, t.email
FROM read.user_account t
WHERE t.organization_id = $1 AND NOT t.is_sandbox AND t.id = ANY ($2::bigint[])
UNION ALL
SELECT 'api_key', t.id, t.doc::json ->> 'name', ''
FROM read.api_key t
WHERE t.organization_id = $1 AND NOT t.is_sandbox AND t.id = ANY ($3::bigint[])
