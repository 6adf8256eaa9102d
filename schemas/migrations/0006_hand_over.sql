-- Leases that a process gave up because it can't take up their work, so that another one tries; and what the process that
-- prunes the table of last writes has to know.

-- The process that gave the lease up, which does not take it again while others live; '' for none.
ALTER TABLE ops.lease ADD COLUMN given_up_by text NOT NULL DEFAULT '';

GRANT USAGE ON SCHEMA projection TO workforce_writer;
GRANT SELECT ON projection.checkpoint TO workforce_writer;
