-- Which API key acted that no user stands behind; 0: none did, or the row is of a process of the release before. A rebuild
-- fills it.
ALTER TABLE read.activity ADD COLUMN key_id bigint NOT NULL DEFAULT 0;
