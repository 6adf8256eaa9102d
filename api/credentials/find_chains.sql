-- The chains ($1) from which access tokens that end at $2 were issued, as far as they and the tokens hold by this database's clock,
-- with user and organization as find_person has them, by place among them. A sub-query for each: see core::by_index.
SELECT t.place, f.client_id, f.grant_id, f.client, f.client_name, f.client_document, f.scope, f.model_tier, f.account, f.organization, f.inactive, f.role, f.facility_ids, f.staff_id
FROM unnest($1::bigint[], $2::timestamptz[]) WITH ORDINALITY AS t(chain_id, ends_at, place)
CROSS JOIN LATERAL (
    SELECT c.client_id, c.grant_id, coalesce(k.id, 0) AS client, c.scope, u.doc AS account, o.doc AS organization,
        (SELECT (r.doc::json) ->> 'clientName' FROM read.oauth_client r WHERE r.id = k.id) AS client_name,
        (SELECT d.doc FROM auth.oauth_document d WHERE k.id IS NULL AND d.client_id = c.client_id) AS client_document,
        (SELECT (r.doc::json) ->> 'modelTier' FROM read.oauth_client r WHERE r.id = k.id) AS model_tier,
        (SELECT coalesce(bool_or(NOT a.active), false) FROM auth.account_standing a
         WHERE a.organization_id = c.organization_id AND a.user_id IN (0, c.user_id)) AS inactive,
        (SELECT a.value FROM auth.account_right a
         WHERE a.organization_id = c.organization_id AND a.user_id = c.user_id AND a.name = 'role' AND a.number > u.version) AS role,
        (SELECT a.value FROM auth.account_right a
         WHERE a.organization_id = c.organization_id AND a.user_id = c.user_id AND a.name = 'facilityIds'
             AND a.number > u.version)::bigint[] AS facility_ids,
        (SELECT a.value FROM auth.account_right a
         WHERE a.organization_id = c.organization_id AND a.user_id = c.user_id AND a.name = 'staffId' AND a.number > u.version) AS staff_id
    FROM auth.oauth_chain c
    JOIN read.user_account u ON u.organization_id = c.organization_id AND u.id = c.user_id
    JOIN read.organization o ON o.organization_id = c.organization_id
    LEFT JOIN auth.oauth_client k ON k.client_id = c.client_id
    WHERE c.id = t.chain_id AND c.cut_at IS NULL AND t.ends_at > now()
    OFFSET 0
) AS f
