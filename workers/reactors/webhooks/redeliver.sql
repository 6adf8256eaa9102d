-- An attempt ($5) of partition $1 at the event of attempt $4, which subscription $2 of organization $3 was sent before; because
-- of event $6. Where it is of none of the types $7 ('*': all), or happened at none of the facilities $9 (none: anywhere), it is
-- not made, and recorded with why ($8).
WITH again AS (
    SELECT a.organization_id, a.webhook_id, a.event_id, a.event_type, a.body_at,
           ($7::text[] @> '{*}' OR a.event_type = ANY ($7::text[])) AND ($9::bigint[] = '{}' OR EXISTS (
               SELECT FROM ops.webhook_body b
               WHERE b.event_id = a.event_id AND b.at = a.body_at AND b.facility_ids && $9::bigint[])) AS readable
    FROM ops.webhook_attempt a
    WHERE a.webhook_id = $2::bigint AND a.organization_id = $3::bigint AND a.id = $4::bigint AND a.body_at IS NOT NULL
    LIMIT 1
), sent AS (
    INSERT INTO reactor.webhook_delivery (
        id, partition, organization_id, webhook_id, event_id, event_type, body_at, cause, trigger)
    SELECT $5::bigint, $1::int, organization_id, webhook_id, event_id, event_type, body_at, $6::uuid, 'manual'
    FROM again WHERE readable
    ON CONFLICT DO NOTHING
)
INSERT INTO ops.webhook_attempt (
    id, organization_id, webhook_id, event_id, event_type, body_at, attempt, trigger, status, error)
SELECT $5::bigint, organization_id, webhook_id, event_id, event_type, body_at, 1, 'manual', 'abandoned', $8::text
FROM again WHERE NOT readable
