-- Shifts ($1) of organizations ($2) as mails tell of them ($3).
INSERT INTO shift_mail_shift (shift_id, organization_id, doc)
SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[])
ON CONFLICT (shift_id) DO UPDATE SET doc = excluded.doc
