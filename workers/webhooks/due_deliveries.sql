-- What is due by $4 of subscriptions $1 that process $3 has, of each at most as many as $2 says. Of one whose last attempt failed
-- retries come first: few attempts are made to it, and those of an event are due by their schedule.
SELECT d.id, d.organization_id, d.webhook_id, d.event_id, d.event_type, d.body_at, d.trigger, d.attempt, s.version
FROM unnest($1::bigint[], $2::int[]) AS lane(webhook_id, room)
JOIN reactor.webhook_queue q ON q.webhook_id = lane.webhook_id AND q.owner = $3 AND q.leased_until > now()
JOIN reactor.webhook_subscription s ON s.webhook_id = lane.webhook_id
CROSS JOIN LATERAL (
    (SELECT * FROM reactor.webhook_delivery d
     WHERE q.consecutive_failures > 0 AND d.webhook_id = lane.webhook_id AND d.due_at <= $4::timestamptz AND d.attempt > 1
     ORDER BY d.due_at, d.id
     LIMIT lane.room)
    UNION ALL
    (SELECT * FROM reactor.webhook_delivery d
     WHERE d.webhook_id = lane.webhook_id AND d.due_at <= $4::timestamptz AND NOT (q.consecutive_failures > 0 AND d.attempt > 1)
     ORDER BY d.due_at, d.id
     LIMIT lane.room)
    LIMIT lane.room
) AS d
WHERE NOT EXISTS (SELECT FROM reactor.pause WHERE name = 'webhooks')
