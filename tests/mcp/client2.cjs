// The official client of both eras, npm's @modelcontextprotocol/client: client2.cjs URL legacy|auto
'use strict';

const { Client, StreamableHTTPClientTransport } = require('@modelcontextprotocol/client');
const { main, play, watched } = require('./steps.cjs');

main(async () => {
    const wire = [];
    const client = new Client({ name: 'client2', version: '1.0.0' }, { versionNegotiation: { mode: process.argv[3] } });
    const transport = new StreamableHTTPClientTransport(new URL(process.argv[2]), {
        requestInit: { headers: { Authorization: `Bearer ${process.env.MCP_KEY}` } },
        fetch: watched(wire),
    });
    const list = async () => (await client.listTools()).tools; // it follows cursors itself
    const call = (params, options) => client.callTool(params, options);
    await play({ client, transport, wire, call, list, version: () => client.getNegotiatedProtocolVersion() });
});
