-- Writes the rows of a batch: parallel arrays, and documents as texts with a separator that JSON never holds unescaped.
INSERT INTO /*table*/ (/*columns*/)
SELECT /*values*/
FROM unnest(/*arrays*/) AS u(/*columns*/)
ON CONFLICT (organization_id, is_sandbox, id) DO UPDATE SET /*assignments*/
