-- What users and API keys may read, as the fan-out of webhooks folds it: rights of today narrow what their subscriptions are
-- sent. Of whom nothing is here what the subscription's events said counts.
CREATE TABLE reactor.webhook_reader (
    reader          text   PRIMARY KEY,  -- "user/12", "api_key/7"
    organization_id bigint NOT NULL,
    doc             text   NOT NULL
);
GRANT SELECT, INSERT, UPDATE, DELETE ON reactor.webhook_reader TO workforce_projector, workforce_writer;
