-- Notifications (domain 1.9): their ids, their read model, and what the reactor that makes them keeps.

CREATE SEQUENCE ops.notification_id START 1 INCREMENT 100;
GRANT USAGE ON SEQUENCE ops.notification_id TO workforce_writer;

CREATE TABLE read.notification (
    organization_id bigint      NOT NULL,
    is_sandbox      boolean     NOT NULL,
    id              bigint      NOT NULL,
    version         bigint      NOT NULL,
    user_id         bigint      NOT NULL,  -- who is told, and alone sees it
    type            text        NOT NULL,
    is_read         boolean     NOT NULL,
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    doc             text        NOT NULL,
    lacks_event     boolean     NOT NULL,
    PRIMARY KEY (organization_id, is_sandbox, id)
) WITH (fillfactor = 80);
CREATE INDEX notification_by_id ON read.notification (id);
CREATE INDEX notification_of_user ON read.notification (organization_id, is_sandbox, user_id, created_at, id);
CREATE INDEX notification_unread ON read.notification (organization_id, is_sandbox, user_id, id) WHERE NOT is_read;

-- No event in the log is of a notification yet: the read model stands where others do.
INSERT INTO projection.checkpoint (projection, partition, position, revision)
SELECT 'notification', partition, position, 1 FROM projection.checkpoint WHERE projection = 'shift';

GRANT SELECT ON read.notification TO workforce_reader, workforce_operator;
GRANT ALL ON read.notification TO workforce_projector;
ALTER TABLE read.notification ENABLE ROW LEVEL SECURITY;
CREATE POLICY reader ON read.notification FOR SELECT TO workforce_reader USING (
    (organization_id = (SELECT NULLIF(current_setting('app.organization', true), '')::bigint)
     OR (SELECT NULLIF(current_setting('app.operator', true), '')::boolean))
    AND is_sandbox = (SELECT NULLIF(current_setting('app.sandbox', true), '')::boolean));
CREATE POLICY operator ON read.notification FOR SELECT TO workforce_operator USING (
    is_sandbox = (SELECT NULLIF(current_setting('app.sandbox', true), '')::boolean));
CREATE POLICY projector ON read.notification TO workforce_projector USING (true);

-- Which user is which staff member. Users of all partitions, for an operator's may be told of what is in another one.
CREATE TABLE reactor.notification_user (
    user_id         bigint  PRIMARY KEY,
    organization_id bigint  NOT NULL,
    staff_id        bigint,
    active          boolean NOT NULL  -- false: deactivated, and told nothing
);
CREATE INDEX notification_user_of_staff ON reactor.notification_user (staff_id) WHERE staff_id IS NOT NULL;
-- What shifts are called, when they are and who is assigned; what webhook subscriptions are called.
CREATE TABLE reactor.notification_shift (
    id              bigint PRIMARY KEY,
    organization_id bigint NOT NULL,
    doc             text   NOT NULL
);
CREATE TABLE reactor.notification_webhook (
    id              bigint PRIMARY KEY,
    organization_id bigint NOT NULL,
    doc             text   NOT NULL
);

-- Its work: a notification each.
CREATE TABLE reactor.notification_work (
    id              uuid PRIMARY KEY,  -- of the event and the user
    partition       int         NOT NULL,
    position        bigint      NOT NULL,
    organization_id bigint      NOT NULL,  -- the user's
    is_sandbox      boolean     NOT NULL,
    event_id        uuid        NOT NULL,
    correlation_id  text        NOT NULL,  -- request that caused the event; empty: none did
    doc             text        NOT NULL,  -- what the operation that makes the notification takes
    created_at      timestamptz NOT NULL DEFAULT now(),
    due_at          timestamptz NOT NULL DEFAULT now(),
    attempts        int         NOT NULL DEFAULT 0,
    last_error      text        NOT NULL DEFAULT ''
);
CREATE INDEX notification_work_due ON reactor.notification_work (due_at);
CREATE INDEX notification_work_pending ON reactor.notification_work (partition, created_at);

GRANT SELECT, INSERT, UPDATE, DELETE ON reactor.notification_user, reactor.notification_shift,
    reactor.notification_webhook, reactor.notification_work TO workforce_projector, workforce_writer;
