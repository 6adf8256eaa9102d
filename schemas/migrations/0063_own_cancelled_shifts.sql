-- A cancelled shift stays readable to those who were on it.

ALTER TABLE read.shift ADD COLUMN former_staff_ids bigint[] NOT NULL DEFAULT '{}';
