-- How people sign in: passwords, sessions, failed attempts, and links by mail. None of it is in the log, which tells of it by
-- events that carry no secret.

CREATE TABLE auth.password (
    organization_id bigint      NOT NULL,
    user_id         bigint      NOT NULL,
    hash            text        NOT NULL,  -- argon2id, encoded
    set_at          timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, user_id)
);
CREATE INDEX password_by_age ON auth.password (set_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON auth.password TO workforce_writer;

-- A session that ended has no row. In no backup: a restore ends all.
CREATE TABLE auth.session (
    id              bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    digest          bytea       NOT NULL UNIQUE,  -- of the cookie's value, or of the token
    organization_id bigint      NOT NULL,
    user_id         bigint      NOT NULL,
    kind            text        NOT NULL CHECK (kind IN ('cookie', 'jwt')),
    created_at      timestamptz NOT NULL DEFAULT now(),
    last_seen_at    timestamptz NOT NULL DEFAULT now(),
    ends_at         timestamptz NOT NULL,  -- however often it is used
    address         text        NOT NULL,  -- of who signed in
    agent           text        NOT NULL
);
CREATE INDEX session_of_user ON auth.session (organization_id, user_id, id);
CREATE INDEX session_by_end ON auth.session (ends_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON auth.session TO workforce_writer;
GRANT SELECT, DELETE ON auth.session TO workforce_projector;
GRANT SELECT ON auth.session TO workforce_operator;

-- Attempts to sign in that did not succeed, of an account or of a name that nobody has: both are locked alike.
CREATE TABLE auth.sign_in_failure (
    account         text        PRIMARY KEY,
    organization_id bigint,  -- NULL: nobody has the name
    user_id         bigint,
    failures        int         NOT NULL,
    began_at        timestamptz NOT NULL DEFAULT now(),
    told            boolean     NOT NULL DEFAULT false,  -- whether the log was told of these attempts
    locked_until    timestamptz
);
CREATE INDEX sign_in_failure_by_age ON auth.sign_in_failure (began_at);
CREATE INDEX sign_in_failure_by_lock ON auth.sign_in_failure (locked_until) WHERE locked_until IS NOT NULL;
GRANT SELECT, INSERT, UPDATE, DELETE ON auth.sign_in_failure TO workforce_writer;

-- Invitations and resets: a mail has a link whose token follows from the id, once; who uses it deletes the row.
CREATE TABLE auth.link (
    id              uuid        PRIMARY KEY,
    digest          bytea       NOT NULL UNIQUE,
    organization_id bigint      NOT NULL,  -- 0: nobody has the name that was given
    user_id         bigint      NOT NULL,
    purpose         text        NOT NULL CHECK (purpose IN ('invite', 'reset')),
    created_at      timestamptz NOT NULL DEFAULT now(),
    ends_at         timestamptz NOT NULL,
    mailed_at       timestamptz
);
CREATE INDEX link_of_user ON auth.link (organization_id, user_id);
CREATE INDEX link_to_mail ON auth.link (created_at) WHERE mailed_at IS NULL;
CREATE INDEX link_by_end ON auth.link (ends_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON auth.link TO workforce_writer;
GRANT SELECT ON auth.link TO workforce_projector;

-- What the log is to be told of sign-ins, written with what it tells of: it waits for no append, and none is lost.
CREATE TABLE auth.sign_in_record (
    id              bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key             uuid        NOT NULL DEFAULT gen_random_uuid(),  -- under which it is told once
    organization_id bigint      NOT NULL,
    user_id         bigint      NOT NULL,
    operation       text        NOT NULL,
    body            text        NOT NULL DEFAULT '{}',
    request_id      text        NOT NULL DEFAULT ''
);
GRANT SELECT, INSERT, DELETE ON auth.sign_in_record TO workforce_writer;

-- Who signs in is found by the name that is reserved, also one that processes of long before reserved.
UPDATE ops.reservation r SET organization_id = u.organization_id
FROM read.user_account u
WHERE r.organization_id IS NULL AND r.kind = 'user' AND u.id = r.subject_id;
