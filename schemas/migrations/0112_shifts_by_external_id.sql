-- Imports match shifts by the id that another system has for them. The column is filled by `workforce rebuild --outdated`.

ALTER TABLE read.shift ADD COLUMN external_id text;
CREATE INDEX shift_by_external_id ON read.shift (organization_id, is_sandbox, external_id) WHERE external_id IS NOT NULL;
