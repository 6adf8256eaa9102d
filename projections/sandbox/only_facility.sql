-- The organization's facility, where it has exactly one.
SELECT min(few.id) AS id
FROM (
    SELECT t.id
    FROM read.facility t
    WHERE /*tenant*/ /*organization*/ t.organization_id = $1 AND /*end organization*/ t.is_sandbox = $2 /*end tenant*/
    LIMIT 2
) AS few
HAVING count(*) = 1
