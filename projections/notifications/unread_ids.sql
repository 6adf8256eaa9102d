-- The unread notifications of user $3 with ids above $4, at most $5.
SELECT t.id
FROM read.notification t
WHERE /*tenant*/ /*organization*/ t.organization_id = $1 AND /*end organization*/ t.is_sandbox = $2 /*end tenant*/
  AND t.user_id = $3 AND NOT t.is_read AND t.id > $4
ORDER BY t.id
LIMIT $5
