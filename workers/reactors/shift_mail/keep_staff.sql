-- Staff ($1) of organizations ($2) as they are written to ($3).
INSERT INTO shift_mail_staff (staff_id, organization_id, sealed)
SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bytea[])
ON CONFLICT (staff_id) DO UPDATE SET sealed = excluded.sealed
