-- Users ($1) of organizations ($2), the staff members whom they are ($3), and whether they are told anything ($4).
INSERT INTO notification_user (user_id, organization_id, staff_id, active)
SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::boolean[])
ON CONFLICT (user_id) DO UPDATE SET staff_id = excluded.staff_id, active = excluded.active
