-- New projections begin before the first event that matters to them.
INSERT INTO checkpoint (projection, partition, position, revision)
SELECT u.projection, $1, u.position, u.revision
FROM unnest($2::text[], $3::bigint[], $4::int[]) AS u(projection, position, revision)
ON CONFLICT DO NOTHING
