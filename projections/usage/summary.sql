SELECT coalesce(sum(calls), 0)::bigint AS calls, count(DISTINCT key_id) FILTER (WHERE key_id <> 0 AND calls > 0) AS keys,
       coalesce(sum(timed), 0)::bigint AS timed, coalesce(sum(latency_ms), 0)::bigint AS latency_ms,
       coalesce(sum(errors), 0)::bigint AS errors, coalesce(sum(outcomes), 0)::bigint AS outcomes,
       coalesce((SELECT ms FROM p95), 0) AS p95
FROM part
