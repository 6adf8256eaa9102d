-- What was poison is tried again by a rebuild.
DELETE FROM projection.poison
WHERE projection = ANY ($1::text[])
