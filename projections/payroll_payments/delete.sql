-- The payments of a run that was deleted.
DELETE FROM payroll_payment WHERE organization_id = $1 AND is_sandbox = $2 AND payroll_run_id = $3
