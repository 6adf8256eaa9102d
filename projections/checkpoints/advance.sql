-- Moves checkpoints from $2 to $3, unless another process did; the caller compares the number of rows.
UPDATE projection.checkpoint
SET position = $3, moved_at = now()
WHERE partition = $1 AND position = $2 AND projection = ANY ($4::text[])
