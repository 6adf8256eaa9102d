-- Active people whom a facility ($3) sees, with what assignment rules ask of them: whether they have a specialty ($4),
-- their own limit of hours, and when they can work.
SELECT t.id, t.last_name_key, t.internals, $4 = '' OR d.specialty = $4 OR d.skills ? $4 AS has_specialty, d."maxWeeklyHours" AS max_weekly_hours
FROM read.staff t
CROSS JOIN LATERAL json_to_record(t.doc::json) AS d(specialty text, skills jsonb, "maxWeeklyHours" text)
WHERE /*tenant*/ /*organization*/ t.organization_id = $1 AND /*end organization*/ t.is_sandbox = $2 /*end tenant*/
  AND t.is_active AND NOT t.deleted
  AND (t.facility_ids @> ARRAY[$3::bigint] OR t.facility_ids = '{}')
