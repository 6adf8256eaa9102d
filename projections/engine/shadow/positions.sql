-- Where the live projections stand.
SELECT partition, position
FROM projection.checkpoint
WHERE projection = ANY ($1::text[])
