-- Ordinary rows beside the log: who serves what, ids, reservations across partitions, and secrets.
CREATE SCHEMA ops;
CREATE SCHEMA auth;

-- Liveness of partition owners, by the database's clock. Safety comes from the log's epoch alone.
CREATE TABLE ops.lease (
    partition  int PRIMARY KEY,
    owner      text        NOT NULL,
    admin_url  text        NOT NULL,
    expires_at timestamptz NOT NULL
);

-- The partition of each organization, chosen once.
CREATE TABLE ops.organization_home (
    organization_id bigint PRIMARY KEY,
    partition       int NOT NULL
);

-- Blocks of ids: each value is the first of 100.
CREATE SEQUENCE ops.organization_id START 1 INCREMENT 1;
CREATE SEQUENCE ops.facility_id START 1 INCREMENT 100;
CREATE SEQUENCE ops.user_id START 1 INCREMENT 100;
CREATE SEQUENCE ops.api_key_id START 1 INCREMENT 100;
CREATE SEQUENCE ops.staff_id START 1 INCREMENT 100;
CREATE SEQUENCE ops.shift_id START 1 INCREMENT 100;

-- User e-mail is unique on the platform, across partitions: reserved here before the append. The digest is keyed.
CREATE TABLE ops.user_email (
    email_digest bytea PRIMARY KEY,
    user_id      bigint NOT NULL,
    reserved_at  timestamptz NOT NULL DEFAULT now()
);

-- Secrets of API keys: found by the SHA-256 of the whole token. Everything else about a key is in its events.
CREATE TABLE auth.api_key_secret (
    digest          bytea PRIMARY KEY,
    key_id          bigint      NOT NULL,
    organization_id bigint      NOT NULL,
    created_at      timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX ON auth.api_key_secret (key_id);

GRANT USAGE ON SCHEMA ops, auth TO workforce_writer;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ops, auth TO workforce_writer;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA ops TO workforce_writer;
GRANT USAGE ON SCHEMA auth TO workforce_reader;
GRANT SELECT ON auth.api_key_secret TO workforce_reader;
