-- Records an event that could not be folded.
INSERT INTO poison AS p (projection, partition, position, error)
VALUES ($1, $2, $3, $4)
ON CONFLICT (partition, projection, position) DO UPDATE
SET error = excluded.error, attempts = p.attempts + 1, last_at = now(), resolution = NULL
