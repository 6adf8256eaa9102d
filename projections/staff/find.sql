-- One staff member by id; who is tied to no facility is seen from each.
SELECT t.doc, t.version
FROM read.staff t
WHERE /*tenant*/ /*organization*/ t.organization_id = $1 AND /*end organization*/ t.is_sandbox = $2 /*end tenant*/
  AND t.id = $3
  AND ($4::bigint[] IS NULL OR t.facility_ids && $4 OR t.facility_ids = '{}')
