-- Leads the job $1 for $2 milliseconds, unless another does.
INSERT INTO ops.job (name, led_until) VALUES ($1, now() + $2 * interval '1 millisecond')
ON CONFLICT (name) DO UPDATE SET led_until = excluded.led_until WHERE job.led_until <= now()
