,
-- Labels of agents' calls are their names, of which a row has 64 bytes. Whoever reads several organizations is told no ids.
agent_name AS MATERIALIZED (
    SELECT t.id, replace(t.doc, '\u0000', '\ufffd')::json ->> 'name' AS name
    FROM read.agent t
    WHERE /*tenant*/ t.organization_id = $1 AND NOT t.is_sandbox /*end tenant*/
        AND EXISTS (SELECT FROM part WHERE channel = 'agent')
)
SELECT g.*, CASE WHEN g.of_runs THEN (
           SELECT CASE WHEN count(*) = 1 THEN min(n.id) END
           FROM agent_name n
           WHERE n.name = g.agent OR (octet_length(g.agent) > 60 AND starts_with(n.name, g.agent))) END AS agent_id
FROM (
    SELECT agent, channel = 'agent' AS of_runs, sum(calls)::bigint AS calls, sum(timed)::bigint AS timed,
           sum(latency_ms)::bigint AS latency_ms, sum(errors)::bigint AS errors, sum(outcomes)::bigint AS outcomes,
           max(last_at) AS last_at
    FROM part
    GROUP BY 1, 2
    ORDER BY calls DESC, agent, of_runs
    LIMIT 500) AS g
ORDER BY g.calls DESC, g.agent, g.of_runs
