-- The enabled guardrails of organizations, without those of organizations of which that is known already.
-- $1 organizations, each once; $2 what is known of each, as `state` was; $3 whether of their sandboxes
WITH asked AS (SELECT * FROM unnest($1::bigint[], $2::text[]) AS a (organization_id, known)),
standing AS (
    -- A row that was written anew has another xmin, whatever its version says.
    SELECT a.organization_id, a.known, encode(sha256(convert_to(
        coalesce(string_agg(t.id || ':' || t.xmin::text, ',' ORDER BY t.id), ''), 'UTF8')), 'hex') AS state
    FROM asked a
    LEFT JOIN read.guardrail t
        ON t.organization_id = a.organization_id AND t.is_sandbox = $3::boolean AND t.is_enabled AND NOT t.deleted
    GROUP BY a.organization_id, a.known
)
SELECT s.organization_id, s.state, t.doc
FROM standing s
LEFT JOIN read.guardrail t
    ON s.state <> s.known AND t.organization_id = s.organization_id AND t.is_sandbox = $3::boolean AND t.is_enabled
    AND NOT t.deleted
