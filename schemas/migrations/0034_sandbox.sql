-- The sandbox of a facility (domain 9): its read model, and staff that a reset deleted.

-- A sandbox has its facility's id: no number is ever taken from here.
CREATE SEQUENCE ops.sandbox_id START 1 INCREMENT 100;
GRANT USAGE ON SEQUENCE ops.sandbox_id TO workforce_writer;

CREATE TABLE read.sandbox (
    organization_id bigint  NOT NULL,
    is_sandbox      boolean NOT NULL,
    id              bigint  NOT NULL,  -- the facility's
    version         bigint  NOT NULL,
    doc             text    NOT NULL,
    lacks_event     boolean NOT NULL,
    PRIMARY KEY (organization_id, is_sandbox, id)
) WITH (fillfactor = 80);
CREATE INDEX sandbox_by_id ON read.sandbox (id);

-- No event in the log is of a sandbox yet: the read model stands where others do.
INSERT INTO projection.checkpoint (projection, partition, position, revision)
SELECT 'sandbox', partition, position, 1 FROM projection.checkpoint WHERE projection = 'shift';

GRANT SELECT ON read.sandbox TO workforce_reader, workforce_operator;
GRANT ALL ON read.sandbox TO workforce_projector;
ALTER TABLE read.sandbox ENABLE ROW LEVEL SECURITY;
CREATE POLICY reader ON read.sandbox FOR SELECT TO workforce_reader USING (
    (organization_id = (SELECT NULLIF(current_setting('app.organization', true), '')::bigint)
     OR (SELECT NULLIF(current_setting('app.operator', true), '')::boolean))
    AND is_sandbox = (SELECT NULLIF(current_setting('app.sandbox', true), '')::boolean));
CREATE POLICY operator ON read.sandbox FOR SELECT TO workforce_operator USING (
    is_sandbox = (SELECT NULLIF(current_setting('app.sandbox', true), '')::boolean));
CREATE POLICY projector ON read.sandbox TO workforce_projector USING (true);

ALTER TABLE read.staff ADD COLUMN deleted boolean NOT NULL DEFAULT false;

-- What is of a facility alone, without what resets deleted: such rows stay for ever.
CREATE INDEX shift_of_sandbox ON read.shift (organization_id, facility_id, id) WHERE is_sandbox AND NOT deleted;
CREATE INDEX lead_of_sandbox ON read.lead (organization_id, facility_id, id) WHERE is_sandbox AND NOT deleted;
CREATE INDEX staff_of_sandbox ON read.staff (organization_id, (facility_ids[1]), id)
    WHERE is_sandbox AND NOT deleted AND cardinality(facility_ids) = 1;
