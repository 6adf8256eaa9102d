-- Leads of the CRM (domain 1.8): their ids and their read model.

CREATE SEQUENCE ops.lead_id START 1 INCREMENT 100;
GRANT USAGE ON SEQUENCE ops.lead_id TO workforce_writer;

CREATE TABLE read.lead (
    organization_id bigint      NOT NULL,
    facility_id     bigint,  -- NULL: of the organization as a whole
    is_sandbox      boolean     NOT NULL,
    id              bigint      NOT NULL,
    version         bigint      NOT NULL,
    deleted         boolean     NOT NULL,
    status          text        NOT NULL,
    source          text        NOT NULL,
    owner_user_id   bigint,
    score           bigint      NOT NULL,
    estimated_value bigint      NOT NULL,  -- hundredths
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    name_key        text        NOT NULL COLLATE "C",
    search          text        NOT NULL COLLATE "C",
    doc             text        NOT NULL,
    erased          boolean     NOT NULL,
    lacks_event     boolean     NOT NULL,
    PRIMARY KEY (organization_id, is_sandbox, id)
) WITH (fillfactor = 80);
CREATE INDEX lead_by_id ON read.lead (id);
CREATE INDEX lead_by_creation ON read.lead (organization_id, is_sandbox, created_at, id);
CREATE INDEX lead_by_name ON read.lead (organization_id, is_sandbox, name_key, id);
CREATE INDEX lead_by_score ON read.lead (organization_id, is_sandbox, score, id);
CREATE INDEX lead_by_value ON read.lead (organization_id, is_sandbox, estimated_value, id);
CREATE INDEX lead_by_facility ON read.lead (organization_id, is_sandbox, facility_id, created_at, id);
CREATE INDEX lead_erased ON read.lead (id) WHERE erased;

-- No event in the log is of a lead yet: the read model stands where others do, and no take-over waits until it has read
-- the whole log.
INSERT INTO projection.checkpoint (projection, partition, position, revision)
SELECT 'lead', partition, position, 1 FROM projection.checkpoint WHERE projection = 'shift';

GRANT SELECT ON read.lead TO workforce_reader;
GRANT ALL ON read.lead TO workforce_projector;
ALTER TABLE read.lead ENABLE ROW LEVEL SECURITY;
CREATE POLICY reader ON read.lead FOR SELECT TO workforce_reader USING (
    (organization_id = (SELECT NULLIF(current_setting('app.organization', true), '')::bigint)
     OR (SELECT NULLIF(current_setting('app.operator', true), '')::boolean))
    AND is_sandbox = (SELECT NULLIF(current_setting('app.sandbox', true), '')::boolean));
CREATE POLICY projector ON read.lead TO workforce_projector USING (true);
