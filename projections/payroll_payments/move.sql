-- All payments of a run ($3) stand so ($5) since its event $4, and nothing has come of them.
UPDATE payroll_payment
SET version = $4, status = $5, external_payment_id = NULL, failure_reason = '', paid_at = NULL
WHERE organization_id = $1 AND is_sandbox = $2 AND payroll_run_id = $3
