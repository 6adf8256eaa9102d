-- The keys behind tokens' digests ($1), with user and organization, by place among them. A sub-query for each: see
-- core::by_index.
SELECT t.place, f.key, f.account, f.organization, f.revoked, f.valid_until, f.secret_id, f.inactive, f.role,
    f.facility_ids, f.staff_id
FROM unnest($1::bytea[]) WITH ORDINALITY AS t(digest, place)
CROSS JOIN LATERAL (
    SELECT k.doc AS key, u.doc AS account, o.doc AS organization, s.revoked_at IS NOT NULL AS revoked,
        s.valid_until, s.secret_id,
        (SELECT coalesce(bool_or(NOT a.active), false) FROM auth.account_standing a
         WHERE a.organization_id = s.organization_id
             AND a.user_id IN (0, coalesce(k.user_id, 0))) AS inactive,
        (SELECT a.value FROM auth.account_right a
         WHERE a.organization_id = u.organization_id AND a.user_id = u.id AND a.name = 'role' AND a.number > u.version) AS role,
        (SELECT a.value FROM auth.account_right a
         WHERE a.organization_id = u.organization_id AND a.user_id = u.id AND a.name = 'facilityIds'
             AND a.number > u.version)::bigint[] AS facility_ids,
        (SELECT a.value FROM auth.account_right a
         WHERE a.organization_id = u.organization_id AND a.user_id = u.id AND a.name = 'staffId' AND a.number > u.version) AS staff_id
    FROM auth.api_key_secret s
    LEFT JOIN LATERAL (SELECT * FROM read.api_key WHERE id = s.key_id OFFSET 0) AS k ON k.organization_id = s.organization_id
    LEFT JOIN read.user_account u ON u.organization_id = s.organization_id AND u.id = k.user_id
    LEFT JOIN read.organization o ON o.organization_id = s.organization_id
    WHERE s.digest = t.digest
    OFFSET 0
) AS f
