-- Origins of requests: organization ($1), request ($2), user ($3; 0: nobody), address ($4), user agent ($5), time ($6). Of a user
-- whose key was destroyed nothing is written, for both are personal.
INSERT INTO auth.request_origin (organization_id, request_id, user_id, address, agent, at)
SELECT t.organization_id, t.request_id, t.user_id, t.address, t.agent, t.at
FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::timestamptz[])
    AS t(organization_id, request_id, user_id, address, agent, at)
WHERE NOT EXISTS (SELECT FROM vault.person_key p WHERE p.person = 'user/' || t.user_id AND p.destroyed_at IS NOT NULL)
ORDER BY t.organization_id, t.request_id
ON CONFLICT DO NOTHING
