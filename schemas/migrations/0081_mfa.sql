-- Second factors: as passwords, beside the log, which tells that there is one.

CREATE TABLE auth.mfa (
    organization_id bigint      NOT NULL,
    user_id         bigint      NOT NULL,
    sealed          bytea       NOT NULL,  -- what the user's program shares with us
    confirmed       boolean     NOT NULL DEFAULT false,
    last_step       bigint      NOT NULL DEFAULT 0,  -- whose code was used last: no code is good twice
    PRIMARY KEY (organization_id, user_id)
);
CREATE TABLE auth.mfa_recovery (
    organization_id bigint NOT NULL,
    user_id         bigint NOT NULL,
    digest          bytea  NOT NULL,
    PRIMARY KEY (organization_id, user_id, digest)
);
GRANT SELECT, INSERT, UPDATE, DELETE ON auth.mfa, auth.mfa_recovery TO workforce_writer;
