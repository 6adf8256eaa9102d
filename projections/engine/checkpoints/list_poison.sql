-- Events that a projection could not fold: those that it stands at, then those that were skipped; with $1 also those that
-- stop nothing any more.
SELECT p.projection, p.partition, p.position, p.error, p.attempts, p.first_at, p.last_at, p.resolution, p.resolved_by,
    p.resolved_at, d.reason
FROM poison p
LEFT JOIN LATERAL (
    SELECT d.reason FROM poison_decision d
    WHERE d.projection = p.projection AND d.partition = p.partition AND d.position = p.position
        AND d.decision = p.resolution
    ORDER BY d.id DESC LIMIT 1) AS d ON true
WHERE $1 OR p.resolution IS DISTINCT FROM 'retried'
ORDER BY p.resolution IS NOT NULL, p.resolution DESC, p.partition, p.position, p.projection
