-- Calls between processes: which revision each takes, so that one is sent to nobody who can't read it.

ALTER TABLE ops.process ADD COLUMN calls integer NOT NULL DEFAULT 0;
