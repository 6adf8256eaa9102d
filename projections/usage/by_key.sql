SELECT g.*, k.doc::json ->> 'name' AS name, k.doc::json ->> 'prefix' AS prefix, k.doc::json ->> 'type' AS type
FROM (
    SELECT key_id, sum(calls)::bigint AS calls, sum(timed)::bigint AS timed, sum(latency_ms)::bigint AS latency_ms,
           sum(errors)::bigint AS errors, sum(outcomes)::bigint AS outcomes, max(last_at) AS last_at
    FROM part
    GROUP BY 1
    ORDER BY calls DESC, key_id
    LIMIT 500) AS g
LEFT JOIN LATERAL (SELECT doc FROM read.api_key k WHERE k.id = g.key_id LIMIT 1) AS k ON true
ORDER BY g.calls DESC, g.key_id
