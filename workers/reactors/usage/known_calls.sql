-- When calls of organizations ($1) with these keys ($2) were marked last, since $3.
SELECT k.organization_id, k.dedupe_key, m.occurred_at
FROM unnest($1::bigint[], $2::text[]) AS k(organization_id, dedupe_key)
CROSS JOIN LATERAL (
    SELECT occurred_at FROM usage_marker m
    WHERE m.organization_id = k.organization_id AND m.dedupe_key = k.dedupe_key AND m.occurred_at > $3::timestamptz
    ORDER BY occurred_at DESC LIMIT 1) AS m
