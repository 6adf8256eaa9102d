-- All payments of a run ($3) stand so ($5) since its event $4, of $6, and nothing has come of them.
UPDATE payroll_payment
SET version = $4, status = $5, external_payment_id = NULL, failure_reason = '', paid_at = NULL, updated_at = $6
WHERE organization_id = $1 AND is_sandbox = $2 AND payroll_run_id = $3
