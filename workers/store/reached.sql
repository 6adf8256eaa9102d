-- How far the rows of all the projections named ($2, with their revisions in $3) tell what the log says of partition $1. An
-- event that was skipped is missing in them; rows of another revision, or none, tell nothing: -1.
SELECT min(CASE WHEN c.revision = wanted.revision THEN least(c.position, (
    SELECT min(p.position) - 1 FROM projection.poison p
    WHERE p.projection = c.projection AND p.partition = c.partition AND p.resolution = 'skipped')) ELSE -1 END)
FROM unnest($2::text[], $3::int[]) AS wanted(name, revision)
LEFT JOIN projection.checkpoint c ON c.projection = wanted.name AND c.partition = $1
