-- The time that people ($5) are assigned to from a moment ($3) to another ($4), at whatever facility. No shift is longer than a
-- day.
SELECT person.id AS staff_id, t.id, t.facility_id, t.starts_at, t.ends_at
FROM read.shift t, unnest(t.staff_ids) AS person(id)
WHERE /*tenant*/ /*organization*/ t.organization_id = $1 AND /*end organization*/ t.is_sandbox = $2 /*end tenant*/
  AND t.starts_at > $3::timestamptz - interval '1 day' AND t.starts_at < $4 AND t.ends_at > $3
  AND t.staff_ids <> '{}' AND t.staff_ids && $5::bigint[] AND person.id = ANY ($5) AND NOT t.deleted
