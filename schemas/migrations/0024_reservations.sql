-- What must be unique across partitions is reserved before the append: the login names of users so far. A row is freed when
-- its command did not append, and stands for good once the log's state was seen to show that its subject has the text.
CREATE TABLE ops.reservation (
    digest          bytea       PRIMARY KEY,             -- of the text, keyed
    kind            text        NOT NULL DEFAULT 'user', -- who has the text
    subject_id      bigint      NOT NULL,
    organization_id bigint,                              -- its home partition settles; NULL: reserved by a process of before
    command         text        NOT NULL DEFAULT '',     -- a retry under the same idempotency key is the same command
    epoch           bigint      NOT NULL DEFAULT 0,      -- of the partition, when it was taken
    reserved_at     timestamptz NOT NULL DEFAULT now(),
    settled_at      timestamptz                          -- since when it stands for good
);
CREATE INDEX reservation_by_subject ON ops.reservation (kind, subject_id);
CREATE INDEX reservation_unsettled ON ops.reservation (reserved_at) WHERE settled_at IS NULL;
GRANT SELECT, INSERT, UPDATE, DELETE ON ops.reservation TO workforce_writer;

INSERT INTO ops.reservation (digest, subject_id, reserved_at, settled_at)
SELECT email_digest, user_id, reserved_at, now() FROM ops.user_email;
DROP TABLE ops.user_email;
-- As processes of before, which may run beside new ones, and their backups know it.
CREATE VIEW ops.user_email AS
SELECT digest AS email_digest, subject_id AS user_id, reserved_at FROM ops.reservation WHERE kind = 'user';
GRANT SELECT, INSERT, UPDATE, DELETE ON ops.user_email TO workforce_writer;
