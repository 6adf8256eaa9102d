-- What the logs that a run holds come to for each person.
SELECT l.staff_id,
       sum((l.doc::json ->> 'workedMinutes')::bigint - (l.doc::json ->> 'overtimeMinutes')::bigint)::bigint AS regular,
       sum((l.doc::json ->> 'overtimeMinutes')::bigint)::bigint AS overtime,
       round(sum((l.doc::json ->> 'grossAmount')::numeric) * 100)::bigint AS gross
FROM read.payroll_run t
CROSS JOIN LATERAL unnest(t.held_timesheet_ids) AS held(id)
JOIN read.timesheet l ON l.organization_id = t.organization_id AND l.is_sandbox = t.is_sandbox AND l.id = held.id
WHERE /*tenant*/ /*organization*/ t.organization_id = $1 AND /*end organization*/ t.is_sandbox = $2 /*end tenant*/
  AND t.id = $3
GROUP BY l.staff_id
ORDER BY l.staff_id
