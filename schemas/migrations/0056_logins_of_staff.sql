-- Which user names a staff member. NULL is also for processes of the release before, which write rows without the column; a
-- rebuild fills it.
ALTER TABLE read.user_account ADD COLUMN staff_id bigint;
CREATE INDEX user_account_of_staff ON read.user_account (organization_id, staff_id) WHERE staff_id IS NOT NULL;
