-- Links that were not mailed yet, and whom they are for, once the read model shows the address that they are made for. Who
-- was invited needs an invitation that holds: asking for another password is no way around its end.
SELECT l.id, l.purpose, l.organization_id, l.user_id, u.doc::jsonb ->> 'email' AS email, u.doc::jsonb ->> 'firstName' AS first_name
FROM auth.link l
JOIN read.user_account u ON u.organization_id = l.organization_id AND u.id = l.user_id
WHERE l.mailed_at IS NULL AND l.ends_at > now() AND l.moved_at IS NULL AND NOT u.erased AND u.version >= l.user_version
    AND CASE l.purpose WHEN 'reset' THEN u.status IN ('active', 'locked') ELSE u.status <> 'deactivated' END
ORDER BY l.created_at
LIMIT 100
