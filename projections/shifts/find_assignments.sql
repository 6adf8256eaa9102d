-- One shift's assignments.
SELECT t.assignments, t.version
FROM read.shift t
WHERE /*tenant*/ /*organization*/ t.organization_id = $1 AND /*end organization*/ t.is_sandbox = $2 /*end tenant*/
  AND t.id = $3
  AND ($4::bigint[] IS NULL OR t.facility_id = ANY ($4))
  AND NOT t.deleted
