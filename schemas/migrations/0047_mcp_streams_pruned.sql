-- Who deletes old streams locks them first, which takes the right to change them.
GRANT UPDATE ON ops.mcp_stream TO workforce_writer;
