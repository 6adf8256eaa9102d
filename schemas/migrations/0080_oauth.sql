-- The OAuth authorization server: clients and grants, of which the log tells, and codes and tokens, of which it does not.

CREATE SEQUENCE ops.oauth_client_id START 1 INCREMENT 100;
CREATE SEQUENCE ops.oauth_grant_id START 1 INCREMENT 100;
GRANT USAGE ON SEQUENCE ops.oauth_client_id, ops.oauth_grant_id TO workforce_writer;

-- Keys that sign go when nothing is left that they signed.
GRANT DELETE ON auth.signing_key TO workforce_writer;

CREATE TABLE read.oauth_client (
    organization_id bigint      NOT NULL,
    is_sandbox      boolean     NOT NULL,
    id              bigint      NOT NULL,
    version         bigint      NOT NULL,
    client_id       text        NOT NULL,
    is_active       boolean     NOT NULL,
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    doc             text        NOT NULL,
    lacks_event     boolean     NOT NULL,
    PRIMARY KEY (organization_id, is_sandbox, id)
) WITH (fillfactor = 80);
CREATE INDEX oauth_client_by_id ON read.oauth_client (id);
CREATE INDEX oauth_client_by_creation ON read.oauth_client (organization_id, is_sandbox, created_at, id);

CREATE TABLE read.oauth_grant (
    organization_id bigint      NOT NULL,
    is_sandbox      boolean     NOT NULL,
    id              bigint      NOT NULL,
    version         bigint      NOT NULL,
    user_id         bigint      NOT NULL,
    status          text        NOT NULL,
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    doc             text        NOT NULL,
    lacks_event     boolean     NOT NULL,
    PRIMARY KEY (organization_id, is_sandbox, id)
) WITH (fillfactor = 80);
CREATE INDEX oauth_grant_by_id ON read.oauth_grant (id);
CREATE INDEX oauth_grant_of_user ON read.oauth_grant (organization_id, is_sandbox, user_id, id);
CREATE INDEX oauth_grant_by_creation ON read.oauth_grant (organization_id, is_sandbox, created_at, id);

-- No event in the log is of either yet: as 0022_leads.sql has it.
INSERT INTO projection.checkpoint (projection, partition, position, revision)
SELECT model, partition, position, 1
FROM projection.checkpoint CROSS JOIN unnest(ARRAY['oauth_client', 'oauth_grant']) AS m (model)
WHERE projection = 'shift';

GRANT SELECT ON read.oauth_client, read.oauth_grant TO workforce_reader, workforce_operator;
GRANT ALL ON read.oauth_client, read.oauth_grant TO workforce_projector;
ALTER TABLE read.oauth_client ENABLE ROW LEVEL SECURITY;
ALTER TABLE read.oauth_grant ENABLE ROW LEVEL SECURITY;
CREATE POLICY reader ON read.oauth_client FOR SELECT TO workforce_reader USING (
    (organization_id = (SELECT NULLIF(current_setting('app.organization', true), '')::bigint)
     OR (SELECT NULLIF(current_setting('app.operator', true), '')::boolean))
    AND is_sandbox = (SELECT NULLIF(current_setting('app.sandbox', true), '')::boolean));
CREATE POLICY operator ON read.oauth_client FOR SELECT TO workforce_operator USING (
    is_sandbox = (SELECT NULLIF(current_setting('app.sandbox', true), '')::boolean));
CREATE POLICY projector ON read.oauth_client TO workforce_projector USING (true);
CREATE POLICY reader ON read.oauth_grant FOR SELECT TO workforce_reader USING (
    (organization_id = (SELECT NULLIF(current_setting('app.organization', true), '')::bigint)
     OR (SELECT NULLIF(current_setting('app.operator', true), '')::boolean))
    AND is_sandbox = (SELECT NULLIF(current_setting('app.sandbox', true), '')::boolean));
CREATE POLICY operator ON read.oauth_grant FOR SELECT TO workforce_operator USING (
    is_sandbox = (SELECT NULLIF(current_setting('app.sandbox', true), '')::boolean));
CREATE POLICY projector ON read.oauth_grant TO workforce_projector USING (true);

