-- Tokens by which calendar programs read a person's shifts, beside the log: as SHA-256, one for each person.

CREATE TABLE auth.calendar_token (
    organization_id bigint      NOT NULL,
    is_sandbox      boolean     NOT NULL,
    staff_id        bigint      NOT NULL,
    facility_ids    bigint[]    NOT NULL,  -- whose shifts it shows; none: the person's shifts anywhere
    digest          bytea       NOT NULL UNIQUE,
    created_at      timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (staff_id, organization_id, is_sandbox)
);
GRANT SELECT, INSERT, UPDATE, DELETE ON auth.calendar_token TO workforce_writer;
