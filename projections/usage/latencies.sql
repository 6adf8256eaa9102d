,
-- How many calls took how long, by tool or all together.
took AS (
    SELECT tool, channel, bucket, sum(calls) AS calls
    FROM (
        SELECT l.tool, l.channel, l.bucket, l.calls
        FROM usage.seen_latency l
        WHERE /*organization*/ l.organization_id = $1 AND /*end organization*/
            ($2::bigint[] IS NULL OR l.facility_id = ANY ($2)) AND /*of_tool*/
            AND l.period = 'hour' AND l.starts_at >= $4 AND l.starts_at < $5
        UNION ALL
        SELECT l.tool, l.channel, l.bucket, l.calls
        FROM usage.seen_latency l
        WHERE /*organization*/ l.organization_id = $1 AND /*end organization*/
            ($2::bigint[] IS NULL OR l.facility_id = ANY ($2)) AND /*of_tool*/
            AND l.period = 'day' AND l.starts_at >= $5
        UNION ALL
        SELECT /*tool*/, usage.latency_bucket(c.latency_ms), 1
        FROM usage.seen_call c
        WHERE /*organization*/ c.organization_id = $1 AND /*end organization*/
            ($2::bigint[] IS NULL OR c.facility_id = ANY ($2))
            AND c.occurred_at >= $3 AND c.occurred_at < $4
            AND NOT EXISTS (SELECT FROM usage.open_batch b WHERE b.id = c.batch_id)
        UNION ALL
        SELECT /*tool*/, usage.latency_bucket(c.latency_ms), 1
        FROM usage.open_batch b
        JOIN usage.seen_call c ON c.batch_id = b.id AND c.occurred_at BETWEEN b.first_at AND b.last_at
        WHERE /*organization*/ c.organization_id = $1 AND /*end organization*/
            ($2::bigint[] IS NULL OR c.facility_id = ANY ($2)) AND c.occurred_at >= $3
    ) AS each
    GROUP BY 1, 2, 3
),
-- The nearest rank: the upper edge of the bucket that the 95th of a hundred lies in.
p95 AS (
    SELECT tool, channel, usage.latency_edge(min(bucket)) AS ms
    FROM (
        SELECT tool, channel, bucket, sum(calls) OVER (PARTITION BY tool, channel ORDER BY bucket) AS up_to,
               sum(calls) OVER (PARTITION BY tool, channel) AS whole
        FROM took) AS ranked
    WHERE up_to >= ceil(0.95 * whole)
    GROUP BY 1, 2
)
