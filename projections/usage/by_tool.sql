SELECT g.*, coalesce(p95.ms, 0) AS p95
FROM (
    SELECT tool, channel, sum(calls)::bigint AS calls, sum(timed)::bigint AS timed, sum(latency_ms)::bigint AS latency_ms,
           sum(errors)::bigint AS errors, sum(outcomes)::bigint AS outcomes
    FROM part
    GROUP BY 1, 2
    ORDER BY calls DESC, tool, channel
    LIMIT 500) AS g
LEFT JOIN p95 USING (tool, channel)
ORDER BY g.calls DESC, g.tool, g.channel
