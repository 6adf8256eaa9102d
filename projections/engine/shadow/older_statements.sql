-- Statements of others that began before $1 and still run. Those that wait for a lock are none: they may wait for us.
SELECT count(*)
FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend' AND state = 'active'
    AND wait_event_type IS DISTINCT FROM 'Lock' AND query_start < $1::timestamptz
