-- What was done through a connection ($3) that was erased is told without what it was about.
UPDATE app_execution
SET arguments = '{}', result = 'null', error = CASE WHEN error IS NOT NULL THEN '' END
WHERE organization_id = $1 AND is_sandbox = $2 AND connection_id = $3
