-- Subscriptions $1 of organizations $2 have something that is due now. In the order of their ids, as all who lock them. What is due
-- already is locked and not written.
INSERT INTO reactor.webhook_queue (webhook_id, organization_id, next_due)
SELECT u.webhook_id, u.organization_id, now()
FROM unnest($1::bigint[], $2::bigint[]) AS u(webhook_id, organization_id)
ORDER BY u.webhook_id
ON CONFLICT (webhook_id) DO UPDATE SET next_due = now() WHERE webhook_queue.next_due IS NULL OR webhook_queue.next_due > now()
