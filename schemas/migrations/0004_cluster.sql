-- Several processes on one log: which of them live, what each of them holds, and the last write of each credential.

-- A row a process, kept alive by the database's clock. One that ended in order leaves none.
CREATE TABLE ops.process (
    owner      text PRIMARY KEY,
    role       text        NOT NULL CHECK (role IN ('serve', 'api', 'workers')),
    admin_url  text        NOT NULL,
    started_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL
);

-- A lease a partition for its writer and one for its projections. A free one has no owner and ended long ago. `epoch` is the
-- one of the writer's claim, 0 before it.
ALTER TABLE ops.lease
    ADD COLUMN kind text NOT NULL DEFAULT 'writer' CHECK (kind IN ('writer', 'projector')),
    ADD COLUMN epoch bigint NOT NULL DEFAULT 0,
    DROP CONSTRAINT lease_pkey,
    ADD PRIMARY KEY (kind, partition);
ALTER TABLE ops.lease ALTER COLUMN kind DROP DEFAULT;

-- The position that a credential's next read must show, whichever process answers it. Unlogged: a crash of the server costs
-- freshness for a moment, never rows.
CREATE UNLOGGED TABLE ops.last_write (
    lineage    text PRIMARY KEY,
    partition  int         NOT NULL,
    position   bigint      NOT NULL,
    written_at timestamptz NOT NULL DEFAULT now()
);

GRANT SELECT, INSERT, UPDATE, DELETE ON ops.process, ops.last_write TO workforce_writer;
GRANT USAGE ON SCHEMA ops TO workforce_reader;
GRANT SELECT ON ops.process, ops.lease, ops.last_write TO workforce_reader;
