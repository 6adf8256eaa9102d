-- Deliveries of partition $1: of subscriptions $2 of organizations $3, of events $4 of types $5 that happened at $6. Each once.
INSERT INTO reactor.webhook_delivery (partition, webhook_id, organization_id, event_id, event_type, body_at, cause, trigger)
SELECT $1, u.webhook_id, u.organization_id, u.event_id, u.event_type, u.body_at, u.event_id, 'event'
FROM unnest($2::bigint[], $3::bigint[], $4::uuid[], $5::text[], $6::timestamptz[])
    AS u(webhook_id, organization_id, event_id, event_type, body_at)
ON CONFLICT (webhook_id, event_id, cause) DO NOTHING
