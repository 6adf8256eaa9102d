-- Approvals (domain 1.10): their ids and their read model.

CREATE SEQUENCE ops.approval_id START 1 INCREMENT 100;
GRANT USAGE ON SEQUENCE ops.approval_id TO workforce_writer;

CREATE TABLE read.approval (
    organization_id bigint      NOT NULL,
    is_sandbox      boolean     NOT NULL,
    id              bigint      NOT NULL,
    version         bigint      NOT NULL,
    facility_id     bigint,  -- NULL: of several facilities, or none
    deleted         boolean     NOT NULL,
    status          text        NOT NULL,
    agent_id        bigint,
    requested_by    bigint      NOT NULL,  -- user; 0: a key that no user stands behind
    resolved_by     bigint      NOT NULL,  -- user; 0: nobody, or such a key
    lineage         text        NOT NULL COLLATE "C",  -- of the credential that asked
    expires_at      timestamptz NOT NULL,
    named_staff_ids bigint[]    NOT NULL,  -- whom arguments and result name
    named_user_ids  bigint[]    NOT NULL,
    named_lead_ids  bigint[]    NOT NULL,
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    doc             text        NOT NULL,
    internals       text        NOT NULL,
    erased          boolean     NOT NULL,
    lacks_event     boolean     NOT NULL,
    PRIMARY KEY (organization_id, is_sandbox, id)
) WITH (fillfactor = 70);
CREATE INDEX approval_by_id ON read.approval (id);
CREATE INDEX approval_by_creation ON read.approval (organization_id, is_sandbox, created_at, id);
CREATE INDEX approval_by_facility ON read.approval (organization_id, is_sandbox, facility_id, created_at, id);
CREATE INDEX approval_of_requester ON read.approval (organization_id, is_sandbox, lineage, created_at, id);
CREATE INDEX approval_across ON read.approval (is_sandbox, created_at, id);
CREATE INDEX approval_pending ON read.approval (organization_id, is_sandbox, created_at) WHERE status = 'pending' AND NOT deleted;
CREATE INDEX approval_pending_of_requester ON read.approval (organization_id, is_sandbox, lineage, created_at)
    WHERE status = 'pending' AND NOT deleted;
CREATE INDEX approval_waiting ON read.approval (expires_at) WHERE status = 'pending' AND NOT deleted;
CREATE INDEX approval_of_staff ON read.approval USING gin (named_staff_ids) WITH (fastupdate = off)
    WHERE named_staff_ids <> '{}';
CREATE INDEX approval_of_user ON read.approval USING gin (named_user_ids) WITH (fastupdate = off)
    WHERE named_user_ids <> '{}';
CREATE INDEX approval_of_lead ON read.approval USING gin (named_lead_ids) WITH (fastupdate = off)
    WHERE named_lead_ids <> '{}';
CREATE INDEX approval_of_sandbox ON read.approval (organization_id, facility_id, id) WHERE is_sandbox AND NOT deleted;
CREATE INDEX approval_erased ON read.approval (id) WHERE erased;

-- No event in the log is of an approval yet: as 0022_leads.sql has it.
INSERT INTO projection.checkpoint (projection, partition, position, revision)
SELECT 'approval', partition, position, 1 FROM projection.checkpoint WHERE projection = 'shift';

GRANT SELECT ON read.approval TO workforce_reader, workforce_operator;
GRANT ALL ON read.approval TO workforce_projector;
ALTER TABLE read.approval ENABLE ROW LEVEL SECURITY;
CREATE POLICY reader ON read.approval FOR SELECT TO workforce_reader USING (
    (organization_id = (SELECT NULLIF(current_setting('app.organization', true), '')::bigint)
     OR (SELECT NULLIF(current_setting('app.operator', true), '')::boolean))
    AND is_sandbox = (SELECT NULLIF(current_setting('app.sandbox', true), '')::boolean));
CREATE POLICY operator ON read.approval FOR SELECT TO workforce_operator USING (
    is_sandbox = (SELECT NULLIF(current_setting('app.sandbox', true), '')::boolean));
CREATE POLICY projector ON read.approval TO workforce_projector USING (true);
