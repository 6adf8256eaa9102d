-- One shift's assignments, and where it is.
SELECT t.assignments, t.version, t.facility_id
FROM read.shift t
WHERE /*tenant*/ /*organization*/ t.organization_id = $1 AND /*end organization*/ t.is_sandbox = $2 /*end tenant*/
  AND t.id = $3
  AND ($4::bigint[] IS NULL OR t.facility_id = ANY ($4))
  AND NOT t.deleted
