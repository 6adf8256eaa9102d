-- When an API key was revoked, set by whoever reads its revocation in the log first: what authenticates looks here, so that a
-- read model that stands still keeps no key alive. Of those revoked before there was the column the read model tells; what it
-- has not folded yet is marked when it is.
ALTER TABLE auth.api_key_secret ADD COLUMN revoked_at timestamptz;
UPDATE auth.api_key_secret s SET revoked_at = coalesce((k.doc::json ->> 'revokedAt')::timestamptz, now())
FROM read.api_key k
WHERE k.organization_id = s.organization_id AND k.id = s.key_id AND k.doc::json ->> 'status' = 'revoked';
CREATE INDEX api_key_secret_by_revocation ON auth.api_key_secret (revoked_at) WHERE revoked_at IS NOT NULL;

-- Who folds marks, and can do no more to secrets.
GRANT USAGE ON SCHEMA auth TO workforce_projector;
GRANT SELECT, UPDATE (revoked_at) ON auth.api_key_secret TO workforce_projector;
