-- In the sandbox: of each kind of which some are of facility $3 alone how many, credentials as their holders are, and
-- what the sandbox's row says. The indexes have is_sandbox without a parameter.
SELECT 'staff' AS kind, count(*) AS count, NULL AS doc
FROM read.staff t
WHERE /*tenant*/ /*organization*/ t.organization_id = $1 AND /*end organization*/ t.is_sandbox = $2 /*end tenant*/
  AND t.is_sandbox AND NOT t.deleted AND cardinality(t.facility_ids) = 1 AND t.facility_ids[1] = $3
HAVING count(*) > 0
UNION ALL
SELECT 'shift', count(*), NULL
FROM read.shift t
WHERE /*tenant*/ /*organization*/ t.organization_id = $1 AND /*end organization*/ t.is_sandbox = $2 /*end tenant*/
  AND t.is_sandbox AND NOT t.deleted AND t.facility_id = $3
HAVING count(*) > 0
UNION ALL
SELECT 'lead', count(*), NULL
FROM read.lead t
WHERE /*tenant*/ /*organization*/ t.organization_id = $1 AND /*end organization*/ t.is_sandbox = $2 /*end tenant*/
  AND t.is_sandbox AND NOT t.deleted AND t.facility_id = $3
HAVING count(*) > 0
UNION ALL
SELECT 'timesheet', count(*), NULL
FROM read.timesheet t
WHERE /*tenant*/ /*organization*/ t.organization_id = $1 AND /*end organization*/ t.is_sandbox = $2 /*end tenant*/
  AND t.is_sandbox AND NOT t.deleted AND t.facility_id = $3
HAVING count(*) > 0
UNION ALL
SELECT 'credential', count(*), NULL
FROM read.staff t
JOIN read.credential c ON c.organization_id = t.organization_id AND c.is_sandbox = t.is_sandbox AND c.staff_id = t.id
WHERE /*tenant*/ /*organization*/ t.organization_id = $1 AND /*end organization*/ t.is_sandbox = $2 /*end tenant*/
  AND t.is_sandbox AND NOT t.deleted AND cardinality(t.facility_ids) = 1 AND t.facility_ids[1] = $3 AND NOT c.deleted
HAVING count(*) > 0
UNION ALL
SELECT 'sandbox', 1, t.doc
FROM read.sandbox t
WHERE /*tenant*/ /*organization*/ t.organization_id = $1 AND /*end organization*/ t.is_sandbox = $2 /*end tenant*/
  AND t.id = $3
