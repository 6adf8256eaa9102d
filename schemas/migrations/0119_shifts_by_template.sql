-- A template makes one shift for a day. No event in the log names a template yet: all rows are as a fold makes them.

ALTER TABLE read.shift ADD COLUMN template_id bigint, ADD COLUMN template_date date;
CREATE INDEX shift_by_template ON read.shift (organization_id, is_sandbox, template_id, template_date)
    WHERE template_id IS NOT NULL;
