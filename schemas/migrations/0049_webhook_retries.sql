-- To a receiver that fails, retries that are due go before first attempts.
CREATE INDEX webhook_delivery_retries ON reactor.webhook_delivery (webhook_id, due_at, id) WHERE attempt > 1;

-- The newest attempts that were made are found past those that were abandoned, which may be very many.
CREATE INDEX webhook_attempt_made ON ops.webhook_attempt (webhook_id, id) WHERE attempted_at IS NOT NULL;
