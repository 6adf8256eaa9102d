-- Where the projections of some partitions stand, and the event that each stands still at, if it does.
SELECT c.partition, c.projection, c.position, c.revision, c.generation, p.position AS poison, p.error
FROM checkpoint c
LEFT JOIN poison p
    ON p.partition = c.partition AND p.projection = c.projection AND p.position = c.position + 1
    AND p.resolution IS NULL
WHERE c.partition = ANY ($1::int[])
