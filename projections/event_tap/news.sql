-- For each place (organization $1, position $2, partition $3) of the live data or the sandbox ($4) whether the table has events
-- after it, and how far it has come there.
SELECT k.place, c.position, EXISTS (
    SELECT FROM read.event_tap t
    WHERE t.organization_id = k.organization_id AND t.is_sandbox = $4::boolean
        AND t.id > k.position * 1024 + k.partition) AS any
FROM unnest($1::bigint[], $2::bigint[], $3::int[]) WITH ORDINALITY AS k(organization_id, position, partition, place)
JOIN projection.checkpoint c ON c.partition = k.partition AND c.projection = 'event_tap'
