-- Subscriptions that count to the bound of an organization and of a creator.
CREATE INDEX webhook_standing ON read.webhook (organization_id, is_sandbox, id) WHERE NOT deleted;

-- What metrics count.
CREATE INDEX webhook_queue_failing ON reactor.webhook_queue (webhook_id) WHERE consecutive_failures > 0;
CREATE INDEX webhook_subscription_inactive ON reactor.webhook_subscription (webhook_id) WHERE NOT is_active;
