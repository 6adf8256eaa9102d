-- The figures that shifts, staff and facilities give; "this month" is what each facility's own calendar shows at $4.
WITH calendar AS MATERIALIZED (
    SELECT t.id, t.is_active,
           date_trunc('month', $4::timestamptz AT TIME ZONE COALESCE(NULLIF(t.timezone, ''), 'UTC'))::date AS month
    FROM read.facility t
    WHERE /*tenant*/ /*organization*/ t.organization_id = $1 AND /*end organization*/ t.is_sandbox = $2 /*end tenant*/
      AND ($3::bigint[] IS NULL OR t.facility_id = ANY ($3))
),
people AS (
    SELECT count(*) AS active
    FROM read.staff t
    WHERE /*tenant*/ /*organization*/ t.organization_id = $1 AND /*end organization*/ t.is_sandbox = $2 /*end tenant*/
      AND ($3::bigint[] IS NULL OR t.facility_ids && $3 OR t.facility_ids = '{}')
      AND t.is_active AND NOT t.deleted
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
)
SELECT people.active, vacant.open, staffed.filled, vacant.urgent,
       (SELECT count(*) FROM calendar c WHERE c.is_active) AS facilities
FROM people, vacant, staffed
