-- Why a person's payment in a run ($3) failed is not told any more since its event $4, of $6.
UPDATE payroll_payment
SET version = $4, failure_reason = '', updated_at = $6
WHERE organization_id = $1 AND is_sandbox = $2 AND payroll_run_id = $3 AND staff_id = $5
