-- Moves a checkpoint over the event that it stands before. The caller compares the number of rows.
UPDATE checkpoint
SET position = $3, moved_at = now()
WHERE projection = $1 AND partition = $2 AND position = $3 - 1
