-- What stopped the old rows, or was skipped in them, is folded now.
DELETE FROM projection.poison
WHERE projection = ANY ($1::text[])
