-- The roles that the program acts under, the event log of the Postgres engine, and the keys that seal personal fields in it.

-- Roles belong to the whole cluster and several of its databases may be migrated at once, so "exists already" is no fault.
-- None of them can log in: a connection takes one on by SET ROLE, which membership allows.
DO $$
DECLARE
    role_name text;
BEGIN
    FOREACH role_name IN ARRAY ARRAY['workforce_projector', 'workforce_reader', 'workforce_writer'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role_name) THEN
            BEGIN
                EXECUTE format('CREATE ROLE %I NOLOGIN', role_name);
            EXCEPTION WHEN duplicate_object OR unique_violation THEN
                NULL;
            END;
        END IF;
        IF NOT pg_has_role(current_user, role_name, 'MEMBER') THEN
            BEGIN
                EXECUTE format('GRANT %I TO CURRENT_USER', role_name);
            EXCEPTION WHEN duplicate_object OR unique_violation THEN
                NULL;
            END;
        END IF;
    END LOOP;
END
$$;

CREATE SCHEMA log;
CREATE SCHEMA vault;

-- One row a partition; the append moves `head` where epoch and head are as the writer expects, and so fences stale writers.
CREATE TABLE log.partition (
    partition int PRIMARY KEY,
    epoch     bigint NOT NULL DEFAULT 0,
    head      bigint NOT NULL DEFAULT -1,
    head_hash text   NOT NULL DEFAULT repeat('0', 64)
) WITH (fillfactor = 50);

-- `body` is text and not jsonb, which would not keep the bytes that the hash chain covers.
CREATE TABLE log.event (
    partition int    NOT NULL,
    position  bigint NOT NULL,
    body      text   NOT NULL,
    PRIMARY KEY (partition, position)
);

-- Take-overs, outside the chain: who claimed what, and where the log stood.
CREATE TABLE log.claim (
    partition  int         NOT NULL,
    epoch      bigint      NOT NULL,
    position   bigint      NOT NULL,
    owner      text        NOT NULL,
    claimed_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (partition, epoch)
);

-- Facts of the installation that are fixed once events exist (its name stands in every event's source).
CREATE TABLE log.installation (
    name  text PRIMARY KEY,
    value text NOT NULL
);

-- One key a person, sealed by the master key. A destroyed key leaves its row, so that it is never made again.
CREATE TABLE vault.person_key (
    person       text PRIMARY KEY,
    sealed_key   bytea,
    created_at   timestamptz NOT NULL DEFAULT now(),
    destroyed_at timestamptz,
    CHECK ((sealed_key IS NULL) = (destroyed_at IS NOT NULL))
);

-- The log is append-only: no role may change or delete events or claims. Queries see neither log nor keys.
GRANT USAGE ON SCHEMA log, vault TO workforce_writer, workforce_projector;
GRANT SELECT, INSERT, UPDATE ON log.partition TO workforce_writer;
GRANT SELECT, INSERT ON log.event, log.claim TO workforce_writer;
GRANT SELECT ON log.installation TO workforce_writer;
GRANT SELECT ON log.event, log.partition TO workforce_projector;
GRANT SELECT, INSERT, UPDATE ON vault.person_key TO workforce_writer;
GRANT SELECT ON vault.person_key TO workforce_projector;
