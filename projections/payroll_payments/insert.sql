-- Payments of a run ($3) at a facility ($4), which were made out at $5 with the event $6: ids, persons, and what is fixed of each.
INSERT INTO payroll_payment (organization_id, is_sandbox, payroll_run_id, facility_id, created_at, updated_at, created_on, version, status,
                             failure_reason, id, staff_id, doc)
SELECT $1, $2, $3, $4, $5::timestamptz, $5::timestamptz, ($5::timestamptz AT TIME ZONE 'UTC')::date, $6, 'pending', '', u.id, u.staff_id, u.doc
FROM unnest($7::bigint[], $8::bigint[], string_to_array($9, E'\x1e')) AS u(id, staff_id, doc)
