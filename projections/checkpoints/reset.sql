-- Back to the beginning.
INSERT INTO projection.checkpoint (projection, partition, position, revision)
SELECT u.projection, part, -1, u.revision
FROM unnest($1::text[], $2::int[]) AS u(projection, revision), generate_series(0, $3::int - 1) AS part
ON CONFLICT (partition, projection) DO UPDATE
SET position = -1, revision = excluded.revision, moved_at = now()
