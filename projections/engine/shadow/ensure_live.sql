-- Live projections that never ran stand before the first event.
INSERT INTO projection.checkpoint (projection, partition, position, revision)
SELECT u.projection, part, -1, u.revision
FROM unnest($1::text[], $2::int[]) AS u(projection, revision), generate_series(0, $3::int - 1) AS part
ON CONFLICT DO NOTHING
