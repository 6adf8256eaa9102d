-- The active staff of a facility ($3), and of none, who work at all; the oldest first, at most $4.
SELECT t.id
FROM read.staff t
WHERE /*tenant*/ /*organization*/ t.organization_id = $1 AND /*end organization*/ t.is_sandbox = $2 /*end tenant*/
  AND (t.facility_ids @> ARRAY[$3::bigint] OR t.facility_ids = '{}') AND t.is_active AND NOT t.deleted
ORDER BY t.id
LIMIT $4
