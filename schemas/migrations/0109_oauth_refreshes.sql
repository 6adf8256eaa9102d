-- A refresh rewrites its chain and the token that it spends. Neither has a column in an index that changes with each of them any
-- more: the new row lies beside the old one, and no index hears of it.

ALTER TABLE auth.oauth_chain ADD COLUMN due_at timestamptz;  -- from then on it may be over: no later than ends_at, and days before it at most
UPDATE auth.oauth_chain SET due_at = ends_at;
ALTER TABLE auth.oauth_chain ALTER COLUMN due_at SET DEFAULT now() + interval '30 days', ALTER COLUMN due_at SET NOT NULL;
ALTER TABLE auth.oauth_chain SET (fillfactor = 70);
CREATE INDEX oauth_chain_due ON auth.oauth_chain (due_at);
DROP INDEX auth.oauth_chain_by_end;
DROP INDEX auth.oauth_chain_of_grant;
CREATE INDEX oauth_chain_of_grant ON auth.oauth_chain (grant_id);

ALTER TABLE auth.oauth_refresh SET (fillfactor = 70);
DROP INDEX auth.oauth_refresh_retried;
CREATE INDEX oauth_refresh_retried ON auth.oauth_refresh (chain_id) WHERE successor IS NOT NULL;
