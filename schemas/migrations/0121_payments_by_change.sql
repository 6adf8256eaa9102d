-- When a payment last changed. Of those that changed before there was this column, a payment that was paid tells; others have the
-- time at which they were made out.

ALTER TABLE read.payroll_payment ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now();
UPDATE read.payroll_payment SET updated_at = greatest(created_at, paid_at);
