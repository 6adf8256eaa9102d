-- Time that people ($5) have off and that overlaps the time from a moment ($3) to another ($4). None is longer than 367 days.
SELECT t.staff_id, t.id, t.starts_at, t.ends_at
FROM read.time_off t
WHERE /*tenant*/ /*organization*/ t.organization_id = $1 AND /*end organization*/ t.is_sandbox = $2 /*end tenant*/
  AND t.staff_id = ANY ($5::bigint[]) AND t.status = 'approved' AND NOT t.deleted
  AND t.starts_at > $3::timestamptz - interval '367 days' AND t.starts_at < $4 AND t.ends_at > $3
