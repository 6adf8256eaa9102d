-- Read models as the write side's snapshots: what it needs to find in them, and the answers kept for idempotency.

-- Where each answer of the last day stands in the log: id is position × 1024 + partition, key the first half of the SHA-256
-- of the idempotency key as the log has it. Older rows are deleted.
CREATE TABLE read.answer (
    organization_id bigint      NOT NULL,
    is_sandbox      boolean     NOT NULL,
    id              bigint      NOT NULL,
    key             uuid        NOT NULL,
    answered_at     timestamptz NOT NULL,
    PRIMARY KEY (organization_id, is_sandbox, key, id)
);
CREATE INDEX answer_by_time ON read.answer (answered_at);

-- Who queries sees its organization's rows alone, as of all read models, though no query asks for these.
GRANT SELECT ON read.answer TO workforce_reader;
GRANT ALL ON read.answer TO workforce_projector;
ALTER TABLE read.answer ENABLE ROW LEVEL SECURITY;
CREATE POLICY reader ON read.answer FOR SELECT TO workforce_reader USING (
    (organization_id = (SELECT NULLIF(current_setting('app.organization', true), '')::bigint)
     OR (SELECT NULLIF(current_setting('app.operator', true), '')::boolean))
    AND is_sandbox = (SELECT NULLIF(current_setting('app.sandbox', true), '')::boolean));
CREATE POLICY projector ON read.answer TO workforce_projector USING (true);

-- A staff member by address, whoever writes the row. And who was erased, as the event of the erasure tells; of those erased
-- before there was the column their destroyed keys tell.
LOCK TABLE read.user_account, read.staff IN ACCESS EXCLUSIVE MODE;  -- in the order in which projections write
ALTER TABLE read.user_account ADD COLUMN erased boolean NOT NULL DEFAULT false;
ALTER TABLE read.staff ADD COLUMN erased boolean NOT NULL DEFAULT false,
    ADD COLUMN email text GENERATED ALWAYS AS (doc::jsonb ->> 'email') STORED;
UPDATE read.user_account SET erased = true
WHERE 'user/' || id IN (SELECT person FROM vault.person_key WHERE destroyed_at IS NOT NULL);
UPDATE read.staff SET erased = true
WHERE 'staff/' || id IN (SELECT person FROM vault.person_key WHERE destroyed_at IS NOT NULL);
CREATE INDEX staff_by_email ON read.staff (organization_id, is_sandbox, email);
CREATE INDEX staff_erased ON read.staff (id) WHERE erased;
CREATE INDEX user_account_erased ON read.user_account (id) WHERE erased;

-- The shift clock looks for due shifts of the partitions that a process writes.
GRANT USAGE ON SCHEMA ops TO workforce_projector;
GRANT SELECT ON ops.organization_home TO workforce_projector;
