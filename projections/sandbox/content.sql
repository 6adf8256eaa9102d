-- In the sandbox: of each kind of which some are of facility $3 alone how many, those of people as their holders are, and
-- what the sandbox's row says. The indexes have is_sandbox without a parameter.
/*kinds*/
SELECT 'sandbox' AS kind, 1::bigint AS count, t.doc
FROM read.sandbox t
WHERE /*tenant*/ /*organization*/ t.organization_id = $1 AND /*end organization*/ t.is_sandbox = $2 /*end tenant*/
  AND t.id = $3
