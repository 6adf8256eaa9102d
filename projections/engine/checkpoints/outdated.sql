-- Of the projections named ($1, with their revisions in $2) those that have rows of another revision.
SELECT w.name
FROM unnest($1::text[], $2::int[]) AS w(name, revision)
WHERE EXISTS (SELECT FROM checkpoint c WHERE c.projection = w.name AND c.revision <> w.revision)
ORDER BY w.name
