-- Markers whose request's own row has come tell what that tells, and count as no row of their own any more.
UPDATE reactor.usage_marker m
SET is_answered = true, occurred_at = c.occurred_at, facility_id = c.facility_id, channel = c.channel,
    credential_type = c.credential_type, key_id = c.key_id, user_id = c.user_id, agent = c.agent, tool = c.tool
FROM (
    SELECT u.request_id AS marked, c.*
    FROM reactor.usage_marker u
    CROSS JOIN LATERAL (
        SELECT * FROM usage.call c
        WHERE c.request_id = u.request_id
          AND c.occurred_at BETWEEN u.occurred_at - interval '3 days' AND u.occurred_at + interval '1 hour'
        LIMIT 1) AS c
    WHERE NOT u.is_answered AND u.occurred_at > now() - interval '1 day'
) AS c
WHERE m.request_id = c.marked AND NOT m.is_answered
