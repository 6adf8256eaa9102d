-- Jobs of which one process does each round: until when one of them has done it.
CREATE TABLE ops.job (
    name      text PRIMARY KEY,
    led_until timestamptz NOT NULL
);
GRANT SELECT, INSERT, UPDATE ON ops.job TO workforce_writer;
