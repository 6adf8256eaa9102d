-- What was done through connections to apps, a row for each event that tells of it.
INSERT INTO app_execution (organization_id, is_sandbox, id, version, connection_id, facility_id, app, action, status, created_at,
                           doc, arguments, result, error)
SELECT u.organization_id, u.is_sandbox, u.id, u.version, u.connection_id, u.facility_id, u.app, u.action, u.status, u.created_at,
       u.doc, u.arguments, u.result, u.error
FROM unnest($1::bigint[], $2::boolean[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::text[], $8::text[], $9::text[],
            $10::timestamptz[], string_to_array($11, E'\x1e'), string_to_array($12, E'\x1e'), string_to_array($13, E'\x1e'), $14::text[])
    AS u(organization_id, is_sandbox, id, version, connection_id, facility_id, app, action, status, created_at,
         doc, arguments, result, error)
