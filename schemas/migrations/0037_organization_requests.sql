-- Which organization a request under an idempotency key makes: its home is chosen by its id, and a retry has to come to the same
-- partition, where the answer is. Rows are of a day.
CREATE TABLE ops.organization_request (
    request         bytea PRIMARY KEY,  -- the digest of the idempotency key
    organization_id bigint      NOT NULL,
    requested_at    timestamptz NOT NULL DEFAULT now()
);
GRANT SELECT, INSERT, UPDATE, DELETE ON ops.organization_request TO workforce_writer;
