-- Adds the rows of $1 open batches to the totals of their hours and days, and closes the batches. Whoever does so at the same moment
-- takes the totals' rows in the same order, so that no two wait for each other.
WITH taken AS MATERIALIZED (
    DELETE FROM usage.open_batch WHERE id = ANY (ARRAY(
        SELECT id FROM usage.open_batch ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED))
    RETURNING id, first_at, last_at
),
rolled AS MATERIALIZED (
    SELECT c.organization_id, p.period, date_trunc(p.period, c.occurred_at, 'UTC') AS starts_at, c.facility_id, c.key_id,
           c.channel, c.tool, c.agent, c.status_code, c.latency_ms, c.occurred_at
    FROM taken b
    JOIN usage.call c ON c.batch_id = b.id AND c.occurred_at BETWEEN b.first_at AND b.last_at
    CROSS JOIN (VALUES ('hour'), ('day')) AS p(period)
    WHERE NOT c.is_sandbox
),
totals AS (
    INSERT INTO usage.total AS t (organization_id, period, starts_at, facility_id, key_id, channel, tool, agent, calls,
                                  errors, latency_ms, last_at)
    SELECT organization_id, period, starts_at, facility_id, key_id, channel, tool, agent, count(*),
           count(*) FILTER (WHERE status_code >= 400), sum(latency_ms), max(occurred_at)
    FROM rolled
    GROUP BY 1, 2, 3, 4, 5, 6, 7, 8
    ORDER BY 1, 2, 3, 4, 5, 6, 7, 8
    ON CONFLICT (organization_id, period, starts_at, facility_id, key_id, channel, tool, agent) DO UPDATE
    SET calls = t.calls + excluded.calls, errors = t.errors + excluded.errors,
        latency_ms = t.latency_ms + excluded.latency_ms, last_at = greatest(t.last_at, excluded.last_at)
),
latencies AS (
    INSERT INTO usage.latency AS l (organization_id, period, tool, channel, starts_at, facility_id, bucket, calls)
    SELECT r.organization_id, r.period, g.tool, g.channel, r.starts_at, r.facility_id,
           usage.latency_bucket(r.latency_ms) AS bucket, count(*)
    FROM rolled r
    CROSS JOIN LATERAL (VALUES (r.tool, r.channel), ('', '')) AS g(tool, channel)
    GROUP BY 1, 2, 3, 4, 5, 6, 7
    ORDER BY 1, 2, 3, 4, 5, 6, 7
    ON CONFLICT (organization_id, period, tool, channel, starts_at, facility_id, bucket) DO UPDATE
    SET calls = l.calls + excluded.calls
)
SELECT count(*) FROM taken
