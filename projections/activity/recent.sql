-- The newest items with the names of who did them. A user of another organization is an operator of the platform, whose
-- name is not the customer's to know.
SELECT t.id, t.action, t.resource, t.created_at, t.user_id, u.name, u.email
FROM read.activity t
LEFT JOIN read.user_account u ON u.id = t.user_id AND (u.organization_id = t.organization_id OR $5)
WHERE /*tenant*/ /*organization*/ t.organization_id = $1 AND /*end organization*/ t.is_sandbox = $2 /*end tenant*/
  AND ($3::bigint[] IS NULL OR t.facility_id = ANY ($3) OR t.facility_ids && $3)
ORDER BY /*order*/ t.id DESC
LIMIT $4
