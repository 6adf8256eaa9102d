-- What users and organizations are listed by (domain 3.3). Defaults are for processes of the release before, which write rows
-- without these columns; a rebuild fills them.
LOCK TABLE read.organization, read.user_account IN ACCESS EXCLUSIVE MODE;  -- in the order in which projections write

ALTER TABLE read.organization
    ADD COLUMN is_active  boolean     NOT NULL DEFAULT true,
    ADD COLUMN name_key   text        COLLATE "C" NOT NULL DEFAULT '',
    ADD COLUMN search     text        COLLATE "C" NOT NULL DEFAULT '',
    ADD COLUMN created_at timestamptz NOT NULL DEFAULT 'epoch',
    ADD COLUMN updated_at timestamptz NOT NULL DEFAULT 'epoch';
CREATE INDEX organization_across ON read.organization (is_sandbox, name_key, id);

ALTER TABLE read.user_account
    ADD COLUMN facility_ids bigint[]    NOT NULL DEFAULT '{}',
    ADD COLUMN role         text        NOT NULL DEFAULT 'viewer',
    ADD COLUMN status       text        NOT NULL DEFAULT 'active',
    ADD COLUMN name_key     text        COLLATE "C" NOT NULL DEFAULT '',
    ADD COLUMN search       text        COLLATE "C" NOT NULL DEFAULT '',
    ADD COLUMN created_at   timestamptz NOT NULL DEFAULT 'epoch',
    ADD COLUMN updated_at   timestamptz NOT NULL DEFAULT 'epoch';
CREATE INDEX user_account_by_name ON read.user_account (organization_id, is_sandbox, name_key, id);
CREATE INDEX user_account_by_creation ON read.user_account (organization_id, is_sandbox, created_at, id);
CREATE INDEX user_account_across ON read.user_account (is_sandbox, name_key, id);
