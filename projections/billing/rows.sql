-- The newest $4 rows of $1, with ids below $2, that stand as $3 says.
SELECT b.*
FROM ops.billing_outbox b
WHERE /*organization*/ b.organization_id = $1 AND /*end organization*/
    ($2::bigint IS NULL OR b.id < $2) AND ($3::text[] IS NULL OR b.status = ANY ($3))
ORDER BY b.id DESC
LIMIT $4
