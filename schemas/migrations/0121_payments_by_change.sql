-- When a payment last changed. Rows have it right once they are rebuilt, as their new revision asks for.

ALTER TABLE read.payroll_payment ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now();
