-- Moves a checkpoint over the event after it, unless it has moved.
UPDATE checkpoint
SET position = $3, moved_at = now()
WHERE projection = $1 AND partition = $2 AND position = $3 - 1
