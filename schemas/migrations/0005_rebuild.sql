-- Read models are rebuilt beside live traffic: in schema `rebuild` stand, while that goes on, the tables that will take
-- the place of those in `read`, and how far they have come. Only the role that migrates makes tables there; queries
-- can't see them before they are swapped in.
CREATE SCHEMA rebuild;
GRANT USAGE ON SCHEMA rebuild TO workforce_projector;

-- Counted up when other rows take a projection's place: who remembers rows of an earlier generation forgets them.
ALTER TABLE projection.checkpoint ADD COLUMN generation bigint NOT NULL DEFAULT 0;

-- Keys of persons who were erased of late, which every process looks for.
CREATE INDEX person_key_by_destruction ON vault.person_key (destroyed_at) WHERE destroyed_at IS NOT NULL;
