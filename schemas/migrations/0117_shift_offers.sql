-- Offers of open shifts (domain 3.4): their ids and their read model.

CREATE SEQUENCE ops.shift_offer_id START 1 INCREMENT 100;
GRANT USAGE ON SEQUENCE ops.shift_offer_id TO workforce_writer;

CREATE TABLE read.shift_offer (
    organization_id bigint      NOT NULL,
    is_sandbox      boolean     NOT NULL,
    id              bigint      NOT NULL,
    version         bigint      NOT NULL,
    facility_id     bigint      NOT NULL,
    shift_id        bigint      NOT NULL,
    staff_id        bigint      NOT NULL,
    deleted         boolean     NOT NULL,
    status          text        NOT NULL,
    expires_at      timestamptz,  -- null: when the shift begins
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    doc             text        NOT NULL,
    lacks_event     boolean     NOT NULL,
    PRIMARY KEY (organization_id, is_sandbox, id)
) WITH (fillfactor = 80);
CREATE INDEX shift_offer_by_id ON read.shift_offer (id);
CREATE INDEX shift_offer_by_shift ON read.shift_offer (organization_id, is_sandbox, shift_id, id);
CREATE INDEX shift_offer_by_person ON read.shift_offer (organization_id, is_sandbox, staff_id, created_at, id);
CREATE INDEX shift_offer_by_facility ON read.shift_offer (organization_id, is_sandbox, facility_id, created_at, id);
CREATE INDEX shift_offer_by_creation ON read.shift_offer (organization_id, is_sandbox, created_at, id);
CREATE INDEX shift_offer_across ON read.shift_offer (is_sandbox, created_at, id);
CREATE INDEX shift_offer_of_sandbox ON read.shift_offer (organization_id, facility_id, id) WHERE is_sandbox AND NOT deleted;
CREATE INDEX shift_offer_standing ON read.shift_offer (organization_id, is_sandbox, shift_id)
    WHERE status = 'offered' AND NOT deleted;

-- No event in the log is of an offer yet: as 0022_leads.sql has it.
INSERT INTO projection.checkpoint (projection, partition, position, revision)
SELECT 'shift_offer', partition, position, 1 FROM projection.checkpoint WHERE projection = 'shift';

GRANT SELECT ON read.shift_offer TO workforce_reader, workforce_operator;
GRANT ALL ON read.shift_offer TO workforce_projector;
ALTER TABLE read.shift_offer ENABLE ROW LEVEL SECURITY;
CREATE POLICY reader ON read.shift_offer FOR SELECT TO workforce_reader USING (
    (organization_id = (SELECT NULLIF(current_setting('app.organization', true), '')::bigint)
     OR (SELECT NULLIF(current_setting('app.operator', true), '')::boolean))
    AND is_sandbox = (SELECT NULLIF(current_setting('app.sandbox', true), '')::boolean));
CREATE POLICY operator ON read.shift_offer FOR SELECT TO workforce_operator USING (
    is_sandbox = (SELECT NULLIF(current_setting('app.sandbox', true), '')::boolean));
CREATE POLICY projector ON read.shift_offer TO workforce_projector USING (true);
