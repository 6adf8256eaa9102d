-- The users $1, and those who are one of the staff members $2.
SELECT user_id, organization_id, staff_id, active FROM notification_user WHERE user_id = ANY ($1::bigint[])
UNION
SELECT user_id, organization_id, staff_id, active FROM notification_user WHERE staff_id = ANY ($2::bigint[])
