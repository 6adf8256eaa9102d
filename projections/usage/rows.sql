-- Rows of $1 (facilities $2) since $3, newest first: $4 at most. A marker whose request's row has not come is one.
SELECT r.*, k.doc::json ->> 'name' AS key_name
FROM (
    SELECT c.occurred_at, c.request_id, c.channel, c.tool, c.status_code, c.error_code, c.latency_ms, c.key_id, c.agent,
           c.facility_id, coalesce(m.outcome, '') AS outcome
    FROM usage.seen_call c
    LEFT JOIN usage.seen_outcome m ON m.request_id = c.request_id
    WHERE /*organization*/ c.organization_id = $1 AND /*end organization*/
        ($2::bigint[] IS NULL OR c.facility_id = ANY ($2)) AND c.occurred_at >= $3::timestamptz
    UNION ALL
    SELECT m.occurred_at, m.request_id, m.channel, m.tool, 200, '', 0, m.key_id, m.agent, m.facility_id, m.outcome
    FROM usage.seen_marker m
    WHERE /*organization*/ m.organization_id = $1 AND /*end organization*/
        ($2::bigint[] IS NULL OR m.facility_id = ANY ($2)) AND NOT m.is_answered AND m.occurred_at >= $3
    ORDER BY 1 DESC, 2 DESC
    LIMIT $4
) AS r
LEFT JOIN LATERAL (SELECT doc FROM read.api_key k WHERE k.id = r.key_id LIMIT 1) AS k ON true
ORDER BY r.occurred_at DESC, r.request_id DESC
