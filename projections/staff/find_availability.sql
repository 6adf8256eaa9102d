-- When a person can work, each week: whose it is before what their row has of it.
SELECT '{"staffId":' || t.id || ',' || substr((t.internals::json -> 'availability')::text, 2), t.version
FROM read.staff t
WHERE /*tenant*/ /*organization*/ t.organization_id = $1 AND /*end organization*/ t.is_sandbox = $2 /*end tenant*/
  AND t.id = $3
  AND ($4::bigint[] IS NULL OR t.facility_ids && $4 OR t.facility_ids = '{}')
  AND NOT t.deleted
