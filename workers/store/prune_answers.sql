-- Deletes some answers that count no more, with an hour's grace for clocks; processes that do it at once share the work.
DELETE FROM read.answer WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM read.answer WHERE answered_at < now() - interval '25 hours' LIMIT /*most*/ FOR UPDATE SKIP LOCKED))
