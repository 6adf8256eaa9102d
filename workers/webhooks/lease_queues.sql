-- Takes subscriptions with something due by $1 for process $2, at most $3: its share, those whose ids leave $5 by $4, and any
-- that waited for a second, for whoever should have taken them may be dead.
WITH due AS MATERIALIZED (
    SELECT q.webhook_id FROM reactor.webhook_queue q
    WHERE q.next_due <= $1::timestamptz AND q.leased_until < now()
        AND (q.webhook_id % $4::int = $5::int OR q.next_due < $1::timestamptz - interval '1 second')
        AND NOT EXISTS (SELECT FROM reactor.pause WHERE name = 'webhooks')
    ORDER BY q.next_due LIMIT $3::int FOR UPDATE SKIP LOCKED
)
UPDATE reactor.webhook_queue q
SET owner = $2, leased_until = now() + $6::int * interval '1 second'
FROM due WHERE q.webhook_id = due.webhook_id
RETURNING q.webhook_id, q.consecutive_failures
