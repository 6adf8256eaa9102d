-- Writes the rows of a batch: parallel arrays, and documents as texts with a separator that JSON never holds unescaped.
INSERT INTO facility (
    organization_id, is_sandbox, id, version, facility_id, is_active, timezone, created_at, updated_at, name_key,
    search, doc, lacks_event)
SELECT u.organization_id, u.is_sandbox, u.id, u.version, u.facility_id, u.is_active, u.timezone, u.created_at,
       u.updated_at, u.name_key, u.search, u.doc, u.lacks_event
FROM unnest($1::bigint[], $2::boolean[], $3::bigint[], $4::bigint[], $5::bigint[], $6::boolean[], $7::text[],
            $8::timestamptz[], $9::timestamptz[], $10::text[], $11::text[], string_to_array($12, E'\x1e'),
            $13::boolean[])
    AS u(organization_id, is_sandbox, id, version, facility_id, is_active, timezone, created_at, updated_at, name_key,
         search, doc, lacks_event)
ON CONFLICT (organization_id, is_sandbox, id) DO UPDATE SET
    version = excluded.version, facility_id = excluded.facility_id, is_active = excluded.is_active,
    timezone = excluded.timezone, created_at = excluded.created_at, updated_at = excluded.updated_at,
    name_key = excluded.name_key, search = excluded.search, doc = excluded.doc,
    lacks_event = facility.lacks_event OR excluded.lacks_event
