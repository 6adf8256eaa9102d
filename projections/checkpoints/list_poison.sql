-- All events that ever stopped a projection, those that still do first.
SELECT projection, partition, position, error, attempts, first_at, last_at, resolution, resolved_by
FROM poison
ORDER BY resolution IS NOT NULL, last_at DESC, partition, projection, position
