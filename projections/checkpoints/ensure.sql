-- New projections begin before the first event.
INSERT INTO checkpoint (projection, partition, position, revision)
SELECT u.projection, $1, -1, u.revision
FROM unnest($2::text[], $3::int[]) AS u(projection, revision)
ON CONFLICT DO NOTHING
