-- A page of facilities. The inner limit is a constant, so that the planner goes by an index's order for any page.
SELECT page.doc, page.key, page.id
FROM (
    SELECT t.doc, t./*key*/ AS key, t.id
    FROM read.facility t
    WHERE /*tenant*/ /*organization*/ t.organization_id = $1 AND /*end organization*/ t.is_sandbox = $2 /*end tenant*/
      AND /*facilities*/ t.facility_id = ANY ($3) /*end facilities*/
      AND /*after*/ (t./*key*/, t.id) /*beyond*/ ($5::/*type*/, $6::bigint) /*end after*/
      /*filters*/
      AND ($7::boolean IS NULL OR t.is_active = $7)
      AND ($8::text IS NULL OR strpos(t.search, $8) > 0)
      AND ($9::timestamptz IS NULL OR t.updated_at >= $9)
      /*end filters*/
    ORDER BY t./*key*/ /*direction*/, t.id /*direction*/
    LIMIT 201
) page
ORDER BY page.key /*direction*/, page.id /*direction*/
LIMIT $4
