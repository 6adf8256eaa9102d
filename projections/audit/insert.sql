-- Writes a batch's entries.
INSERT INTO audit_entry (
    organization_id, facility_id, is_sandbox, id, action, resource, actor_id, request_id, created_at, doc, state)
SELECT u.organization_id, u.facility_id, u.is_sandbox, u.id, u.action, u.resource, u.actor_id, u.request_id, u.created_at,
       u.doc, NULLIF(u.state, 'null')
FROM unnest($1::bigint[], $2::bigint[], $3::boolean[], $4::bigint[], $5::text[], $6::text[], $7::bigint[], $8::text[],
            $9::timestamptz[], string_to_array($10, E'\x1e'), string_to_array($11, E'\x1e'))
    AS u(organization_id, facility_id, is_sandbox, id, action, resource, actor_id, request_id, created_at, doc, state)
