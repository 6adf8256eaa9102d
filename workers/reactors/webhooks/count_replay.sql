-- How many events replay.sql would send, 10,001 at most: as there, $1 the subscription, $2 its organization.
SELECT count(*) FROM (
    SELECT FROM ops.webhook_body b
    WHERE b.organization_id = $2::bigint AND b.at >= $3::timestamptz AND b.at <= $4::timestamptz
        AND ($5::text[] @> '{*}' OR b.event_type = ANY ($5::text[]))
        AND ($6::bigint IS NULL OR $6::bigint = ANY (b.facility_ids))
        AND ($8::bigint[] = '{}' OR b.facility_ids && $8::bigint[])
        AND (NOT $7::boolean OR (
            SELECT a.status IN ('failed', 'abandoned') FROM ops.webhook_attempt a
            WHERE a.event_id = b.event_id AND a.webhook_id = $1::bigint ORDER BY a.id DESC LIMIT 1))
    LIMIT 10001
) AS found
