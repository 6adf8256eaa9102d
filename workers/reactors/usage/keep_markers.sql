-- Markers of requests ($1), but for requests that have one. Gives the requests that got it.
INSERT INTO usage_marker (request_id, organization_id, facility_id, occurred_at, outcome, channel, credential_type, key_id,
                          client_id, user_id, agent, run_id, tool, dedupe_key)
SELECT * FROM unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::timestamptz[], $5::text[], $6::text[], $7::text[],
                     $8::bigint[], $9::text[], $10::bigint[], $11::text[], $12::text[], $13::text[], $14::text[])
ON CONFLICT (request_id) DO NOTHING
RETURNING request_id
