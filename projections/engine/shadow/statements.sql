-- The statements that make the shadow of table $1 in schema rebuild as the live one is, in their order: before the fold
-- what rows and the fold itself need (indexes named fold_…), after it the other indexes. Not carried over: comments on the table, triggers, publications.
WITH live AS (
    SELECT c.oid, c.relname, c.relowner, c.relacl, c.reloptions, c.relrowsecurity, c.relforcerowsecurity,
           format('%I.%I', n.nspname, c.relname) AS name, format('rebuild.%I', c.relname) AS shadow
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.oid = $1::regclass
), grants AS (
    SELECT 0 AS attnum, '' AS of_column, g.*
    FROM live, aclexplode(relacl) WITH ORDINALITY AS g(grantor, grantee, privilege_type, is_grantable, place)
    UNION ALL
    SELECT a.attnum, format(' (%I)', a.attname), g.*
    FROM live JOIN pg_attribute a ON a.attrelid = live.oid AND NOT a.attisdropped,
        aclexplode(a.attacl) WITH ORDINALITY AS g(grantor, grantee, privilege_type, is_grantable, place)
), statements(place, detail, after_fold, statement) AS (
    SELECT 1, '', false, format('CREATE TABLE %s (LIKE %s INCLUDING ALL EXCLUDING INDEXES)', shadow, name)
    FROM live
    UNION ALL
    SELECT 2, '', false, format('ALTER TABLE %s SET (%s)', shadow, (
        SELECT string_agg(format('%I = %L', split_part(option, '=', 1), substr(option, strpos(option, '=') + 1)), ', ')
        FROM unnest(reloptions) AS option))
    FROM live WHERE reloptions IS NOT NULL
    UNION ALL
    SELECT 3, conname, false, format('ALTER TABLE %s ADD CONSTRAINT %I %s', shadow, conname, pg_get_constraintdef(c.oid))
    FROM live JOIN pg_constraint c ON c.conrelid = live.oid
    WHERE contype IN ('p', 'u', 'x')
    UNION ALL
    SELECT 4, '', false, format('ALTER TABLE %s OWNER TO %I', shadow, pg_get_userbyid(relowner))
    FROM live WHERE pg_get_userbyid(relowner) <> current_user
    UNION ALL
    SELECT 5, '', false, format('REVOKE ALL ON %s FROM %I', shadow, pg_get_userbyid(relowner))
    FROM live WHERE relacl IS NOT NULL
    UNION ALL
    SELECT 6, to_char(attnum, '00000') || to_char(place, '00000'), false, format(
        'GRANT %s%s ON %s TO %s%s', privilege_type, of_column, shadow,
        CASE WHEN grantee = 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END,
        CASE WHEN is_grantable AND grantee <> relowner THEN ' WITH GRANT OPTION' ELSE '' END)
    FROM live, grants
    UNION ALL
    SELECT 7, '', false, format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', shadow) FROM live WHERE relrowsecurity
    UNION ALL
    SELECT 8, '', false, format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', shadow) FROM live WHERE relforcerowsecurity
    UNION ALL
    SELECT 9, polname, false, format(
        'CREATE POLICY %I ON %s AS %s FOR %s TO %s%s%s', polname, shadow,
        CASE WHEN polpermissive THEN 'PERMISSIVE' ELSE 'RESTRICTIVE' END,
        CASE polcmd WHEN 'r' THEN 'SELECT' WHEN 'a' THEN 'INSERT' WHEN 'w' THEN 'UPDATE' WHEN 'd' THEN 'DELETE' ELSE 'ALL' END,
        (SELECT string_agg(CASE WHEN role = 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(role)) END, ', ')
         FROM unnest(polroles) AS role),
        ' USING (' || pg_get_expr(polqual, polrelid) || ')', ' WITH CHECK (' || pg_get_expr(polwithcheck, polrelid) || ')')
    FROM live JOIN pg_policy p ON p.polrelid = live.oid
    UNION ALL
    SELECT 10, indexrelid::text, NOT starts_with(
        (SELECT relname::text FROM pg_class WHERE oid = indexrelid), 'fold_'), replace(pg_get_indexdef(indexrelid), format(' ON %s ', name), format(' ON %s ', shadow))
    FROM live JOIN pg_index i ON i.indrelid = live.oid
    WHERE NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = i.indexrelid AND c.conrelid = live.oid)
    UNION ALL
    SELECT 11, '', true, format('ANALYZE %s', shadow) FROM live
)
SELECT after_fold, statement FROM statements ORDER BY place, detail
