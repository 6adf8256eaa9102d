-- When staff can work, each week. Nobody has said so in any event yet: all rows are as a fold makes them.

ALTER TABLE read.staff ADD COLUMN internals text NOT NULL DEFAULT '{"availability":{"blocks":[],"updatedAt":null}}';
