-- The audit log (domain 1.9): one row an audited event. Rows are only added, and never tell a personal field.
CREATE TABLE read.audit_entry (
    organization_id bigint      NOT NULL,
    facility_id     bigint,
    is_sandbox      boolean     NOT NULL,
    id              bigint      NOT NULL,  -- position × 1024 + partition of the event
    action          text        NOT NULL,
    resource        text        NOT NULL,
    actor_id        bigint      NOT NULL,  -- of the credential: a key, or the user who signed in; 0: the system
    request_id      text        NOT NULL,  -- empty: no request caused it
    created_at      timestamptz NOT NULL,
    doc             text        NOT NULL,  -- the entry as GET answers it, but for name, address and user agent
    state           text,                  -- of the resource after the event, without personal fields; NULL: as before it
    PRIMARY KEY (organization_id, is_sandbox, id)
);
CREATE INDEX audit_entry_by_time ON read.audit_entry (organization_id, is_sandbox, created_at, id);
CREATE INDEX audit_entry_by_action ON read.audit_entry (organization_id, is_sandbox, action, created_at, id);
CREATE INDEX audit_entry_by_actor ON read.audit_entry (organization_id, is_sandbox, actor_id, created_at, id);
CREATE INDEX audit_entry_by_resource ON read.audit_entry (organization_id, is_sandbox, resource, created_at, id);
CREATE INDEX audit_entry_by_facility ON read.audit_entry (organization_id, is_sandbox, facility_id, created_at, id);
CREATE INDEX audit_entry_across ON read.audit_entry (is_sandbox, created_at, id);
-- What the next event of a resource is compared with.
CREATE INDEX fold_audit_entry_by_resource ON read.audit_entry (organization_id, is_sandbox, resource, id)
    WHERE state IS NOT NULL;

-- It has no checkpoint yet: it begins with the log, and so tells what happened before this release, too.
GRANT SELECT ON read.audit_entry TO workforce_reader, workforce_operator;
GRANT ALL ON read.audit_entry TO workforce_projector;
ALTER TABLE read.audit_entry ENABLE ROW LEVEL SECURITY;
CREATE POLICY reader ON read.audit_entry FOR SELECT TO workforce_reader USING (
    (organization_id = (SELECT NULLIF(current_setting('app.organization', true), '')::bigint)
     OR (SELECT NULLIF(current_setting('app.operator', true), '')::boolean))
    AND is_sandbox = (SELECT NULLIF(current_setting('app.sandbox', true), '')::boolean));
CREATE POLICY operator ON read.audit_entry FOR SELECT TO workforce_operator USING (
    is_sandbox = (SELECT NULLIF(current_setting('app.sandbox', true), '')::boolean));
CREATE POLICY projector ON read.audit_entry TO workforce_projector USING (true);

-- From which address and by which program an audited request came. Both are personal, so this is not in the log; rows are kept
-- 400 days (domain 14), and in no backup.
CREATE TABLE auth.request_origin (
    organization_id bigint      NOT NULL,  -- that the request was about
    request_id      text        NOT NULL,
    user_id         bigint      NOT NULL,  -- who stands behind the credential; 0: nobody
    address         text        NOT NULL,
    agent           text        NOT NULL,  -- empty: the request named none
    at              timestamptz NOT NULL,
    PRIMARY KEY (organization_id, request_id)
);
CREATE INDEX request_origin_of_user ON auth.request_origin (user_id) WHERE user_id <> 0;
CREATE INDEX request_origin_by_age ON auth.request_origin (at);
GRANT SELECT, INSERT, UPDATE, DELETE ON auth.request_origin TO workforce_writer;
GRANT SELECT ON auth.request_origin TO workforce_reader, workforce_operator;
ALTER TABLE auth.request_origin ENABLE ROW LEVEL SECURITY;
CREATE POLICY writer ON auth.request_origin TO workforce_writer USING (true);
CREATE POLICY reader ON auth.request_origin FOR SELECT TO workforce_reader USING (
    organization_id = (SELECT NULLIF(current_setting('app.organization', true), '')::bigint));
CREATE POLICY operator ON auth.request_origin FOR SELECT TO workforce_operator USING (true);
