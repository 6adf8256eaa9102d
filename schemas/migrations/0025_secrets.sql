-- Secrets that are shown once, and the lists of API keys.

-- A secret has an id, by which its key's events tell of it: it opens nothing unless the key has it. The key's only secret of
-- before has none.
ALTER TABLE auth.api_key_secret
    ADD COLUMN secret_id   text NOT NULL DEFAULT '',
    ADD COLUMN valid_until timestamptz,   -- of one that was rotated; set as revoked_at is
    ADD COLUMN settled_at  timestamptz;   -- since when it is known that its event was appended
UPDATE auth.api_key_secret SET settled_at = now();
CREATE INDEX api_key_secret_unsettled ON auth.api_key_secret (created_at) WHERE settled_at IS NULL AND revoked_at IS NULL;
GRANT UPDATE (valid_until) ON auth.api_key_secret TO workforce_projector;

-- The secret in an answer, sealed, for the retry within a day. In no backup; a restore begins without any.
CREATE TABLE auth.shown_secret (
    secret_id  text        PRIMARY KEY,
    sealed     bytea       NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX shown_secret_by_age ON auth.shown_secret (created_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON auth.shown_secret TO workforce_writer;

-- What lists of keys filter and sort by. Rows get their values when the read model is made anew, for its new revision.
LOCK TABLE read.api_key IN ACCESS EXCLUSIVE MODE;
ALTER TABLE read.api_key
    ADD COLUMN type       text        NOT NULL DEFAULT '',
    ADD COLUMN status     text        NOT NULL DEFAULT '',
    ADD COLUMN user_id    bigint,
    ADD COLUMN ends_at    timestamptz,  -- when its state changes by itself: a rotated secret ends, or the key
    ADD COLUMN created_at timestamptz NOT NULL DEFAULT 'epoch',
    ADD COLUMN updated_at timestamptz NOT NULL DEFAULT 'epoch',
    ADD COLUMN name_key   text        NOT NULL COLLATE "C" DEFAULT '',
    ADD COLUMN search     text        NOT NULL COLLATE "C" DEFAULT '';
CREATE INDEX api_key_by_creation ON read.api_key (organization_id, is_sandbox, created_at, id);
CREATE INDEX api_key_by_name ON read.api_key (organization_id, is_sandbox, name_key, id);
CREATE INDEX api_key_ending ON read.api_key (ends_at) WHERE ends_at IS NOT NULL;

-- What first-party tokens are signed with; the private part is sealed by the master key. In no backup: tokens end with the
-- database.
CREATE TABLE auth.signing_key (
    id                 text        PRIMARY KEY,
    public_key         text        NOT NULL,
    sealed_private_key bytea       NOT NULL,
    created_at         timestamptz NOT NULL DEFAULT now()
);
GRANT SELECT, INSERT ON auth.signing_key TO workforce_writer;
GRANT SELECT (id, public_key) ON auth.signing_key TO workforce_operator;
