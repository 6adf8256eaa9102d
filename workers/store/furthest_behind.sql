-- Of the projections named ($2, with their revisions in $3) the one whose rows lack most of partition $1, and why.
SELECT w.name, w.revision AS wanted, c.revision, c.position, p.position AS poison, p.resolution IS NOT NULL AS skipped
FROM unnest($2::text[], $3::int[]) AS w(name, revision)
LEFT JOIN projection.checkpoint c ON c.projection = w.name AND c.partition = $1
LEFT JOIN LATERAL (
    SELECT p.position, p.resolution FROM projection.poison p
    WHERE p.projection = w.name AND p.partition = $1 AND p.resolution IS DISTINCT FROM 'retried'
    ORDER BY p.position LIMIT 1) AS p ON true
ORDER BY CASE WHEN c.revision = w.revision THEN least(c.position, p.position - 1) ELSE -1 END
LIMIT 1
