-- Credentials of some partitions ($1) in which the day has brought something at $2, but for $3: their holder is to be told of
-- their end, or they have expired. No calendar is more than a day ahead of UTC's.
SELECT c.organization_id, c.is_sandbox, c.id
FROM read.credential c
JOIN ops.organization_home h ON h.organization_id = c.organization_id AND h.partition = ANY ($1::int[])
JOIN read.organization o ON o.organization_id = c.organization_id AND o.id = c.organization_id AND NOT o.is_sandbox
WHERE c.due_on <= ($2::timestamptz AT TIME ZONE 'UTC')::date + 1
    AND c.due_on <= ($2::timestamptz AT TIME ZONE COALESCE(NULLIF(o.doc::json ->> 'timezone', ''), 'UTC'))::date
    AND c.id <> ALL ($3::bigint[])
ORDER BY c.organization_id, c.is_sandbox, c.id
LIMIT 10000
