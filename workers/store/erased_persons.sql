-- Persons who were erased and whose keys are still there: the process that was to destroy them did not live to do it.
SELECT k.person
FROM (
    SELECT 'staff/' || id AS person FROM read.staff WHERE erased
    UNION ALL
    SELECT 'user/' || id FROM read.user_account WHERE erased
) AS erased
JOIN vault.person_key k ON k.person = erased.person AND k.sealed_key IS NOT NULL
