-- Partitions of days are made also where the default partition has rows of them already: those move. It had them after no worker
-- ran for some days, and the whole function then failed each hour.

-- Drops the partitions of days that are over for longer than `kept`, and makes those of the days to come. Whoever may write
-- deliveries may ask; partitions belong to the tables' owner. One that can't be made keeps no other from it.
CREATE OR REPLACE FUNCTION ops.keep_webhook_partitions(kept int) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog SET timezone = 'UTC' AS $$
DECLARE
    parent text;
    stamp text;  -- the column that says the day
    day date;
    part text;
BEGIN
    PERFORM pg_advisory_xact_lock(7303843, 43);
    FOR parent, stamp IN VALUES ('webhook_body', 'at'), ('webhook_attempt', 'created_at') LOOP
        FOR part IN
            SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
            WHERE i.inhparent = ('ops.' || parent)::regclass AND c.relname ~ '_\d{8}$'
                AND to_date(right(c.relname, 8), 'YYYYMMDD') < current_date - kept
        LOOP
            EXECUTE format('DROP TABLE ops.%I', part);
        END LOOP;
        -- What came while there was no partition of its day.
        EXECUTE format('DELETE FROM ops.%I WHERE %I < $1', parent || '_default', stamp) USING (current_date - kept)::timestamptz;
        FOR day IN SELECT d::date FROM generate_series(current_date, current_date + 3, interval '1 day') AS d LOOP
            part := parent || to_char(day, '_YYYYMMDD');
            CONTINUE WHEN to_regclass('ops.' || part) IS NOT NULL;
            BEGIN
                -- No row of the day comes in between: writers to the default partition wait.
                EXECUTE format('LOCK TABLE ops.%I IN ACCESS EXCLUSIVE MODE', parent || '_default');
                EXECUTE format('CREATE TABLE ops.%I (LIKE ops.%I INCLUDING DEFAULTS)', part, parent);
                EXECUTE format('WITH moved AS (DELETE FROM ops.%I WHERE %I >= $1 AND %I < $2 RETURNING *)'
                               ' INSERT INTO ops.%I SELECT * FROM moved', parent || '_default', stamp, stamp, part)
                    USING day::timestamptz, (day + 1)::timestamptz;
                EXECUTE format('ALTER TABLE ops.%I ATTACH PARTITION ops.%I FOR VALUES FROM (%L) TO (%L)', parent, part,
                               day::timestamptz, (day + 1)::timestamptz);
            EXCEPTION WHEN OTHERS THEN
                RAISE WARNING 'partition % is not made: %', part, SQLERRM;
            END;
        END LOOP;
    END LOOP;
END $$;
