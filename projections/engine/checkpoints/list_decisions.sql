-- What operators decided of such events, oldest first.
SELECT projection, partition, position, error, decision, decided_by, decided_at, reason
FROM poison_decision
ORDER BY id
