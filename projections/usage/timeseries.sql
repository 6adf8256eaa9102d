SELECT date_trunc($6::text, starts_at, 'UTC') AS bucket, sum(calls)::bigint AS calls, sum(timed)::bigint AS timed,
       sum(latency_ms)::bigint AS latency_ms, sum(errors)::bigint AS errors, sum(outcomes)::bigint AS outcomes
FROM part
GROUP BY 1
