-- Writes the rows of a batch: parallel arrays, and documents as texts with a separator that JSON never holds unescaped.
INSERT INTO organization (
    organization_id, is_sandbox, id, version, doc, lacks_event)
SELECT u.organization_id, u.is_sandbox, u.id, u.version, u.doc, u.lacks_event
FROM unnest($1::bigint[], $2::boolean[], $3::bigint[], $4::bigint[], string_to_array($5, E'\x1e'), $6::boolean[])
    AS u(organization_id, is_sandbox, id, version, doc, lacks_event)
ON CONFLICT (organization_id, is_sandbox, id) DO UPDATE SET
    version = excluded.version, doc = excluded.doc,
    lacks_event = organization.lacks_event OR excluded.lacks_event
