-- Whether an account is active, as the last event says that (de)activated it: written by whoever reads that event in the log
-- first, so that a read model that stands still lets nobody in. An account that no such event was of has no row. In no backup:
-- a restore marks what the log says.
CREATE TABLE auth.account_standing (
    organization_id bigint  NOT NULL,
    user_id         bigint  NOT NULL,  -- 0: the organization itself
    number          bigint  NOT NULL,  -- of the event, in its aggregate
    active          boolean NOT NULL,
    PRIMARY KEY (organization_id, user_id)
);
GRANT SELECT, INSERT, UPDATE, DELETE ON auth.account_standing TO workforce_writer;
GRANT SELECT, INSERT, UPDATE ON auth.account_standing TO workforce_projector;
GRANT SELECT ON auth.account_standing TO workforce_reader, workforce_operator;

-- When and from which address an API key was used last. An address is personal, so this is not in the log; and in no backup.
CREATE TABLE auth.api_key_use (
    organization_id bigint      NOT NULL,
    key_id          bigint      NOT NULL,
    user_id         bigint      NOT NULL,  -- who is bound to the key; 0: nobody
    used_at         timestamptz NOT NULL,
    address         text,  -- NULL: the person whom it may tell of was erased
    PRIMARY KEY (organization_id, key_id)
) WITH (fillfactor = 50);  -- all changes stay within their page
CREATE INDEX api_key_use_of_user ON auth.api_key_use (user_id);
GRANT SELECT, INSERT, UPDATE, DELETE ON auth.api_key_use TO workforce_writer;
GRANT SELECT ON auth.api_key_use TO workforce_reader, workforce_operator;
ALTER TABLE auth.api_key_use ENABLE ROW LEVEL SECURITY;
CREATE POLICY writer ON auth.api_key_use TO workforce_writer USING (true);
CREATE POLICY reader ON auth.api_key_use FOR SELECT TO workforce_reader USING (
    organization_id = (SELECT NULLIF(current_setting('app.organization', true), '')::bigint));
CREATE POLICY operator ON auth.api_key_use FOR SELECT TO workforce_operator USING (true);
