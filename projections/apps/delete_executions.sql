-- What was done through a connection ($3) that a reset of its sandbox deleted.
DELETE FROM app_execution WHERE organization_id = $1 AND is_sandbox = $2 AND connection_id = $3
