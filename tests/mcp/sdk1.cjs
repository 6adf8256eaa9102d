// The official client of the handshake era, npm's @modelcontextprotocol/sdk: sdk1.cjs URL
'use strict';

const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
const { StreamableHTTPClientTransport } = require('@modelcontextprotocol/sdk/client/streamableHttp.js');
const { main, play, watched } = require('./steps.cjs');

main(async () => {
    const wire = [];
    const client = new Client({ name: 'sdk1', version: '1.0.0' });
    const transport = new StreamableHTTPClientTransport(new URL(process.argv[2]), {
        requestInit: { headers: { Authorization: `Bearer ${process.env.MCP_KEY}` } },
        fetch: watched(wire),
    });
    const list = async () => {
        const tools = [];
        let cursor;
        do {
            const page = await client.listTools({ cursor });
            tools.push(...page.tools);
            cursor = page.nextCursor;
        } while (cursor !== undefined);
        return tools;
    };
    const call = (params, options) => client.callTool(params, undefined, options);
    await play({ client, transport, wire, call, list, version: () => transport.protocolVersion });
});
