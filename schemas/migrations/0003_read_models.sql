-- The read models: schema `read` holds what queries answer and nothing else, `projection` how far each has come.
--
-- All rows of `read` are the fold of the log and can be made anew from it. Keys lead with the organization, so that the
-- tables can be spread by it. `doc` is the resource as GET answers it; the other columns are what lists filter and sort by.
-- Columns named *_key and `search` are case-folded, and compared byte by byte, so that no order changes under a cursor.
CREATE SCHEMA read;
CREATE SCHEMA projection;

CREATE TABLE read.organization (
    organization_id bigint  NOT NULL,
    facility_id     bigint,
    is_sandbox      boolean NOT NULL,
    id              bigint  NOT NULL,
    version         bigint  NOT NULL,
    doc             text    NOT NULL,
    PRIMARY KEY (organization_id, is_sandbox, id)
) WITH (fillfactor = 80);

CREATE TABLE read.facility (
    organization_id bigint      NOT NULL,
    facility_id     bigint      NOT NULL,
    is_sandbox      boolean     NOT NULL,
    id              bigint      NOT NULL,
    version         bigint      NOT NULL,
    is_active       boolean     NOT NULL,
    timezone        text        NOT NULL,
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    name_key        text        NOT NULL COLLATE "C",
    search          text        NOT NULL COLLATE "C",
    doc             text        NOT NULL,
    PRIMARY KEY (organization_id, is_sandbox, id)
) WITH (fillfactor = 80);
CREATE INDEX facility_by_id ON read.facility (id);

CREATE TABLE read.user_account (
    organization_id bigint  NOT NULL,
    facility_id     bigint,
    is_sandbox      boolean NOT NULL,
    id              bigint  NOT NULL,
    version         bigint  NOT NULL,
    name            text    NOT NULL,
    email           text    NOT NULL,
    doc             text    NOT NULL,
    PRIMARY KEY (organization_id, is_sandbox, id)
) WITH (fillfactor = 80);
CREATE INDEX user_account_by_id ON read.user_account (id);

CREATE TABLE read.api_key (
    organization_id bigint  NOT NULL,
    facility_id     bigint,
    is_sandbox      boolean NOT NULL,
    id              bigint  NOT NULL,
    version         bigint  NOT NULL,
    doc             text    NOT NULL,
    PRIMARY KEY (organization_id, is_sandbox, id)
) WITH (fillfactor = 80);
CREATE INDEX api_key_by_id ON read.api_key (id);

CREATE TABLE read.staff (
    organization_id bigint      NOT NULL,
    facility_id     bigint,
    is_sandbox      boolean     NOT NULL,
    id              bigint      NOT NULL,
    version         bigint      NOT NULL,
    facility_ids    bigint[]    NOT NULL,
    is_active       boolean     NOT NULL,
    employment_type text        NOT NULL,
    hourly_rate     bigint      NOT NULL,  -- hundredths
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    last_name_key   text        NOT NULL COLLATE "C",
    specialty_key   text        NOT NULL COLLATE "C",
    skill_keys      text[]      NOT NULL COLLATE "C",
    search          text        NOT NULL COLLATE "C",
    doc             text        NOT NULL,
    PRIMARY KEY (organization_id, is_sandbox, id)
) WITH (fillfactor = 80);
CREATE INDEX staff_by_name ON read.staff (organization_id, is_sandbox, last_name_key, id);
CREATE INDEX staff_by_id ON read.staff (id);

CREATE TABLE read.shift (
    organization_id bigint      NOT NULL,
    facility_id     bigint      NOT NULL,
    is_sandbox      boolean     NOT NULL,
    id              bigint      NOT NULL,
    version         bigint      NOT NULL,
    deleted         boolean     NOT NULL,
    status          text        NOT NULL,
    urgency_rank    smallint    NOT NULL,  -- 0 low … 3 critical
    date            date        NOT NULL,  -- of the start, on the facility's calendar
    starts_at       timestamptz NOT NULL,
    ends_at         timestamptz NOT NULL,
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    staff_ids       bigint[]    NOT NULL,
    department_key  text        NOT NULL COLLATE "C",
    specialty_key   text        NOT NULL COLLATE "C",
    search          text        NOT NULL COLLATE "C",
    doc             text        NOT NULL,
    assignments     text        NOT NULL,  -- JSON array
    PRIMARY KEY (organization_id, is_sandbox, id)
) WITH (fillfactor = 80);
CREATE INDEX shift_by_start ON read.shift (organization_id, is_sandbox, starts_at, id);
CREATE INDEX shift_by_facility ON read.shift (organization_id, is_sandbox, facility_id, starts_at, id);
CREATE INDEX shift_by_creation ON read.shift (organization_id, is_sandbox, created_at, id);
CREATE INDEX shift_by_id ON read.shift (id);

