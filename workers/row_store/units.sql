-- Organizations with all their facilities, users and keys, and how far these rows have come.
SELECT (/*reached*/) AS reached, t.kind, t.is_sandbox, t.version, t.doc, t.erased
FROM (SELECT) AS once
LEFT JOIN (
    SELECT 'organization' AS kind, is_sandbox, version, doc, false AS erased FROM read.organization WHERE organization_id = ANY ($4::bigint[])
    UNION ALL
    SELECT 'facility', is_sandbox, version, doc, false FROM read.facility WHERE organization_id = ANY ($4::bigint[])
    UNION ALL
    SELECT 'user', is_sandbox, version, doc, erased OR email = '' FROM read.user_account WHERE organization_id = ANY ($4::bigint[])
    UNION ALL
    SELECT 'api_key', is_sandbox, version, doc, false FROM read.api_key WHERE organization_id = ANY ($4::bigint[])
) AS t ON true
