-- A page of resources. The inner limit is a constant, so that the planner goes by an index's order for any page.
SELECT CASE WHEN /*fits*/ THEN page.doc END, page.key, page.id
FROM (
    SELECT /*document*/, t./*key*/ AS key, t.id
    FROM read./*table*/ t
    WHERE /*tenant*/ /*organization*/ t.organization_id = $1 AND /*end organization*/ t.is_sandbox = $2 /*end tenant*/
      AND /*facilities*/ (/*seen_at*/) /*end facilities*/
      /*shown*/
      AND /*after*/ (t./*key*/, t.id) /*beyond*/ ($5::/*type*/, $6::bigint) /*end after*/
      /*filters*/
      /*conditions*/
      /*end filters*/
    ORDER BY t./*key*/ /*direction*/, t.id /*direction*/
    LIMIT 201
) page
ORDER BY page.key /*direction*/, page.id /*direction*/
LIMIT $4
