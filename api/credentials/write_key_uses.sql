-- The last uses of keys: organization ($1), key ($2), bound user ($3; 0: nobody), time ($4), address ($5). Rows are written in one
-- order, so that processes don't deadlock. The address of a user who is not active any more may be one who is being erased.
INSERT INTO auth.api_key_use AS u (organization_id, key_id, user_id, used_at, address)
SELECT t.organization_id, t.key_id, t.user_id, t.used_at, t.address
FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::timestamptz[], $5::text[])
    AS t(organization_id, key_id, user_id, used_at, address)
WHERE NOT EXISTS (SELECT FROM auth.account_standing a
                  WHERE a.organization_id = t.organization_id AND a.user_id = t.user_id AND a.user_id <> 0 AND NOT a.active)
ORDER BY t.organization_id, t.key_id
ON CONFLICT (organization_id, key_id) DO UPDATE SET used_at = excluded.used_at, address = excluded.address
WHERE u.used_at < excluded.used_at
