-- A start of the program gives poison events another try: a new build may know better.
UPDATE poison
SET resolution = 'retried', resolved_at = now(), resolved_by = 'start'
WHERE partition = $1 AND projection = ANY ($2::text[]) AND resolution IS NULL
