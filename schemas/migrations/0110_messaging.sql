-- Conversations and messages (domain 1.9): their ids, their read models, and what leaves by e-mail.

CREATE SEQUENCE ops.conversation_id START 1 INCREMENT 100;
CREATE SEQUENCE ops.message_id START 1 INCREMENT 100;
GRANT USAGE ON SEQUENCE ops.conversation_id, ops.message_id TO workforce_writer;

CREATE TABLE read.conversation (
    organization_id bigint      NOT NULL,
    is_sandbox      boolean     NOT NULL,
    id              bigint      NOT NULL,
    version         bigint      NOT NULL,
    facility_id     bigint,  -- NULL: of the organization as a whole
    deleted         boolean     NOT NULL,
    type            text        NOT NULL,
    participants    bigint[]    NOT NULL,  -- users, staff as negative numbers; 0: no user began it
    active_at       timestamptz NOT NULL,  -- of the latest message, else of the beginning
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    search          text        NOT NULL COLLATE "C",
    doc             text        NOT NULL,
    internals       text        NOT NULL,
    erased          boolean     NOT NULL,
    lacks_event     boolean     NOT NULL,
    PRIMARY KEY (organization_id, is_sandbox, id)
) WITH (fillfactor = 70);
CREATE INDEX conversation_by_id ON read.conversation (id);
CREATE INDEX conversation_by_activity ON read.conversation (organization_id, is_sandbox, active_at, id);
CREATE INDEX conversation_by_creation ON read.conversation (organization_id, is_sandbox, created_at, id);
CREATE INDEX conversation_by_facility ON read.conversation (organization_id, is_sandbox, facility_id, active_at, id);
CREATE INDEX conversation_of_participant ON read.conversation USING gin (participants) WITH (fastupdate = off);
CREATE INDEX conversation_across ON read.conversation (is_sandbox, active_at, id);
CREATE INDEX conversation_of_sandbox ON read.conversation (organization_id, facility_id, id) WHERE is_sandbox AND NOT deleted;
CREATE INDEX conversation_erased ON read.conversation (id) WHERE erased;

CREATE TABLE read.message (
    organization_id bigint      NOT NULL,
    is_sandbox      boolean     NOT NULL,
    id              bigint      NOT NULL,
    version         bigint      NOT NULL,
    conversation_id bigint      NOT NULL,
    facility_id     bigint,  -- the conversation's
    deleted         boolean     NOT NULL,
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    doc             text        NOT NULL,
    internals       text        NOT NULL,
    lacks_event     boolean     NOT NULL,
    PRIMARY KEY (organization_id, is_sandbox, id)
) WITH (fillfactor = 80);
CREATE INDEX message_by_id ON read.message (id);
CREATE INDEX message_of_sandbox ON read.message (organization_id, facility_id, id) WHERE is_sandbox AND NOT deleted;
CREATE INDEX message_of_conversation ON read.message (organization_id, is_sandbox, conversation_id, created_at, id);

-- No event in the log is of either yet: as 0022_leads.sql has it.
INSERT INTO projection.checkpoint (projection, partition, position, revision)
SELECT name, partition, position, 1
FROM projection.checkpoint, unnest(ARRAY['conversation', 'message']) AS name
WHERE projection = 'shift';

GRANT SELECT ON read.conversation, read.message TO workforce_reader, workforce_operator;
GRANT ALL ON read.conversation, read.message TO workforce_projector;
ALTER TABLE read.conversation ENABLE ROW LEVEL SECURITY;
ALTER TABLE read.message ENABLE ROW LEVEL SECURITY;
CREATE POLICY reader ON read.conversation FOR SELECT TO workforce_reader USING (
    (organization_id = (SELECT NULLIF(current_setting('app.organization', true), '')::bigint)
     OR (SELECT NULLIF(current_setting('app.operator', true), '')::boolean))
    AND is_sandbox = (SELECT NULLIF(current_setting('app.sandbox', true), '')::boolean));
CREATE POLICY reader ON read.message FOR SELECT TO workforce_reader USING (
    (organization_id = (SELECT NULLIF(current_setting('app.organization', true), '')::bigint)
     OR (SELECT NULLIF(current_setting('app.operator', true), '')::boolean))
    AND is_sandbox = (SELECT NULLIF(current_setting('app.sandbox', true), '')::boolean));
CREATE POLICY operator ON read.conversation FOR SELECT TO workforce_operator USING (
    is_sandbox = (SELECT NULLIF(current_setting('app.sandbox', true), '')::boolean));
CREATE POLICY operator ON read.message FOR SELECT TO workforce_operator USING (
    is_sandbox = (SELECT NULLIF(current_setting('app.sandbox', true), '')::boolean));
CREATE POLICY projector ON read.conversation TO workforce_projector USING (true);
CREATE POLICY projector ON read.message TO workforce_projector USING (true);

CREATE TABLE reactor.message_mail_work (
    id              uuid PRIMARY KEY,  -- the event's
    partition       int         NOT NULL,
    position        bigint      NOT NULL,
    organization_id bigint      NOT NULL,
    is_sandbox      boolean     NOT NULL,
    message_id      bigint      NOT NULL,
    correlation_id  text        NOT NULL,  -- request that caused the event
    created_at      timestamptz NOT NULL DEFAULT now(),
    due_at          timestamptz NOT NULL DEFAULT now(),
    attempts        int         NOT NULL DEFAULT 0,
    last_error      text        NOT NULL DEFAULT ''
);
CREATE INDEX message_mail_work_due ON reactor.message_mail_work (due_at);
CREATE INDEX message_mail_work_pending ON reactor.message_mail_work (partition, created_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON reactor.message_mail_work TO workforce_projector, workforce_writer;
