-- What GET /api/events reads: the events of the last weeks without personal fields, in the log's order.

CREATE TABLE read.event_tap (
    organization_id bigint      NOT NULL,
    is_sandbox      boolean     NOT NULL,
    id              bigint      NOT NULL,  -- position × 1024 + partition of the event
    type            text        NOT NULL COLLATE "C",
    facility_ids    bigint[]    NOT NULL,  -- at which it is heard; none: by those alone who are bound to no facility
    occurred_at     timestamptz NOT NULL,
    doc             text        NOT NULL,
    PRIMARY KEY (organization_id, is_sandbox, id)
);
-- Rows come in the order of their times, and old ones leave by that: a summary of blocks is enough, and costs a fold next to
-- nothing.
CREATE INDEX event_tap_by_time ON read.event_tap USING brin (occurred_at) WITH (pages_per_range = 32, autosummarize = on);

GRANT SELECT ON read.event_tap TO workforce_reader, workforce_operator;
GRANT ALL ON read.event_tap TO workforce_projector;
ALTER TABLE read.event_tap ENABLE ROW LEVEL SECURITY;
CREATE POLICY reader ON read.event_tap FOR SELECT TO workforce_reader USING (
    (organization_id = (SELECT NULLIF(current_setting('app.organization', true), '')::bigint)
     OR (SELECT NULLIF(current_setting('app.operator', true), '')::boolean))
    AND is_sandbox = (SELECT NULLIF(current_setting('app.sandbox', true), '')::boolean));
CREATE POLICY operator ON read.event_tap FOR SELECT TO workforce_operator USING (
    is_sandbox = (SELECT NULLIF(current_setting('app.sandbox', true), '')::boolean));
CREATE POLICY projector ON read.event_tap TO workforce_projector USING (true);

-- Who waits for events of several organizations asks how far the table has come.
GRANT SELECT ON projection.checkpoint TO workforce_operator;

-- Where there is a log, the rows of its last weeks are made by `workforce rebuild --outdated`, beside the service: folded by
-- it, they would keep all other read models waiting. Until then the table has what comes from now on.
INSERT INTO projection.checkpoint (projection, partition, position, revision)
SELECT 'event_tap', partition, position, 0 FROM projection.checkpoint WHERE projection = 'shift';
