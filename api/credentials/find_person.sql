-- The user account $1 of organization $2, the organization, and whether either was deactivated, whatever read models say.
SELECT u.doc, o.doc,
    (SELECT coalesce(bool_or(NOT a.active), false) FROM auth.account_standing a
     WHERE a.organization_id = u.organization_id AND a.user_id IN (0, u.id))
FROM read.user_account u
JOIN read.organization o ON o.organization_id = u.organization_id
WHERE u.id = $1 AND u.organization_id = $2
