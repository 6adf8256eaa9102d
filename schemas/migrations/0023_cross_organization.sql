-- Who looks across organizations does so under a role of its own: sandbox and live stay apart, as for everybody. Under
-- workforce_reader the setting app.operator still opens all organizations, for processes of the release before.

DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'workforce_operator') THEN
        BEGIN
            CREATE ROLE workforce_operator NOLOGIN;
        EXCEPTION WHEN duplicate_object OR unique_violation THEN
            NULL;
        END;
    END IF;
    IF NOT pg_has_role(current_user, 'workforce_operator', 'MEMBER') THEN
        BEGIN
            GRANT workforce_operator TO CURRENT_USER;
        EXCEPTION WHEN duplicate_object OR unique_violation THEN
            NULL;
        END;
    END IF;
END
$$;

GRANT USAGE ON SCHEMA read, projection, auth TO workforce_operator;
GRANT SELECT ON auth.api_key_secret TO workforce_operator;

DO $$
DECLARE
    name    text;
    sandbox text := '(SELECT NULLIF(current_setting(''app.sandbox'', true), '''')::boolean)';
BEGIN
    FOREACH name IN ARRAY ARRAY['facility', 'staff', 'shift', 'lead', 'activity'] LOOP
        EXECUTE format('CREATE POLICY operator ON read.%I FOR SELECT TO workforce_operator USING (is_sandbox = %s)', name,
            sandbox);
        EXECUTE format('GRANT SELECT ON read.%I TO workforce_operator', name);
    END LOOP;
    -- Neither has sandbox rows of its own; a sandbox credential's stand behind it.
    FOREACH name IN ARRAY ARRAY['organization', 'user_account', 'api_key'] LOOP
        EXECUTE format('CREATE POLICY operator ON read.%I FOR SELECT TO workforce_operator'
            ' USING (is_sandbox = %s OR NOT is_sandbox)', name, sandbox);
        EXECUTE format('GRANT SELECT ON read.%I TO workforce_operator', name);
    END LOOP;
END
$$;