CREATE TABLE read.activity (
    organization_id bigint      NOT NULL,
    facility_id     bigint,
    is_sandbox      boolean     NOT NULL,
    id              bigint      NOT NULL,  -- position × 1024 + partition of the event
    action          text        NOT NULL,
    resource        text        NOT NULL,
    user_id         bigint      NOT NULL,  -- 0: the system
    created_at      timestamptz NOT NULL,
    PRIMARY KEY (organization_id, is_sandbox, id)
);

-- Operators' lists go across organizations, so no key of theirs leads with one.
CREATE INDEX shift_across ON read.shift (starts_at, id);
CREATE INDEX activity_across ON read.activity (created_at, id);

-- Where each projection stands at each partition: the position of the last event folded, -1 for none.
CREATE TABLE projection.checkpoint (
    projection text        NOT NULL,
    partition  int         NOT NULL,
    position   bigint      NOT NULL,
    revision   int         NOT NULL,
    moved_at   timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (partition, projection)
) WITH (fillfactor = 50);

-- Events that stopped a projection. Rows stay when they are resolved: they are the record of what an operator did.
CREATE TABLE projection.poison (
    projection  text        NOT NULL,
    partition   int         NOT NULL,
    position    bigint      NOT NULL,
    error       text        NOT NULL,
    attempts    bigint      NOT NULL DEFAULT 1,
    first_at    timestamptz NOT NULL DEFAULT now(),
    last_at     timestamptz NOT NULL DEFAULT now(),
    resolution  text        CHECK (resolution IN ('retried', 'skipped')),  -- null: the projection stands still here
    resolved_at timestamptz,                                               -- when and by whom it last was resolved
    resolved_by text,
    PRIMARY KEY (partition, projection, position)
);

GRANT USAGE ON SCHEMA read, projection TO workforce_reader, workforce_projector;
GRANT SELECT ON ALL TABLES IN SCHEMA read, projection TO workforce_reader;
GRANT ALL ON ALL TABLES IN SCHEMA read, projection TO workforce_projector;

-- Row-level security. A setting that was reset is an empty string, hence NULLIF; unset means no rows. The sub-selects
-- make the settings constants of a query instead of a look-up a row.
--
-- Sandbox and live never meet, not even for operators, with one exception: the sandbox also sees live facilities (its
-- shifts happen at these), organizations, users and keys; never the other way round.
DO $$
DECLARE
    name    text;
    tenant  text;
    sandbox text;
BEGIN
    FOREACH name IN ARRAY
        ARRAY['organization', 'facility', 'user_account', 'api_key', 'staff', 'shift', 'activity']
    LOOP
        tenant := '(organization_id = (SELECT NULLIF(current_setting(''app.organization'', true), '''')::bigint)'
            ' OR (SELECT NULLIF(current_setting(''app.operator'', true), '''')::boolean))';
        sandbox := '(SELECT NULLIF(current_setting(''app.sandbox'', true), '''')::boolean)';
        IF name IN ('staff', 'shift', 'activity') THEN
            tenant := tenant || ' AND is_sandbox = ' || sandbox;
        ELSE
            tenant := tenant || ' AND (NOT is_sandbox OR ' || sandbox || ')';
        END IF;
        EXECUTE format('ALTER TABLE read.%I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY reader ON read.%I FOR SELECT TO workforce_reader USING (%s)', name, tenant);
        EXECUTE format('CREATE POLICY projector ON read.%I TO workforce_projector USING (true)', name);
    END LOOP;
END
$$;
