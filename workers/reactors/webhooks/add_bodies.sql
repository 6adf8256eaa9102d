-- What subscribers of organizations are sent of events.
INSERT INTO ops.webhook_body (event_id, at, organization_id, facility_ids, event_type, correlation_id, person, body)
SELECT u.event_id, u.at, u.organization_id, u.facility_ids::bigint[], u.event_type, u.correlation_id, NULLIF(u.person, ''), u.body
FROM unnest($1::uuid[], $2::timestamptz[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bytea[])
    AS u(event_id, at, organization_id, facility_ids, event_type, correlation_id, person, body)
ON CONFLICT (event_id, at) DO NOTHING
