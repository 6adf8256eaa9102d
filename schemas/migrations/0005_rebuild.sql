-- Read models are rebuilt beside live traffic: in schema `rebuild` stand, while that goes on, the tables that will take
-- the place of those in `read`, and how far they have come. Only the role that migrates makes tables there; queries
-- can't see them before they are swapped in.
CREATE SCHEMA rebuild;
GRANT USAGE ON SCHEMA rebuild TO workforce_projector;

-- Counted up when other rows take a projection's place: who remembers rows of an earlier generation forgets them.
ALTER TABLE projection.checkpoint ADD COLUMN generation bigint NOT NULL DEFAULT 0;
