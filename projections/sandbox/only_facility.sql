-- The organization's facilities, two at most.
SELECT t.id
FROM read.facility t
WHERE /*tenant*/ /*organization*/ t.organization_id = $1 AND /*end organization*/ t.is_sandbox = $2 /*end tenant*/
LIMIT 2
