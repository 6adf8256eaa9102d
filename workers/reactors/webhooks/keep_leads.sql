-- Leads $1 of organizations $2, sealed $3.
INSERT INTO reactor.webhook_lead (lead_id, organization_id, sealed)
SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bytea[])
ON CONFLICT (lead_id) DO UPDATE SET sealed = excluded.sealed
