-- A page of entries, with where their requests came from. The inner limit is as in engine/read_model/list.sql.
SELECT CASE WHEN /*fits*/ THEN page.doc END, page.key, page.id
FROM (
    SELECT left(t.doc, -1) || ',"ip":' || coalesce(to_json(o.address)::text, 'null') || ',"userAgent":'
               || coalesce(to_json(o.agent)::text, 'null') || '}' AS doc,
           t./*key*/ AS key, t.id
    FROM read.audit_entry t
    LEFT JOIN auth.request_origin o ON o.organization_id = t.organization_id AND o.request_id = t.request_id
    WHERE /*tenant*/ /*organization*/ t.organization_id = $1 AND /*end organization*/ t.is_sandbox = $2 /*end tenant*/
      AND /*facilities*/ (t.facility_id = ANY ($3)) /*end facilities*/
      AND /*after*/ (t./*key*/, t.id) /*beyond*/ ($5::/*type*/, $6::bigint) /*end after*/
      /*filters*/
      AND ($8::text[] IS NULL OR t.action = ANY ($8))
      AND ($9::bigint IS NULL OR t.actor_id = $9)
      AND ($10::text IS NULL OR t.resource = $10)
      AND ($11::timestamptz IS NULL OR t.created_at >= $11)
      AND ($12::timestamptz IS NULL OR t.created_at <= $12)
      /*end filters*/
    ORDER BY t./*key*/ /*direction*/, t.id /*direction*/
    LIMIT 201
) page
ORDER BY page.key /*direction*/, page.id /*direction*/
LIMIT $4
