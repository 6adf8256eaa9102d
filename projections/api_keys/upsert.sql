-- Writes the rows of a batch: parallel arrays, and documents as texts with a separator that JSON never holds unescaped.
INSERT INTO api_key (
    organization_id, is_sandbox, id, version, facility_id, doc, lacks_event)
SELECT u.organization_id, u.is_sandbox, u.id, u.version, u.facility_id, u.doc, u.lacks_event
FROM unnest($1::bigint[], $2::boolean[], $3::bigint[], $4::bigint[], $5::bigint[], string_to_array($6, E'\x1e'),
            $7::boolean[])
    AS u(organization_id, is_sandbox, id, version, facility_id, doc, lacks_event)
ON CONFLICT (organization_id, is_sandbox, id) DO UPDATE SET
    version = excluded.version, facility_id = excluded.facility_id, doc = excluded.doc,
    lacks_event = api_key.lacks_event OR excluded.lacks_event
