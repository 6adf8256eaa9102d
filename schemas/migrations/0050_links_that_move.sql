-- A link is mailed to the address that its user has from this version on, and so not while the read model shows an earlier one.
ALTER TABLE auth.link ADD COLUMN user_version bigint NOT NULL DEFAULT 0;
