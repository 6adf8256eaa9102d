-- How queues of process $1 stand after attempts: subscriptions $3 with $4 failures in a row, last attempts at $5, and whether
-- they are given back ($6) unless something is due by $2 and may be sent. One that is kept stays due. Rows are locked before, in the order of their ids, so that this
-- statement sees all deliveries that were added by then. Gives those that were given back.
WITH state AS (
    SELECT u.webhook_id, u.failures, u.delivered_at, due.next_due,
           u.release AND (due.next_due IS NULL OR due.next_due > $2::timestamptz
                          OR EXISTS (SELECT FROM reactor.pause WHERE name = 'webhooks')) AS given_back
    FROM unnest($3::bigint[], $4::bigint[], $5::timestamptz[], $6::boolean[]) AS u(webhook_id, failures, delivered_at, release)
    CROSS JOIN LATERAL (
        SELECT min(d.due_at) AS next_due FROM reactor.webhook_delivery d WHERE d.webhook_id = u.webhook_id
    ) AS due
), settled AS (
    UPDATE reactor.webhook_queue q
    SET consecutive_failures = s.failures, last_delivery_at = coalesce(s.delivered_at, q.last_delivery_at),
        next_due = CASE WHEN s.given_back THEN s.next_due ELSE q.next_due END,
        owner = CASE WHEN s.given_back THEN '' ELSE q.owner END,
        leased_until = CASE WHEN s.given_back THEN '-infinity' ELSE q.leased_until END
    FROM state s
    WHERE q.webhook_id = s.webhook_id AND q.owner = $1
    RETURNING q.webhook_id, q.owner
)
SELECT webhook_id FROM settled WHERE owner = ''