-- A client's name in protocols, its id in the log, and its secret. A row stands here before the log tells of the client: one of
-- which the log knows nothing opens nothing, and goes.
CREATE TABLE auth.oauth_client (
    client_id     text        PRIMARY KEY,
    id            bigint      UNIQUE,  -- NULL: the log was not told of it yet
    secret_digest bytea,      -- NULL: it has none
    created_at    timestamptz NOT NULL DEFAULT now(),
    last_used_at  timestamptz -- NULL: nobody was asked to let it do anything yet
);
CREATE INDEX oauth_client_unused ON auth.oauth_client (created_at) WHERE last_used_at IS NULL;
CREATE INDEX oauth_client_by_use ON auth.oauth_client (last_used_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON auth.oauth_client TO workforce_writer;
GRANT SELECT ON auth.oauth_client TO workforce_operator;

-- What clients say of themselves in documents at their own addresses, which are their names. Fetched again when it is no longer
-- fresh; one that can't be fetched then holds on.
CREATE TABLE auth.oauth_document (
    client_id   text        PRIMARY KEY,
    doc         text        NOT NULL,
    fetched_at  timestamptz NOT NULL DEFAULT now(),
    fresh_until timestamptz NOT NULL,
    used_at     timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX oauth_document_by_use ON auth.oauth_document (used_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON auth.oauth_document TO workforce_writer;
GRANT SELECT ON auth.oauth_document TO workforce_operator;

-- All tokens that come of one consent. In no backup: a restore ends them.
CREATE TABLE auth.oauth_chain (
    id              bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    organization_id bigint      NOT NULL,
    user_id         bigint      NOT NULL,
    grant_id        bigint      NOT NULL,
    client_id       text        NOT NULL,
    scope           text        NOT NULL,
    resource        text        NOT NULL,  -- empty: both hosts
    created_at      timestamptz NOT NULL DEFAULT now(),
    used_at         timestamptz NOT NULL DEFAULT now(),  -- when tokens were issued last
    ends_at         timestamptz NOT NULL,                -- unless they are before
    ended_at        timestamptz,                         -- no token is issued any more
    cut_at          timestamptz                          -- access tokens open nothing any more, too
);
CREATE INDEX oauth_chain_of_user ON auth.oauth_chain (organization_id, user_id);
CREATE INDEX oauth_chain_of_grant ON auth.oauth_chain (grant_id, used_at);
CREATE INDEX oauth_chain_by_end ON auth.oauth_chain (ends_at);
CREATE INDEX oauth_chain_ended ON auth.oauth_chain (ended_at) WHERE ended_at IS NOT NULL;
GRANT SELECT, INSERT, UPDATE, DELETE ON auth.oauth_chain TO workforce_writer;
GRANT SELECT, UPDATE ON auth.oauth_chain TO workforce_projector;
GRANT SELECT ON auth.oauth_chain TO workforce_operator;

-- Authorization codes, as SHA-256. One that was used stays until it ends, so that it is known when it comes again.
CREATE TABLE auth.oauth_code (
    digest          bytea       PRIMARY KEY,
    organization_id bigint      NOT NULL,
    user_id         bigint      NOT NULL,
    grant_id        bigint      NOT NULL,
    client_id       text        NOT NULL,
    redirect_uri    text        NOT NULL,  -- as the request had it; empty: it had none
    challenge       text        NOT NULL,  -- S256 of the verifier
    scope           text        NOT NULL,
    resource        text        NOT NULL,
    ends_at         timestamptz NOT NULL,
    chain_id        bigint                 -- what came of it; NULL: it was not used yet
);
CREATE INDEX oauth_code_of_user ON auth.oauth_code (organization_id, user_id);
CREATE INDEX oauth_code_of_grant ON auth.oauth_code (grant_id);
CREATE INDEX oauth_code_by_end ON auth.oauth_code (ends_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON auth.oauth_code TO workforce_writer;
GRANT SELECT, UPDATE, DELETE ON auth.oauth_code TO workforce_projector;

-- Devices that wait for a user to type a code (RFC 8628), which lie here as SHA-256, both.
CREATE TABLE auth.oauth_device (
    digest          bytea       PRIMARY KEY,
    user_digest     bytea       NOT NULL UNIQUE,  -- of the code that is typed
    client_id       text        NOT NULL,
    scope           text        NOT NULL,  -- that is asked for; once a user approved it, that they let it have
    resource        text        NOT NULL,
    address         text        NOT NULL,  -- from where the device asked
    created_at      timestamptz NOT NULL DEFAULT now(),
    ends_at         timestamptz NOT NULL,
    polled_at       timestamptz,
    pause           int         NOT NULL DEFAULT 5,  -- seconds between polls
    denied          boolean     NOT NULL DEFAULT false,
    organization_id bigint,                -- as the next two: of who approved it; NULL: nobody did
    user_id         bigint,
    grant_id        bigint,
    chain_id        bigint                 -- what came of it; NULL: it was not fetched yet
);
CREATE INDEX oauth_device_by_end ON auth.oauth_device (ends_at);
CREATE INDEX oauth_device_of_user ON auth.oauth_device (organization_id, user_id) WHERE user_id IS NOT NULL;
CREATE INDEX oauth_device_of_grant ON auth.oauth_device (grant_id) WHERE grant_id IS NOT NULL;
GRANT SELECT, INSERT, UPDATE, DELETE ON auth.oauth_device TO workforce_writer;
GRANT SELECT, UPDATE, DELETE ON auth.oauth_device TO workforce_projector;

-- Codes that users typed and that nobody waits for: few are let guess.
CREATE TABLE auth.oauth_guess (
    user_id  bigint      PRIMARY KEY,
    guesses  int         NOT NULL,
    began_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX oauth_guess_by_age ON auth.oauth_guess (began_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON auth.oauth_guess TO workforce_writer;

-- Refresh tokens, as SHA-256. One that was spent stays as long as its chain.
CREATE TABLE auth.oauth_refresh (
    digest     bytea       PRIMARY KEY,
    chain_id   bigint      NOT NULL REFERENCES auth.oauth_chain (id) ON DELETE CASCADE,
    created_at timestamptz NOT NULL DEFAULT now(),
    spent_at   timestamptz,
    successor  bytea       -- the next one, sealed by this one, for clients that lost it; NULL: for none, or no more
);
CREATE INDEX oauth_refresh_retried ON auth.oauth_refresh (spent_at) WHERE successor IS NOT NULL;
CREATE INDEX oauth_refresh_of_chain ON auth.oauth_refresh (chain_id);
GRANT SELECT, INSERT, UPDATE, DELETE ON auth.oauth_refresh TO workforce_writer;
