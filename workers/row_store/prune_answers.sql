-- Answers that count no more, with an hour's grace for clocks.
DELETE FROM read.answer WHERE answered_at < now() - interval '25 hours'
