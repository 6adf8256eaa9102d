-- The user account $1 of organization $2, the organization, whether either was deactivated, whatever read models say, and what
-- the log says of the user's rights past the read model.
SELECT u.doc AS account, o.doc AS organization,
    (SELECT coalesce(bool_or(NOT a.active), false) FROM auth.account_standing a
     WHERE a.organization_id = u.organization_id AND a.user_id IN (0, u.id)) AS inactive,
    (SELECT a.value FROM auth.account_right a
     WHERE a.organization_id = u.organization_id AND a.user_id = u.id AND a.name = 'role' AND a.number > u.version) AS role,
    (SELECT a.value FROM auth.account_right a
     WHERE a.organization_id = u.organization_id AND a.user_id = u.id AND a.name = 'facilityIds'
         AND a.number > u.version)::bigint[] AS facility_ids,
    (SELECT a.value FROM auth.account_right a
     WHERE a.organization_id = u.organization_id AND a.user_id = u.id AND a.name = 'staffId' AND a.number > u.version) AS staff_id
FROM read.user_account u
JOIN read.organization o ON o.organization_id = u.organization_id
WHERE u.id = $1 AND u.organization_id = $2
