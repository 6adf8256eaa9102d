-- A page of shifts. The inner limit is a constant, so that the planner goes by an index's order for any page.
SELECT page.doc, page.key, page.id
FROM (
    SELECT t.doc, t./*key*/ AS key, t.id
    FROM read.shift t
    WHERE /*tenant*/ /*organization*/ t.organization_id = $1 AND /*end organization*/ t.is_sandbox = $2 /*end tenant*/
      AND /*facilities*/ t.facility_id = ANY ($3) /*end facilities*/
      AND NOT t.deleted
      AND /*after*/ (t./*key*/, t.id) /*beyond*/ ($5::/*type*/, $6::bigint) /*end after*/
      /*filters*/
      AND ($7::text[] IS NULL OR t.status = ANY ($7))
      AND ($8::date IS NULL OR t.date >= $8)
      AND ($9::date IS NULL OR t.date <= $9)
      -- No zone is further from UTC than 14 hours: what `date` says, in terms that the index knows.
      AND t.starts_at >= COALESCE($8::date::timestamptz - interval '15 hours', '-infinity')
      AND t.starts_at < COALESCE($9::date::timestamptz + interval '39 hours', 'infinity')
      AND ($10::smallint[] IS NULL OR t.urgency_rank = ANY ($10))
      AND ($11::text IS NULL OR t.specialty_key = $11)
      AND ($12::text IS NULL OR t.department_key = $12)
      AND ($13::bigint IS NULL OR $13 = ANY (t.staff_ids))
      AND ($14::timestamptz IS NULL OR (t.status = 'open' AND t.ends_at > $14))
      AND ($15::text IS NULL OR strpos(t.search, $15) > 0)
      AND ($16::timestamptz IS NULL OR t.updated_at >= $16)
      /*end filters*/
    ORDER BY t./*key*/ /*direction*/, t.id /*direction*/
    LIMIT 201
) page
ORDER BY page.key /*direction*/, page.id /*direction*/
LIMIT $4
