-- What users may do, where an event changed it: marked as account_standing is, so that a read model that stands still leaves nobody
-- what was taken from them. A row counts until the user's row in the read model has folded the event. In no backup: a restore marks
-- what the log says.
CREATE TABLE auth.account_right (
    organization_id bigint NOT NULL,
    user_id         bigint NOT NULL,
    name            text   NOT NULL,  -- of the user's field: role, facilityIds
    number          bigint NOT NULL,  -- of the event, in its aggregate
    value           text   NOT NULL,  -- a role; an array of ids
    PRIMARY KEY (organization_id, user_id, name)
);
GRANT SELECT, INSERT, UPDATE, DELETE ON auth.account_right TO workforce_writer;
GRANT SELECT, INSERT, UPDATE ON auth.account_right TO workforce_projector;
GRANT SELECT ON auth.account_right TO workforce_reader, workforce_operator;
