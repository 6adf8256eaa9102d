-- What the write side looks for among shifts. Building these takes some seconds a million shifts, in which reads go on and
-- read models stand.

-- A person's shifts; without a list of what is to be added, which each look-up would read through.
CREATE INDEX shift_by_staff ON read.shift USING gin (staff_ids) WITH (fastupdate = off) WHERE staff_ids <> '{}';
-- What the clock may have to move: few at a time, however many shifts there were.
CREATE INDEX shift_due ON read.shift (starts_at)
    WHERE status = 'in_progress' OR status IN ('open', 'assigned') AND staff_ids <> '{}';
