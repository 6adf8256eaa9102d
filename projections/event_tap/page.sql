-- Events after a position ($3) of the partition ($9), in the log's order: of these types ($5) at these facilities ($4), not older
-- than $6, at most $7 of them, and of $8 bytes together but for the first. Each row says besides how far this looked, and the
-- time of that place: up to where the table has come, or past $10 events and one, which may be none of these. An id is
-- position × 1024 + partition.
SELECT coalesce(past.id / 1024, reached.position) AS until,
       coalesce(past.occurred_at, date_trunc('milliseconds', now())) AS until_time,
       past.id IS NOT NULL AS goes_on, page.id / 1024 AS position, page.occurred_at, page.doc
FROM (SELECT max(c.position) AS position FROM projection.checkpoint c
      WHERE c.partition = $9::int AND c.projection = 'event_tap') AS reached
LEFT JOIN LATERAL (
    SELECT t.id, t.occurred_at FROM read.event_tap t
    WHERE /*whose*/ t.organization_id = $1::bigint AND t.is_sandbox = $2::boolean /*end whose*/ AND t.id > $3::bigint * 1024 + $9
    ORDER BY t.id OFFSET $10::bigint LIMIT 1
) AS past ON true
LEFT JOIN LATERAL (
    SELECT e.id, e.occurred_at,
           CASE WHEN row_number() OVER (ORDER BY e.id) = 1
                    OR sum(octet_length(e.doc) + 1) OVER (ORDER BY e.id) <= $8::bigint THEN e.doc END AS doc
    FROM (
        SELECT t.id, t.occurred_at, t.doc FROM read.event_tap t
        WHERE /*whose*/ t.organization_id = $1 AND t.is_sandbox = $2 /*end whose*/
            AND t.id > $3 * 1024 + $9 AND (past.id IS NULL OR t.id <= past.id)
            AND ($4::bigint[] IS NULL OR t.facility_ids && $4)
            AND ($5::text[] IS NULL OR t.type = ANY ($5))
            AND t.occurred_at >= $6::timestamptz
        ORDER BY t.id LIMIT $7::bigint
    ) AS e
) AS page ON true
ORDER BY page.id
