-- Records what an operator decided of an event that stops a projection.
UPDATE poison
SET resolution = $4, resolved_at = now(), resolved_by = $5
WHERE projection = $1 AND partition = $2 AND position = $3 AND resolution IS NULL
