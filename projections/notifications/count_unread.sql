-- How many notifications of user $3 are unread.
SELECT count(*)
FROM read.notification t
WHERE /*tenant*/ /*organization*/ t.organization_id = $1 AND /*end organization*/ t.is_sandbox = $2 /*end tenant*/
  AND t.user_id = $3 AND NOT t.is_read
