-- The keys behind tokens' digests ($1), by place among them, with user and organization: without these documents where they
-- are the row versions that the caller knows ($2). A sub-query for each: see core::by_index.
SELECT t.place, f.versions, coalesce(f.versions = t.known, false) AS same,
    CASE WHEN f.versions = t.known THEN NULL ELSE f.key END AS key,
    CASE WHEN f.versions = t.known THEN NULL ELSE f.account END AS account,
    CASE WHEN f.versions = t.known THEN NULL ELSE f.organization END AS organization,
    f.revoked, f.valid_until, f.secret_id, f.inactive, f.role, f.facility_ids, f.staff_id
FROM unnest($1::bytea[], $2::text[]) WITH ORDINALITY AS t(digest, known, place)
CROSS JOIN LATERAL (
    SELECT k.doc AS key, u.doc AS account, o.doc AS organization, s.revoked_at IS NOT NULL AS revoked,
        s.valid_until, s.secret_id,
        (SELECT coalesce(bool_or(NOT a.active), false) FROM auth.account_standing a
         WHERE a.organization_id = s.organization_id
             AND a.user_id IN (0, coalesce(k.user_id, 0))) AS inactive,
        r.role, r.facility_ids::bigint[] AS facility_ids, r.staff_id,
        -- By the transactions that wrote the rows: a rebuild may mend a document and leave its version. None while the log
        -- says more of the user's rights than the row.
        CASE WHEN k.id IS NOT NULL AND num_nonnulls(r.role, r.facility_ids, r.staff_id) = 0
            THEN format('%s %s %s', k.written_by, u.xmin, o.xmin) END AS versions
    FROM auth.api_key_secret s
    LEFT JOIN LATERAL (SELECT *, xmin AS written_by FROM read.api_key WHERE id = s.key_id OFFSET 0) AS k ON k.organization_id = s.organization_id
    LEFT JOIN read.user_account u ON u.organization_id = s.organization_id AND u.id = k.user_id
    LEFT JOIN read.organization o ON o.organization_id = s.organization_id
    LEFT JOIN LATERAL (
        SELECT max(a.value) FILTER (WHERE a.name = 'role') AS role,
            max(a.value) FILTER (WHERE a.name = 'facilityIds') AS facility_ids,
            max(a.value) FILTER (WHERE a.name = 'staffId') AS staff_id
        FROM auth.account_right a
        WHERE a.organization_id = u.organization_id AND a.user_id = u.id AND a.number > u.version
    ) AS r ON true
    WHERE s.digest = t.digest
    OFFSET 0
) AS f
