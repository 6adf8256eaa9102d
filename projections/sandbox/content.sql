-- How many rows of each kind are of facility $3 alone, and what its sandbox's row says.
SELECT
    (SELECT count(*) FROM read.staff t
     WHERE /*tenant*/ /*organization*/ t.organization_id = $1 AND /*end organization*/ t.is_sandbox = $2 /*end tenant*/
       AND t.facility_ids = ARRAY[$3::bigint] AND NOT t.deleted) AS staff,
    (SELECT count(*) FROM read.shift t
     WHERE /*tenant*/ /*organization*/ t.organization_id = $1 AND /*end organization*/ t.is_sandbox = $2 /*end tenant*/
       AND t.facility_id = $3 AND NOT t.deleted) AS shift,
    (SELECT count(*) FROM read.lead t
     WHERE /*tenant*/ /*organization*/ t.organization_id = $1 AND /*end organization*/ t.is_sandbox = $2 /*end tenant*/
       AND t.facility_id = $3 AND NOT t.deleted) AS lead,
    (SELECT t.doc FROM read.sandbox t
     WHERE /*tenant*/ /*organization*/ t.organization_id = $1 AND /*end organization*/ t.is_sandbox = $2 /*end tenant*/
       AND t.id = $3) AS doc
