-- The last uses of keys: organization ($1), key ($2), bound user ($3; 0: nobody), time ($4), address ($5). Rows are written in one
-- order, so that processes don't deadlock. Of a user whose key was destroyed nothing is written, for an address is personal.
INSERT INTO auth.api_key_use AS u (organization_id, key_id, user_id, used_at, address)
SELECT t.organization_id, t.key_id, t.user_id, t.used_at, t.address
FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::timestamptz[], $5::text[])
    AS t(organization_id, key_id, user_id, used_at, address)
WHERE NOT EXISTS (SELECT FROM vault.person_key p WHERE p.person = 'user/' || t.user_id AND p.destroyed_at IS NOT NULL)
ORDER BY t.organization_id, t.key_id
ON CONFLICT (organization_id, key_id) DO UPDATE SET used_at = excluded.used_at, address = excluded.address
WHERE u.used_at < excluded.used_at
