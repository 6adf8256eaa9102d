-- The live tables are the shadows from here on, and stand where these do.
INSERT INTO projection.checkpoint AS live (projection, partition, position, revision)
SELECT projection, partition, position, revision FROM rebuild.checkpoint WHERE projection = ANY ($1::text[])
ON CONFLICT (partition, projection) DO UPDATE
SET position = excluded.position, revision = excluded.revision, generation = live.generation + 1, moved_at = now()
