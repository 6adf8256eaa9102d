-- What is looked for in the billing outbox is found however much of it was sent: an organization's rows, and what is kept no
-- longer.
CREATE INDEX billing_outbox_of_organization ON ops.billing_outbox (organization_id, id);
CREATE INDEX billing_outbox_by_age ON ops.billing_outbox (created_at);
