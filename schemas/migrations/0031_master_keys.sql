-- The master key is replaced beside running services (`workforce keys rotate-master`).

-- Which master key is in use, by an id that does not tell it, and while it replaces another: which one that is. Who seals
-- under the key in use locks these rows FOR SHARE, for which PostgreSQL wants a right to update; so that nothing is sealed
-- under the former key once another is in use. Not in the backup, which names its key in its manifest.
CREATE TABLE vault.master_key (
    id       text        PRIMARY KEY,
    standing text        NOT NULL UNIQUE CHECK (standing IN ('in use', 'former')),
    since    timestamptz NOT NULL DEFAULT now()
);
GRANT SELECT, INSERT, UPDATE (since) ON vault.master_key TO workforce_writer;
GRANT SELECT ON vault.master_key TO workforce_projector;

-- What was derived from the first master key and has to stay as it is, since nobody could make anew what it made; and the
-- public keys by which signatures of former master keys are checked. Sealed by the one in use.
CREATE TABLE vault.kept_key (
    purpose text  PRIMARY KEY,
    sealed  bytea NOT NULL
);
GRANT SELECT ON vault.kept_key TO workforce_writer, workforce_projector;

-- The id of the master key that seals the row; NULL: the one before these were written down.
ALTER TABLE vault.person_key ADD COLUMN master_key text;
ALTER TABLE auth.shown_secret ADD COLUMN master_key text;
ALTER TABLE auth.signing_key ADD COLUMN master_key text;

-- The master keys that a process knows, the one that it uses first; NULL: it is of a release that does not tell.
ALTER TABLE ops.process ADD COLUMN master_keys text[];

-- Keys of answers that have had their time are looked for among all keys.
CREATE INDEX person_key_of_answers ON vault.person_key (person) WHERE sealed_key IS NOT NULL AND person LIKE 'organization/%';
