-- What a process tells of keys ($2) of a channel ($1), and what it gets: for each key the window that it knows ($3: its end in
-- µs), how many requests of that window it let in since it told last ($4) and how many it gives back ($5), and the key's limit
-- ($6; 0: it wants none). A window lasts $7 seconds by this database's clock, from the first request on; one that ends later
-- than that can is of a clock that was set back. Rows are locked in one order.
WITH told AS MATERIALIZED (
    SELECT * FROM unnest($2::bigint[], $3::bigint[], $4::int[], $5::int[], $6::int[]) AS t (key_id, known, used, back, most)
), locked AS MATERIALIZED (
    SELECT key_id, ends_at, granted, held FROM ops.rate_limit
    WHERE channel = $1 AND key_id = ANY ($2::bigint[]) ORDER BY key_id FOR UPDATE
), seen AS (
    SELECT t.*, l.ends_at, l.granted, l.held,
        l.ends_at <= now() OR l.ends_at > now() + 2 * $7::int * interval '1 second' AS over,
        (extract(epoch FROM l.ends_at) * 1000000)::bigint = t.known AS same
    FROM locked l JOIN told t USING (key_id)
), opened AS (
    SELECT key_id, most,
        CASE WHEN over THEN now() + $7::int * interval '1 second' ELSE ends_at END AS ends_at,
        CASE WHEN over THEN 0 WHEN same THEN greatest(0, granted - back) ELSE granted END AS granted,
        CASE WHEN over THEN 0 WHEN same THEN greatest(0, held - used - back) ELSE held END AS held
    FROM seen WHERE NOT over OR most > 0
), lent AS (
    SELECT o.*, CASE WHEN granted >= most THEN 0 ELSE greatest(1, (most - granted) / (2 * live.processes)) END AS lent
    FROM opened o, (SELECT greatest(1, count(*))::int AS processes FROM ops.process
                    WHERE role <> 'workers' AND expires_at > now()) AS live
)
UPDATE ops.rate_limit r SET ends_at = l.ends_at, granted = l.granted + l.lent, held = l.held + l.lent
FROM lent l WHERE r.channel = $1 AND r.key_id = l.key_id
RETURNING r.key_id, (extract(epoch FROM r.ends_at) * 1000000)::bigint AS ends_us,
    (extract(epoch FROM r.ends_at - now()) * 1000000)::bigint AS left_us, l.lent, r.granted, r.held
