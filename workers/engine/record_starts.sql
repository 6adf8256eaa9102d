-- Reactors ($1, of revisions $2) at partitions ($3) fold all there is, and act on events past $4.
INSERT INTO reactor.checkpoint (projection, partition, position, revision, acts_after)
SELECT u.projection, u.partition, -1, u.revision, u.acts_after
FROM unnest($1::text[], $2::int[], $3::int[], $4::bigint[]) AS u(projection, revision, partition, acts_after)
ON CONFLICT DO NOTHING
