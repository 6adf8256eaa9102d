-- What a rebuild that ended early left behind.
SELECT format('DROP TABLE rebuild.%I', c.relname)
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = 'rebuild' AND c.relkind = 'r'
