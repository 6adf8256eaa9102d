-- Credentials sorted by the day on which they end, those without one last.

ALTER TABLE read.credential ADD COLUMN end_key date NOT NULL DEFAULT '9999-12-31';
CREATE INDEX credential_by_end_key ON read.credential (organization_id, is_sandbox, end_key, id);
