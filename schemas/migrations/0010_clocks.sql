-- Whether a process may hold leases to write: not while its clock is too far from the database's. The others share its
-- partitions then.
ALTER TABLE ops.process ADD COLUMN may_write boolean NOT NULL DEFAULT true;
