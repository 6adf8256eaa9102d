-- Rolling upgrades: which events each process reads, and which of them all processes have agreed to write.

-- A JSON object of versions by type; NULL: the process is of a release that does not announce it.
ALTER TABLE ops.process ADD COLUMN reads jsonb;

-- The newest version of a type that may be written. A row is never taken back. Not in the backup: the first process on a
-- restored database activates what it knows.
CREATE TABLE ops.event_activation (
    type         text PRIMARY KEY,
    version      int         NOT NULL,
    activated_at timestamptz NOT NULL DEFAULT now()
);
GRANT SELECT, INSERT, UPDATE ON ops.event_activation TO workforce_writer;
GRANT SELECT ON ops.event_activation TO workforce_reader;

-- What processes of the release before read; it knew no leads.
INSERT INTO ops.event_activation (type, version)
VALUES
    ('api_key.created', 1),
    ('api_key.revoked', 2),
    ('command.answered', 1),
    ('facility.created', 1),
    ('facility.deactivated', 1),
    ('facility.reactivated', 1),
    ('facility.updated', 1),
    ('organization.created', 1),
    ('shift.cancelled', 1),
    ('shift.completed', 1),
    ('shift.deleted', 1),
    ('shift.filled', 1),
    ('shift.posted', 1),
    ('shift.reopened', 1),
    ('shift.staff_assigned', 1),
    ('shift.started', 1),
    ('shift.unassigned', 1),
    ('shift.updated', 1),
    ('shift.vacancy_opened', 1),
    ('staff.deactivated', 1),
    ('staff.erased', 1),
    ('staff.onboarded', 1),
    ('staff.reactivated', 1),
    ('staff.updated', 1),
    ('user.created', 1),
    ('user.erased', 1);
