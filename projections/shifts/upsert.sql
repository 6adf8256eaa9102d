-- Writes the rows of a batch: parallel arrays, and documents as texts with a separator that JSON never holds unescaped.
INSERT INTO shift (
    organization_id, is_sandbox, id, version, facility_id, deleted, status, urgency_rank, date, starts_at, ends_at,
    created_at, updated_at, staff_ids, department_key, specialty_key, search, doc, assignments, lacks_event)
SELECT u.organization_id, u.is_sandbox, u.id, u.version, u.facility_id, u.deleted, u.status, u.urgency_rank, u.date,
       u.starts_at, u.ends_at, u.created_at, u.updated_at, u.staff_ids::bigint[], u.department_key, u.specialty_key,
       u.search, u.doc, u.assignments, u.lacks_event
FROM unnest($1::bigint[], $2::boolean[], $3::bigint[], $4::bigint[], $5::bigint[], $6::boolean[], $7::text[],
            $8::smallint[], $9::date[], $10::timestamptz[], $11::timestamptz[], $12::timestamptz[], $13::timestamptz[],
            $14::text[], $15::text[], $16::text[], $17::text[], string_to_array($18, E'\x1e'),
            string_to_array($19, E'\x1e'), $20::boolean[])
    AS u(organization_id, is_sandbox, id, version, facility_id, deleted, status, urgency_rank, date, starts_at, ends_at,
         created_at, updated_at, staff_ids, department_key, specialty_key, search, doc, assignments, lacks_event)
ON CONFLICT (organization_id, is_sandbox, id) DO UPDATE SET
    version = excluded.version, facility_id = excluded.facility_id, deleted = excluded.deleted,
    status = excluded.status, urgency_rank = excluded.urgency_rank, date = excluded.date,
    starts_at = excluded.starts_at, ends_at = excluded.ends_at, created_at = excluded.created_at,
    updated_at = excluded.updated_at, staff_ids = excluded.staff_ids, department_key = excluded.department_key,
    specialty_key = excluded.specialty_key, search = excluded.search, doc = excluded.doc,
    assignments = excluded.assignments,
    lacks_event = shift.lacks_event OR excluded.lacks_event
