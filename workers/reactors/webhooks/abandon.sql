-- What is still to be sent to subscriptions $1 is not; what somebody asked for, where $3 says so. Deliveries that had their last attempt are recorded as such already.
WITH gone AS (
    DELETE FROM reactor.webhook_delivery WHERE webhook_id = ANY ($1::bigint[]) AND (trigger <> 'manual' OR $3::boolean)
    RETURNING *
)
INSERT INTO ops.webhook_attempt (id, organization_id, webhook_id, event_id, event_type, body_at, attempt, trigger, status)
SELECT id, organization_id, webhook_id, event_id, event_type, body_at, attempt, trigger, 'abandoned'
FROM gone WHERE attempt <= $2::int
