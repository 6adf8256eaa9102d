-- One API key by id, of whichever organization.
SELECT t.doc, t.version
FROM read.api_key t
WHERE t.id = $1
