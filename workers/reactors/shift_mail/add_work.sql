-- Mails of partition $1, one for each event ($2, at $3), to staff ($5) of organizations ($4).
INSERT INTO shift_mail_work (id, partition, position, organization_id, staff_id, sealed)
SELECT u.id, $1, u.position, u.organization_id, u.staff_id, u.sealed
FROM unnest($2::uuid[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bytea[])
    AS u(id, position, organization_id, staff_id, sealed)
ON CONFLICT (id) DO NOTHING
