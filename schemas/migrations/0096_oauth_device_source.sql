-- Of which address devices wait, so that one address has no more of them than it may.

ALTER TABLE auth.oauth_device ADD COLUMN source bigint;  -- what limits of addresses go by; NULL: a process of before kept it
CREATE INDEX oauth_device_by_source ON auth.oauth_device (source) WHERE source IS NOT NULL;
