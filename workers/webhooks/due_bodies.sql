-- The bodies of events $1, which happened at $2.
SELECT b.event_id, b.correlation_id, b.person, b.body
FROM unnest($1::uuid[], $2::timestamptz[]) AS wanted(event_id, at)
CROSS JOIN LATERAL (
    SELECT * FROM ops.webhook_body b WHERE b.event_id = wanted.event_id AND b.at = wanted.at LIMIT 1
) AS b
