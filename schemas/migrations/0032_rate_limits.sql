-- Limits of API keys that all processes share. A row a key and channel: the window that is open or was the last, how many of its
-- requests were granted to processes, and how many of these no process has told to be used. The window's end names it.
CREATE TABLE ops.rate_limit (
    channel text        NOT NULL,
    key_id  bigint      NOT NULL,
    ends_at timestamptz NOT NULL DEFAULT to_timestamp(0),
    granted int         NOT NULL DEFAULT 0,
    held    int         NOT NULL DEFAULT 0,
    PRIMARY KEY (channel, key_id)
) WITH (fillfactor = 50);  -- all changes stay within their page

GRANT SELECT, INSERT, UPDATE, DELETE ON ops.rate_limit TO workforce_writer;
