-- Has an event that stops a projection folded again, and records who decided it.
WITH retried AS (
    UPDATE poison
    SET resolution = 'retried', resolved_at = now(), resolved_by = $4
    WHERE projection = $1 AND partition = $2 AND position = $3 AND resolution IS NULL
    RETURNING projection, partition, position, error
)
INSERT INTO poison_decision (projection, partition, position, decision, decided_by, reason, error)
SELECT projection, partition, position, 'retried', $4, '', error FROM retried
