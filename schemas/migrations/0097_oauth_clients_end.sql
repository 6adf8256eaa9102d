-- An operator ends a client with all that it has: found by its name, by whoever folds its end.

GRANT SELECT (client_id, id) ON auth.oauth_client TO workforce_projector;
CREATE INDEX oauth_chain_of_client ON auth.oauth_chain (client_id);
CREATE INDEX oauth_code_of_client ON auth.oauth_code (client_id);
CREATE INDEX oauth_device_of_client ON auth.oauth_device (client_id);
