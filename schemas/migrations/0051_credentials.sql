-- Credentials of staff (domain 1.4): their ids and their read model.

CREATE SEQUENCE ops.credential_id START 1 INCREMENT 100;
GRANT USAGE ON SEQUENCE ops.credential_id TO workforce_writer;

CREATE TABLE read.credential (
    organization_id bigint      NOT NULL,
    is_sandbox      boolean     NOT NULL,
    id              bigint      NOT NULL,
    version         bigint      NOT NULL,
    staff_id        bigint      NOT NULL,
    deleted         boolean     NOT NULL,
    type            text        NOT NULL,
    status          text        NOT NULL,
    expires_on      date,
    due_on          date,  -- when time brings something next: its holder is told of its end, or it has expired
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    name_key        text        NOT NULL COLLATE "C",
    search          text        NOT NULL COLLATE "C",
    doc             text        NOT NULL,
    internals       text        NOT NULL,
    lacks_event     boolean     NOT NULL,
    PRIMARY KEY (organization_id, is_sandbox, id)
) WITH (fillfactor = 80);
CREATE INDEX credential_by_id ON read.credential (id);
CREATE INDEX credential_by_holder ON read.credential (organization_id, is_sandbox, staff_id, created_at, id);
CREATE INDEX credential_by_creation ON read.credential (organization_id, is_sandbox, created_at, id);
CREATE INDEX credential_by_name ON read.credential (organization_id, is_sandbox, name_key, id);
CREATE INDEX credential_across ON read.credential (is_sandbox, created_at, id);
CREATE INDEX credential_by_due ON read.credential (due_on) WHERE due_on IS NOT NULL;
CREATE INDEX credential_by_end ON read.credential (organization_id, is_sandbox, expires_on) WHERE due_on IS NOT NULL;

-- No event in the log is of a credential yet: as 0022_leads.sql has it.
INSERT INTO projection.checkpoint (projection, partition, position, revision)
SELECT 'credential', partition, position, 1 FROM projection.checkpoint WHERE projection = 'shift';

GRANT SELECT ON read.credential TO workforce_reader, workforce_operator;
GRANT ALL ON read.credential TO workforce_projector;
ALTER TABLE read.credential ENABLE ROW LEVEL SECURITY;
CREATE POLICY reader ON read.credential FOR SELECT TO workforce_reader USING (
    (organization_id = (SELECT NULLIF(current_setting('app.organization', true), '')::bigint)
     OR (SELECT NULLIF(current_setting('app.operator', true), '')::boolean))
    AND is_sandbox = (SELECT NULLIF(current_setting('app.sandbox', true), '')::boolean));
CREATE POLICY operator ON read.credential FOR SELECT TO workforce_operator USING (
    is_sandbox = (SELECT NULLIF(current_setting('app.sandbox', true), '')::boolean));
CREATE POLICY projector ON read.credential TO workforce_projector USING (true);

-- Today, by the calendar of an organization. It tells a sandbox, too, which sees no live row: no more than the date.
CREATE FUNCTION read.today_of(organization bigint) RETURNS date
LANGUAGE sql STABLE PARALLEL SAFE SECURITY DEFINER SET search_path = pg_catalog AS $$
    SELECT coalesce((SELECT (now() AT TIME ZONE NULLIF(o.doc::json ->> 'timezone', ''))::date FROM read.organization o
                     WHERE o.organization_id = organization AND o.id = organization AND NOT o.is_sandbox),
                    (now() AT TIME ZONE 'UTC')::date)
$$;
REVOKE ALL ON FUNCTION read.today_of FROM PUBLIC;
GRANT EXECUTE ON FUNCTION read.today_of TO workforce_reader, workforce_operator, workforce_projector;
