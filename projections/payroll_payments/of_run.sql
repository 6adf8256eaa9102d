-- The first payments of a run, in the order of their persons.
SELECT t.doc, t.status, t.external_payment_id, t.failure_reason, t.paid_at, t.updated_at
FROM read.payroll_payment t
WHERE /*tenant*/ /*organization*/ t.organization_id = $1 AND /*end organization*/ t.is_sandbox = $2 /*end tenant*/
  AND t.payroll_run_id = $3
ORDER BY t.id
LIMIT $4
