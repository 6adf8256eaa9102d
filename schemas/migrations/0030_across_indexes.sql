-- The lists across organizations, in their default orders. Reads go on while these are made; folds wait.
CREATE INDEX facility_across ON read.facility (is_sandbox, name_key, id);
CREATE INDEX staff_across ON read.staff (is_sandbox, last_name_key, id);
CREATE INDEX lead_across ON read.lead (is_sandbox, created_at, id);
