-- Staff members' events in the activity of their facilities, and the facilities that sandboxes show.

-- The person's facilities as the event left them; of what happens to others none.
ALTER TABLE read.activity ADD COLUMN facility_ids bigint[] NOT NULL DEFAULT '{}';
-- The fold reads by it: where a person works whom an event only names. A rebuild makes indexes of that name before it folds.
CREATE INDEX fold_activity_by_person ON read.activity (organization_id, is_sandbox, resource, id)
    WHERE resource LIKE 'staff:%';

-- A sandbox sees no live row: each facility has a row for its sandbox. Only who looks across organizations, as the look-up
-- of credentials does, finds the live organization, users and keys from there.
DO $$
DECLARE
    name    text;
    tenant  text := '(organization_id = (SELECT NULLIF(current_setting(''app.organization'', true), '''')::bigint)'
        ' OR (SELECT NULLIF(current_setting(''app.operator'', true), '''')::boolean))';
    sandbox text := '(SELECT NULLIF(current_setting(''app.sandbox'', true), '''')::boolean)';
    across  text := '(SELECT NULLIF(current_setting(''app.operator'', true), '''')::boolean)';
BEGIN
    EXECUTE format('ALTER POLICY reader ON read.facility USING (%s AND is_sandbox = %s)', tenant, sandbox);
    FOREACH name IN ARRAY ARRAY['organization', 'user_account', 'api_key'] LOOP
        EXECUTE format('ALTER POLICY reader ON read.%I USING (%s AND (is_sandbox = %s OR NOT is_sandbox AND %s))', name,
            tenant, sandbox, across);
    END LOOP;
END
$$;
