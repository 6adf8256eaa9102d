-- The live sessions behind digests ($1) of cookies and tokens, with user and organization as find_person has them, by place among
-- them. This database's clock says which has ended. A sub-query for each: see core::by_index.
SELECT t.place, f.session_id, f.kind, f.account, f.organization, f.inactive, f.role, f.facility_ids, f.staff_id
FROM unnest($1::bytea[]) WITH ORDINALITY AS t(digest, place)
CROSS JOIN LATERAL (
    SELECT s.id AS session_id, s.kind, u.doc AS account, o.doc AS organization,
        (SELECT coalesce(bool_or(NOT a.active), false) FROM auth.account_standing a
         WHERE a.organization_id = s.organization_id AND a.user_id IN (0, s.user_id)) AS inactive,
        (SELECT a.value FROM auth.account_right a
         WHERE a.organization_id = s.organization_id AND a.user_id = s.user_id AND a.name = 'role' AND a.number > u.version) AS role,
        (SELECT a.value FROM auth.account_right a
         WHERE a.organization_id = s.organization_id AND a.user_id = s.user_id AND a.name = 'facilityIds'
             AND a.number > u.version)::bigint[] AS facility_ids,
        (SELECT a.value FROM auth.account_right a
         WHERE a.organization_id = s.organization_id AND a.user_id = s.user_id AND a.name = 'staffId' AND a.number > u.version) AS staff_id
    FROM auth.session s
    JOIN read.user_account u ON u.organization_id = s.organization_id AND u.id = s.user_id
    JOIN read.organization o ON o.organization_id = s.organization_id
    WHERE s.digest = t.digest AND s.ends_at > now() AND (s.kind = 'jwt' OR s.last_seen_at > now() - interval '12 hours')
    OFFSET 0
) AS f
