-- Writes the rows of a batch: parallel arrays, and documents as texts with a separator that JSON never holds unescaped.
INSERT INTO user_account (
    organization_id, is_sandbox, id, version, name, email, doc, erased, lacks_event)
SELECT u.organization_id, u.is_sandbox, u.id, u.version, u.name, u.email, u.doc, u.erased, u.lacks_event
FROM unnest($1::bigint[], $2::boolean[], $3::bigint[], $4::bigint[], $5::text[], $6::text[],
            string_to_array($7, E'\x1e'), $8::boolean[], $9::boolean[])
    AS u(organization_id, is_sandbox, id, version, name, email, doc, erased, lacks_event)
ON CONFLICT (organization_id, is_sandbox, id) DO UPDATE SET
    version = excluded.version, name = excluded.name, email = excluded.email, doc = excluded.doc,
    erased = user_account.erased OR excluded.erased,
    lacks_event = user_account.lacks_event OR excluded.lacks_event
