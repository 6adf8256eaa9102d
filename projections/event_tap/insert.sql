-- Writes a batch's events, but for those that are too old to be shown, by the clock that all processes are held to, with an
-- hour's grace.
INSERT INTO event_tap (organization_id, is_sandbox, id, type, facility_ids, occurred_at, doc)
SELECT u.organization_id, u.is_sandbox, u.id, u.type, u.facility_ids::bigint[], u.occurred_at, u.doc
FROM unnest($1::bigint[], $2::boolean[], $3::bigint[], $4::text[], $5::text[], $6::timestamptz[],
            string_to_array($7, E'\x1e'))
    AS u(organization_id, is_sandbox, id, type, facility_ids, occurred_at, doc)
WHERE u.occurred_at >= now() - interval '1 hour' - make_interval(
    days => coalesce(NULLIF(current_setting('app.event_tap_days', true), ''), '30')::int)
