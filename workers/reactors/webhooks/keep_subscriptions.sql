-- Subscriptions $1 of organizations $2 at versions $3, active or not ($4), as JSON $5.
INSERT INTO reactor.webhook_subscription (webhook_id, organization_id, version, is_active, doc)
SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::boolean[], $5::text[])
ON CONFLICT (webhook_id) DO UPDATE
SET version = excluded.version, is_active = excluded.is_active, doc = excluded.doc
