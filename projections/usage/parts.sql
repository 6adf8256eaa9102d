-- What usage counts of $1 (facilities $2) since $3: totals of hours from $4 and of days from $5, rows before $4, rows that are
-- not rolled up yet, and markers, each of which is a row of its own where its request's has not come.
WITH mark AS MATERIALIZED (
    SELECT m.* FROM usage.seen_marker m
    WHERE /*organization*/ m.organization_id = $1 AND /*end organization*/
        ($2::bigint[] IS NULL OR m.facility_id = ANY ($2))
        AND m.marked_at >= $3::timestamptz - interval '1 hour' AND m.occurred_at >= $3
),
part AS MATERIALIZED (
    SELECT t.starts_at, t.key_id, t.channel, t.tool, t.agent, t.calls, t.calls AS timed, t.errors, t.latency_ms, t.last_at,
           0::bigint AS outcomes
    FROM usage.seen_total t
    WHERE /*organization*/ t.organization_id = $1 AND /*end organization*/
        ($2::bigint[] IS NULL OR t.facility_id = ANY ($2))
        AND t.period = 'hour' AND t.starts_at >= $4::timestamptz AND t.starts_at < $5::timestamptz
    UNION ALL
    SELECT t.starts_at, t.key_id, t.channel, t.tool, t.agent, t.calls, t.calls, t.errors, t.latency_ms, t.last_at, 0
    FROM usage.seen_total t
    WHERE /*organization*/ t.organization_id = $1 AND /*end organization*/
        ($2::bigint[] IS NULL OR t.facility_id = ANY ($2))
        AND t.period = 'day' AND t.starts_at >= $5
    UNION ALL
    SELECT c.occurred_at, c.key_id, c.channel, c.tool, c.agent, 1, 1, (c.status_code >= 400)::int, c.latency_ms,
           c.occurred_at, 0
    FROM usage.seen_call c
    WHERE /*organization*/ c.organization_id = $1 AND /*end organization*/
        ($2::bigint[] IS NULL OR c.facility_id = ANY ($2))
        AND c.occurred_at >= $3 AND c.occurred_at < $4
        AND NOT EXISTS (SELECT FROM usage.open_batch b WHERE b.id = c.batch_id)
    UNION ALL
    SELECT c.occurred_at, c.key_id, c.channel, c.tool, c.agent, 1, 1, (c.status_code >= 400)::int, c.latency_ms,
           c.occurred_at, 0
    FROM usage.open_batch b
    JOIN usage.seen_call c ON c.batch_id = b.id AND c.occurred_at BETWEEN b.first_at AND b.last_at
    WHERE /*organization*/ c.organization_id = $1 AND /*end organization*/
        ($2::bigint[] IS NULL OR c.facility_id = ANY ($2)) AND c.occurred_at >= $3
    UNION ALL
    SELECT m.occurred_at, m.key_id, m.channel, m.tool, m.agent, (NOT m.is_answered)::int, 0, 0, 0, m.occurred_at, 1
    FROM mark m
)
