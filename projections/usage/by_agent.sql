SELECT agent, sum(calls)::bigint AS calls, sum(timed)::bigint AS timed, sum(latency_ms)::bigint AS latency_ms,
       sum(errors)::bigint AS errors, sum(outcomes)::bigint AS outcomes, max(last_at) AS last_at
FROM part
GROUP BY 1
ORDER BY calls DESC, agent
LIMIT 500
