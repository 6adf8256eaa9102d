-- The figures that shifts, staff, credentials, timesheets and facilities give; "this month" is what each facility's own calendar
-- shows at $4, and today what the organization's shows now.
WITH calendar AS MATERIALIZED (
    SELECT t.id, t.is_active, coalesce((t.doc::json ->> 'billMarkupPercent')::numeric, 0) AS markup,
           date_trunc('month', $4::timestamptz AT TIME ZONE COALESCE(NULLIF(t.timezone, ''), 'UTC'))::date AS month
    FROM read.facility t
    WHERE /*tenant*/ /*organization*/ t.organization_id = $1 AND /*end organization*/ t.is_sandbox = $2 /*end tenant*/
      AND ($3::bigint[] IS NULL OR t.facility_id = ANY ($3))
),
-- Of all facilities: whoever is seen from one of $3 may work at others, too.
required AS MATERIALIZED (
    SELECT t.organization_id, t.facility_id, r.specialty, r.type, lower(r.name) AS name
    FROM read.facility t
    CROSS JOIN LATERAL json_to_recordset(t.doc::json -> 'requiredCredentialTypes')
        AS r(specialty text, type text, name text)
    WHERE /*tenant*/ /*organization*/ t.organization_id = $1 AND /*end organization*/ t.is_sandbox = $2 /*end tenant*/
),
-- Specialty and skills are read of those alone whose facilities ask by them.
people AS MATERIALIZED (
    SELECT t.organization_id, t.id, t.is_active, t.facility_ids,
           CASE WHEN t.is_active
                 AND t.facility_ids && ARRAY(SELECT DISTINCT r.facility_id FROM required r WHERE r.specialty <> '')
                THEN (SELECT array_append(d.skills, d.specialty)
                      FROM json_to_record(t.doc::json) AS d(specialty text, skills text[]))
           END AS abilities
    FROM read.staff t
    WHERE /*tenant*/ /*organization*/ t.organization_id = $1 AND /*end organization*/ t.is_sandbox = $2 /*end tenant*/
      AND ($3::bigint[] IS NULL OR t.facility_ids && $3 OR t.facility_ids = '{}')
      AND NOT t.deleted
),
today AS MATERIALIZED (
    SELECT p.organization_id, read.today_of(p.organization_id) AS day FROM people p GROUP BY p.organization_id
),
-- Names are read of those alone that are asked for by name.
held AS MATERIALIZED (
    SELECT t.staff_id, p.is_active, t.type, t.status = 'expired' OR t.expires_on < today.day AS has_expired,
           t.status = 'verified' AND (t.expires_on IS NULL OR t.expires_on >= today.day) AS is_good,
           t.status IN ('pending', 'verified') AND t.expires_on BETWEEN today.day AND today.day + 30 AS is_expiring,
           CASE WHEN t.status = 'verified'
                 AND t.type = ANY (ARRAY(SELECT DISTINCT r.type FROM required r WHERE r.name <> ''))
                THEN lower(t.doc::json ->> 'name')
           END AS name
    FROM read.credential t
    JOIN people p ON p.organization_id = t.organization_id AND p.id = t.staff_id
    JOIN today ON today.organization_id = p.organization_id
    WHERE /*tenant*/ /*organization*/ t.organization_id = $1 AND /*end organization*/ t.is_sandbox = $2 /*end tenant*/
      AND t.status IN ('pending', 'verified', 'expired') AND NOT t.deleted
),
-- Active people who lack a credential that a facility of theirs requires, or have one that has expired.
failing AS (
    SELECT p.id
    FROM people p
    CROSS JOIN LATERAL unnest(p.facility_ids) AS place(facility_id)
    JOIN required r ON r.organization_id = p.organization_id AND r.facility_id = place.facility_id
    WHERE p.is_active
      AND (r.specialty = '' OR r.specialty = ANY (p.abilities))
      AND NOT EXISTS (SELECT FROM held h
                      WHERE h.staff_id = p.id AND h.type = r.type AND h.is_good AND (r.name = '' OR h.name = r.name))
    UNION
    SELECT h.staff_id FROM held h WHERE h.is_active AND h.has_expired
),
-- A shift is a day long at most, so one that has not ended began within two: a range that the index knows.
vacant AS (
    SELECT count(*) AS open, count(*) FILTER (WHERE t.urgency_rank >= 2) AS urgent
    FROM read.shift t
    WHERE /*tenant*/ /*organization*/ t.organization_id = $1 AND /*end organization*/ t.is_sandbox = $2 /*end tenant*/
      AND ($3::bigint[] IS NULL OR t.facility_id = ANY ($3))
      AND NOT t.deleted
      AND t.status = 'open'
      AND t.ends_at > $4
      AND t.starts_at > $4::timestamptz - interval '2 days'
),
staffed AS (
    SELECT count(*) AS filled
    FROM read.shift t
    JOIN calendar c ON c.id = t.facility_id
    WHERE /*tenant*/ /*organization*/ t.organization_id = $1 AND /*end organization*/ t.is_sandbox = $2 /*end tenant*/
      AND NOT t.deleted
      AND t.status IN ('assigned', 'in_progress', 'completed')
      AND t.date >= c.month AND t.date < c.month + interval '1 month'
      AND t.starts_at > $4::timestamptz - interval '33 days' AND t.starts_at < $4::timestamptz + interval '33 days'
),
-- Revenue is in hundredths: minutes at hundredths an hour, with the facility's markup in per cent.
logged AS (
    SELECT coalesce(sum(t.worked_minutes), 0)::bigint AS minutes,
           coalesce(round(sum(t.worked_minutes * t.rate_hundredths * (100 + c.markup))
                          FILTER (WHERE t.status IN ('approved', 'paid')) / 6000), 0)::bigint AS revenue
    FROM read.timesheet t
    JOIN calendar c ON c.id = t.facility_id
    WHERE /*tenant*/ /*organization*/ t.organization_id = $1 AND /*end organization*/ t.is_sandbox = $2 /*end tenant*/
      AND NOT t.deleted
      AND t.status IN ('submitted', 'approved', 'paid')
      AND t.date >= c.month AND t.date < c.month + interval '1 month'
      AND t.clock_in > $4::timestamptz - interval '33 days' AND t.clock_in < $4::timestamptz + interval '33 days'
)
SELECT (SELECT count(*) FROM people p WHERE p.is_active) AS active,
       (SELECT count(*) FROM failing) AS failing,
       (SELECT count(*) FROM held h WHERE h.is_expiring) AS expiring,
       vacant.open, staffed.filled, vacant.urgent,
       (SELECT count(*) FROM calendar c WHERE c.is_active) AS facilities, logged.minutes, logged.revenue
FROM vacant, staffed, logged
