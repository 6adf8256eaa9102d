-- The key behind a token's digest, with its user and organization. $1: digest.
SELECT k.doc, u.doc, o.doc
FROM auth.api_key_secret s
LEFT JOIN read.api_key k ON k.organization_id = s.organization_id AND k.id = s.key_id
LEFT JOIN read.user_account u ON u.organization_id = s.organization_id AND u.id = (k.doc::jsonb ->> 'userId')::bigint
LEFT JOIN read.organization o ON o.organization_id = s.organization_id
WHERE s.digest = $1
