-- Organizations that were deactivated, as reactors have folded it: their subscriptions hear nothing, and no mail of theirs leaves.
CREATE TABLE reactor.inactive_organization (
    reactor         text   NOT NULL,  -- whose fold came to it
    organization_id bigint NOT NULL,
    PRIMARY KEY (reactor, organization_id)
);
GRANT SELECT, INSERT, UPDATE, DELETE ON reactor.inactive_organization TO workforce_projector, workforce_writer;
GRANT SELECT (organization_id, state), UPDATE (state, last_error) ON ops.outbox TO workforce_projector;

-- What was folded before there was that table.
INSERT INTO reactor.inactive_organization (reactor, organization_id)
SELECT reactor, o.id
FROM read.organization o, unnest(ARRAY['webhooks', 'shift_mail']) AS reactor
WHERE NOT o.is_sandbox AND NOT (o.doc::json ->> 'isActive')::boolean;
