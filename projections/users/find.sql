-- One user by id, of whichever organization.
SELECT t.doc, t.version
FROM read.user_account t
WHERE t.id = $1
