-- Marks an event that stops a projection as skipped, and records who decided it, and why.
WITH skipped AS (
    UPDATE poison
    SET resolution = 'skipped', resolved_at = now(), resolved_by = $4
    WHERE projection = $1 AND partition = $2 AND position = $3 AND resolution IS NULL
    RETURNING projection, partition, position, error
)
INSERT INTO poison_decision (projection, partition, position, decision, decided_by, reason, error)
SELECT projection, partition, position, 'skipped', $4, $5, error FROM skipped
