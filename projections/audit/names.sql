-- What users ($2) and API keys ($3) of an organization ($1; 0: of any) are called. A personal token goes by its user's name.
SELECT 'user' AS type, t.id, t.name
FROM read.user_account t
WHERE ($1::bigint = 0 OR t.organization_id = $1) AND NOT t.is_sandbox AND t.id = ANY ($2::bigint[])
UNION ALL
SELECT 'api_key', t.id, CASE WHEN t.type = 'pat' THEN coalesce(u.name, '') ELSE t.doc::json ->> 'name' END
FROM read.api_key t
LEFT JOIN read.user_account u ON u.organization_id = t.organization_id AND NOT u.is_sandbox AND u.id = t.user_id
WHERE ($1::bigint = 0 OR t.organization_id = $1) AND NOT t.is_sandbox AND t.id = ANY ($3::bigint[])
