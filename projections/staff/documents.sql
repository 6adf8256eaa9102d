-- Documents of people ($3) in the order that is asked for: the first one, and as many more as $4 bytes have room for.
SELECT page.id, page.doc
FROM (
    SELECT k.place, k.id, /*document*/ AS doc, sum(octet_length(t.doc)) OVER (ORDER BY k.place) AS bytes
    FROM unnest($3::bigint[]) WITH ORDINALITY AS k(id, place)
    JOIN read.staff t ON t.id = k.id
    WHERE /*tenant*/ /*organization*/ t.organization_id = $1 AND /*end organization*/ t.is_sandbox = $2 /*end tenant*/
      AND t.is_active AND NOT t.deleted
) AS page
WHERE page.place = 1 OR page.bytes <= $4
ORDER BY page.place
