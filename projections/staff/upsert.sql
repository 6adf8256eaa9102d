-- Writes the rows of a batch: parallel arrays, and documents as texts with a separator that JSON never holds unescaped.
INSERT INTO staff (
    organization_id, is_sandbox, id, version, facility_ids, is_active, employment_type, hourly_rate, created_at,
    updated_at, last_name_key, specialty_key, skill_keys, search, doc, erased, lacks_event)
SELECT u.organization_id, u.is_sandbox, u.id, u.version, u.facility_ids::bigint[], u.is_active, u.employment_type,
       u.hourly_rate, u.created_at, u.updated_at, u.last_name_key, u.specialty_key, u.skill_keys::text[], u.search,
       u.doc, u.erased, u.lacks_event
FROM unnest($1::bigint[], $2::boolean[], $3::bigint[], $4::bigint[], $5::text[], $6::boolean[], $7::text[],
            $8::bigint[],
            $9::timestamptz[], $10::timestamptz[], $11::text[], $12::text[], $13::text[], $14::text[],
            string_to_array($15, E'\x1e'), $16::boolean[], $17::boolean[])
    AS u(organization_id, is_sandbox, id, version, facility_ids, is_active, employment_type, hourly_rate, created_at,
         updated_at, last_name_key, specialty_key, skill_keys, search, doc, erased, lacks_event)
ON CONFLICT (organization_id, is_sandbox, id) DO UPDATE SET
    version = excluded.version, facility_ids = excluded.facility_ids, is_active = excluded.is_active,
    employment_type = excluded.employment_type, hourly_rate = excluded.hourly_rate,
    created_at = excluded.created_at, updated_at = excluded.updated_at, last_name_key = excluded.last_name_key,
    specialty_key = excluded.specialty_key, skill_keys = excluded.skill_keys, search = excluded.search,
    doc = excluded.doc, erased = staff.erased OR excluded.erased,
    lacks_event = staff.lacks_event OR excluded.lacks_event
