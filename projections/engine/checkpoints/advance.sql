-- Moves checkpoints from $2 to $3, unless another process did or a rebuild put other rows there since they were read; the
-- caller compares the number of rows.
UPDATE checkpoint
SET position = $3, moved_at = now()
FROM unnest($4::text[], $5::bigint[]) AS known(projection, generation)
WHERE checkpoint.partition = $1 AND checkpoint.position = $2 AND checkpoint.projection = known.projection
    AND checkpoint.generation = known.generation
