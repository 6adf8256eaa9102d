-- To a receiver that fails, retries that are due go before first attempts.
CREATE INDEX webhook_delivery_retries ON reactor.webhook_delivery (webhook_id, due_at, id) WHERE attempt > 1;
