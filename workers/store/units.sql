-- Organizations with all their facilities, users and keys, and how far these rows have come.
SELECT (/*reached*/) AS reached, t.kind, t.is_sandbox, t.version, t.doc, t.erased, t.lacks_event
FROM (SELECT) AS once
LEFT JOIN (
    SELECT 'organization' AS kind, is_sandbox, version, doc, false AS erased, lacks_event
    FROM read.organization WHERE organization_id = ANY ($4::bigint[])
    UNION ALL
    SELECT 'facility', is_sandbox, version, doc, false, lacks_event
    FROM read.facility WHERE organization_id = ANY ($4::bigint[]) AND NOT is_sandbox
    UNION ALL
    SELECT 'user', is_sandbox, version, doc, erased OR email = '', lacks_event
    FROM read.user_account WHERE organization_id = ANY ($4::bigint[])
    UNION ALL
    SELECT 'api_key', is_sandbox, version, doc, false, lacks_event
    FROM read.api_key WHERE organization_id = ANY ($4::bigint[])
) AS t ON true
