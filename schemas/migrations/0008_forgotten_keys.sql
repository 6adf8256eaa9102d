-- A destroyed key leaves an old version of its row behind, with the key as the master key seals it. Rows of this table change
-- for no other reason, so the first such version is one that autovacuum is to remove at its next round.
ALTER TABLE vault.person_key SET (autovacuum_vacuum_threshold = 0, autovacuum_vacuum_scale_factor = 0);
