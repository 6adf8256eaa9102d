-- The newest items, of the kinds $6 alone where these are given, with the names of who did them: a user, or a key that no user
-- stands behind. One of another organization is an operator's, whose name is not the customer's to know.
SELECT t.id, t.action, t.resource, t.created_at, t.user_id, t.key_id,
       CASE WHEN t.user_id = 0 THEN k.doc::json ->> 'name' ELSE u.name END AS name, u.email
FROM read.activity t
LEFT JOIN read.user_account u ON u.id = t.user_id AND (u.organization_id = t.organization_id OR $5)
LEFT JOIN read.api_key k ON k.id = t.key_id AND (k.organization_id = t.organization_id OR $5)
WHERE /*tenant*/ /*organization*/ t.organization_id = $1 AND /*end organization*/ t.is_sandbox = $2 /*end tenant*/
  AND ($3::bigint[] IS NULL OR t.facility_id = ANY ($3) OR t.facility_ids && $3)
  AND ($6::text[] IS NULL OR split_part(t.resource, ':', 1) = ANY ($6))
ORDER BY /*order*/ t.id DESC
LIMIT $4
