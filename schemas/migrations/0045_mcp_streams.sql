-- Answers of MCP that are streams, kept for ten minutes so that a client that was cut off gets what it missed, from any process.
CREATE TABLE ops.mcp_stream (
    id         text PRIMARY KEY,
    holder     text        NOT NULL,  -- the credential across rotations, who alone may read it
    process    text        NOT NULL,  -- that makes the frames; once it has ended none will come
    request    text        NOT NULL,  -- JSON of the request's id
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX mcp_stream_age ON ops.mcp_stream (created_at);

CREATE TABLE ops.mcp_frame (
    stream_id text    NOT NULL REFERENCES ops.mcp_stream (id) ON DELETE CASCADE,
    seq       int     NOT NULL,  -- counts from 1
    data      text    NOT NULL,  -- one JSON-RPC message; empty: the event that a stream begins with
    final     boolean NOT NULL,  -- the answer: nothing follows
    PRIMARY KEY (stream_id, seq)
);

GRANT SELECT, INSERT, DELETE ON ops.mcp_stream, ops.mcp_frame TO workforce_writer;
