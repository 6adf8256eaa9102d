-- Has $1 stand still, by the word of $2 for the reason $3; a batch that was begun does not commit.
WITH held AS (
    UPDATE reactor.checkpoint SET generation = generation + 1 WHERE projection = $1
)
INSERT INTO reactor.pause (name, paused_by, reason) VALUES ($1, $2, $3)
ON CONFLICT (name) DO NOTHING
