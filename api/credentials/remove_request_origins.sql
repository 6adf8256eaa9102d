-- Removes origins of requests that left no entry: organization ($1), request ($2).
DELETE FROM auth.request_origin o
USING unnest($1::bigint[], $2::text[]) AS t(organization_id, request_id)
WHERE o.organization_id = t.organization_id AND o.request_id = t.request_id
