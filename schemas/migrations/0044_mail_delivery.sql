-- Mails leave the outbox where a channel is configured. Those of before stay, as do those of processes of the release before.
ALTER TABLE ops.outbox
    ADD COLUMN state      text        NOT NULL DEFAULT 'kept' CHECK (state IN ('kept', 'waiting', 'sent', 'dropped')),
    ADD COLUMN due_at     timestamptz NOT NULL DEFAULT now(),  -- of one that waits; a claim moves it to the end of its lease
    ADD COLUMN attempts   int         NOT NULL DEFAULT 0,
    ADD COLUMN last_error text        NOT NULL DEFAULT '';     -- nothing personal
CREATE INDEX outbox_due ON ops.outbox (due_at) WHERE state = 'waiting';
CREATE INDEX outbox_ended ON ops.outbox (created_at) WHERE state IN ('sent', 'dropped');
GRANT UPDATE, DELETE ON ops.outbox TO workforce_writer;
