-- Of columns ($1 tables, $2 columns, $3 whether look-ups begin with it) those that the schema `read` lacks, and those that
-- no database index has. The text of an index tells of its expressions, too.
SELECT w.table_name, w.column_name, a.attnum IS NULL AS lacks_column
FROM unnest($1::text[], $2::text[], $3::boolean[]) AS w(table_name, column_name, leads)
LEFT JOIN pg_attribute a
    ON a.attrelid = to_regclass('read.' || w.table_name) AND a.attname = w.column_name AND NOT a.attisdropped
WHERE a.attnum IS NULL
    OR w.leads AND NOT EXISTS (
        SELECT FROM pg_index i
        WHERE i.indrelid = a.attrelid AND i.indisvalid
            AND pg_get_indexdef(i.indexrelid) ~ ('[( ]' || w.column_name || '[,)\[ ]')
    )
ORDER BY w.table_name, w.column_name
