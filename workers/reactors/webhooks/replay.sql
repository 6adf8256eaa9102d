-- Events of organization $3 from $4 to $5 to subscription $2 once more, because of event $1: of types $6 ('*': all), at
-- facility $7 or anywhere, at one of $10 unless that is empty, and where $8 those alone whose last attempt failed. At
-- partition $9.
INSERT INTO reactor.webhook_delivery (
    partition, organization_id, webhook_id, event_id, event_type, body_at, cause, trigger)
SELECT $9::int, b.organization_id, $2::bigint, b.event_id, b.event_type, b.at, $1::uuid, 'manual'
FROM ops.webhook_body b
WHERE b.organization_id = $3::bigint AND b.at >= $4::timestamptz AND b.at <= $5::timestamptz
    AND ($6::text[] @> '{*}' OR b.event_type = ANY ($6::text[]))
    AND ($7::bigint IS NULL OR $7::bigint = ANY (b.facility_ids))
    AND ($10::bigint[] = '{}' OR b.facility_ids && $10::bigint[])
    AND (NOT $8::boolean OR (
        SELECT a.status IN ('failed', 'abandoned') FROM ops.webhook_attempt a
        WHERE a.event_id = b.event_id AND a.webhook_id = $2::bigint ORDER BY a.id DESC LIMIT 1))
ORDER BY b.at, b.event_id
LIMIT 10000
ON CONFLICT (webhook_id, event_id, cause) DO NOTHING
