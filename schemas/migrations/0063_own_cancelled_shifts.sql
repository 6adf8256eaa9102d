-- A cancelled shift stays readable to those who were on it.

ALTER TABLE read.shift ADD COLUMN former_staff_ids bigint[] NOT NULL DEFAULT '{}';
CREATE INDEX shift_by_former_staff ON read.shift USING gin (former_staff_ids) WITH (fastupdate = off)
    WHERE former_staff_ids <> '{}';
