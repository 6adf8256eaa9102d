-- One resource by its id.
SELECT /*document*/, t.version
FROM read./*table*/ t
WHERE /*tenant*/ /*organization*/ t.organization_id = $1 AND /*end organization*/ t.is_sandbox = $2 /*end tenant*/
  AND t.id = $3
  AND ($4::bigint[] IS NULL OR /*seen_at*/)
  /*shown*/
