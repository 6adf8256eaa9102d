-- Who stands behind items of a sandbox. Users are live, so a session of the sandbox does not see them.
SELECT t.id, t.name, t.email
FROM read.user_account t
WHERE t.organization_id = $1 AND NOT t.is_sandbox AND t.id = ANY ($2)
