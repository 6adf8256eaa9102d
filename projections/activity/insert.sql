-- Writes a batch's items.
INSERT INTO activity (
    organization_id, facility_id, is_sandbox, id, action, resource, user_id, created_at, facility_ids, key_id)
SELECT u.organization_id, u.facility_id, u.is_sandbox, u.id, u.action, u.resource, u.user_id, u.created_at,
       u.facility_ids::bigint[], u.key_id
FROM unnest($1::bigint[], $2::bigint[], $3::boolean[], $4::bigint[], $5::text[], $6::text[], $7::bigint[],
            $8::timestamptz[], $9::text[], $10::bigint[])
    AS u(organization_id, facility_id, is_sandbox, id, action, resource, user_id, created_at, facility_ids, key_id)
