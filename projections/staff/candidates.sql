-- Active people whom a facility ($3) sees, with what assignment rules ask of them.
SELECT t.id, t.last_name_key, t.doc::json ->> 'specialty' AS specialty, t.doc::json ->> 'skills' AS skills,
    t.doc::json ->> 'maxWeeklyHours' AS max_weekly_hours
FROM read.staff t
WHERE /*tenant*/ /*organization*/ t.organization_id = $1 AND /*end organization*/ t.is_sandbox = $2 /*end tenant*/
  AND t.is_active AND NOT t.deleted
  AND (t.facility_ids @> ARRAY[$3::bigint] OR t.facility_ids = '{}')
