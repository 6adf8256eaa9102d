SELECT outcome, count(*) AS total
FROM mark
GROUP BY 1
ORDER BY total DESC, outcome
