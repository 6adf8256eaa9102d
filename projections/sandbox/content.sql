-- Of each kind of which some are of facility $3 alone how many, and what its sandbox's row says.
SELECT 'staff' AS kind, count(*) AS count, NULL AS doc
FROM read.staff t
WHERE /*tenant*/ /*organization*/ t.organization_id = $1 AND /*end organization*/ t.is_sandbox = $2 /*end tenant*/
  AND t.facility_ids = ARRAY[$3::bigint] AND NOT t.deleted
HAVING count(*) > 0
UNION ALL
SELECT 'shift', count(*), NULL
FROM read.shift t
WHERE /*tenant*/ /*organization*/ t.organization_id = $1 AND /*end organization*/ t.is_sandbox = $2 /*end tenant*/
  AND t.facility_id = $3 AND NOT t.deleted
HAVING count(*) > 0
UNION ALL
SELECT 'lead', count(*), NULL
FROM read.lead t
WHERE /*tenant*/ /*organization*/ t.organization_id = $1 AND /*end organization*/ t.is_sandbox = $2 /*end tenant*/
  AND t.facility_id = $3 AND NOT t.deleted
HAVING count(*) > 0
UNION ALL
SELECT 'sandbox', 1, t.doc
FROM read.sandbox t
WHERE /*tenant*/ /*organization*/ t.organization_id = $1 AND /*end organization*/ t.is_sandbox = $2 /*end tenant*/
  AND t.id = $3
