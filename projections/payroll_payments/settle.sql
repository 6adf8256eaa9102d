-- What came of payments, and why they failed; without a status the reason alone is told.
UPDATE payroll_payment t
SET version = u.version,
    updated_at = u.happened,
    failure_reason = u.reason,
    status = coalesce(u.status, t.status),
    external_payment_id = CASE WHEN u.status IS NULL THEN t.external_payment_id ELSE u.external END,
    paid_at = CASE WHEN u.status IS NULL THEN t.paid_at WHEN u.status = 'paid' THEN u.happened END
FROM unnest($1::bigint[], $2::boolean[], $3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::timestamptz[])
    AS u(organization_id, is_sandbox, id, version, status, external, reason, happened)
WHERE t.organization_id = u.organization_id AND t.is_sandbox = u.is_sandbox AND t.id = u.id
