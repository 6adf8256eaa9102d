-- One organization by id, of whichever organization.
SELECT t.doc, t.version
FROM read.organization t
WHERE t.organization_id = $1 AND t.id = $1
