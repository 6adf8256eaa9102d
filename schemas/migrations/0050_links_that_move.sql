-- A link goes to the address that its user has from user_version on, and so is not mailed while the read model shows an earlier one.
-- One that was made before its user had another address opens nothing (moved_at). user_version 0: it was asked for by a name.
ALTER TABLE auth.link ADD COLUMN user_version bigint NOT NULL DEFAULT 0, ADD COLUMN moved_at timestamptz;
GRANT UPDATE (moved_at) ON auth.link TO workforce_projector;
