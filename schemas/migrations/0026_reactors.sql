-- Reactors act on events: each folds what its decisions depend on, and makes rows of work that workers claim. Queries see
-- nothing of it.
CREATE SCHEMA reactor;

-- As projection.checkpoint, whose statements work on both. `migrate` makes the rows before any process may lease them.
CREATE TABLE reactor.checkpoint (
    projection text        NOT NULL,  -- the reactor
    partition  int         NOT NULL,
    position   bigint      NOT NULL,
    revision   int         NOT NULL,
    moved_at   timestamptz NOT NULL DEFAULT now(),
    generation bigint      NOT NULL DEFAULT 0,  -- counted up when it is paused: no batch that was begun commits then
    acts_after bigint      NOT NULL,            -- events up to here are folded, and nobody acts on them
    PRIMARY KEY (partition, projection)
) WITH (fillfactor = 50);
CREATE TABLE reactor.poison (LIKE projection.poison INCLUDING ALL);
CREATE TABLE reactor.poison_decision (LIKE projection.poison_decision INCLUDING ALL);

-- Reactors and due jobs that stand still on purpose.
CREATE TABLE reactor.pause (
    name      text PRIMARY KEY,
    paused_by text        NOT NULL,
    paused_at timestamptz NOT NULL DEFAULT now(),
    reason    text        NOT NULL
);

-- What mails to assigned persons say, and to whom: personal data is sealed under the person's key.
CREATE TABLE reactor.shift_mail_staff (
    staff_id        bigint PRIMARY KEY,
    organization_id bigint NOT NULL,
    sealed          bytea  NOT NULL
);
CREATE TABLE reactor.shift_mail_shift (
    shift_id        bigint PRIMARY KEY,
    organization_id bigint NOT NULL,
    doc             text   NOT NULL
);

-- Its work: a mail each. Rows are due at `due_at`, which a claim moves to the end of its lease, and leave when done.
CREATE TABLE reactor.shift_mail_work (
    id              uuid PRIMARY KEY,  -- of the event
    partition       int         NOT NULL,
    position        bigint      NOT NULL,
    organization_id bigint      NOT NULL,
    staff_id        bigint      NOT NULL,
    sealed          bytea       NOT NULL,  -- the mail, under the person's key
    created_at      timestamptz NOT NULL DEFAULT now(),
    due_at          timestamptz NOT NULL DEFAULT now(),
    attempts        int         NOT NULL DEFAULT 0,
    last_error      text        NOT NULL DEFAULT ''
);
CREATE INDEX shift_mail_work_due ON reactor.shift_mail_work (due_at);
CREATE INDEX shift_mail_work_pending ON reactor.shift_mail_work (partition, created_at);

-- Messages that nobody delivers further: what an installation without a mail server has in its place.
CREATE TABLE ops.outbox (
    id              uuid PRIMARY KEY,
    organization_id bigint      NOT NULL,
    person          text        NOT NULL,  -- under whose key it is sealed
    sealed          bytea       NOT NULL,  -- recipient, subject and text as JSON
    created_at      timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX outbox_by_time ON ops.outbox (created_at, id);

-- The projector folds; the writer works, and shows how far all is.
GRANT USAGE ON SCHEMA reactor TO workforce_projector, workforce_writer;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA reactor TO workforce_projector, workforce_writer;
GRANT SELECT, INSERT ON ops.outbox TO workforce_writer;
