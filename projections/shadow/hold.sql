-- Where the live projections stand, held there until this transaction ends.
SELECT partition, position
FROM projection.checkpoint
WHERE projection = ANY ($1::text[])
ORDER BY partition, projection
FOR UPDATE
