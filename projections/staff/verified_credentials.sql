-- What people ($3) have to show that was verified, whenever it ends.
SELECT t.staff_id, t.type, t.doc::json ->> 'name' AS name, t.expires_on
FROM read.credential t
WHERE /*tenant*/ /*organization*/ t.organization_id = $1 AND /*end organization*/ t.is_sandbox = $2 /*end tenant*/
  AND t.staff_id = ANY ($3::bigint[]) AND t.status = 'verified' AND NOT t.deleted
