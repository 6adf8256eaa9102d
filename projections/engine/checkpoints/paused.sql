-- The reactors, and due jobs, that stand still on purpose.
SELECT name, paused_by, reason FROM pause
