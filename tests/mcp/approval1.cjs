// A call that waits for a person, by npm's @modelcontextprotocol/sdk, which holds each result to its tool's output schema:
// approval1.cjs URL STAFF_ID. A line when the call waits, and one when a person has decided.
'use strict';

const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
const { StreamableHTTPClientTransport } = require('@modelcontextprotocol/sdk/client/streamableHttp.js');

const PAUSE_MS = 100;
const PATIENCE_MS = 60000;

async function main() {
    const client = new Client({ name: 'approval1', version: '1.0.0' });
    const transport = new StreamableHTTPClientTransport(new URL(process.argv[2]), {
        requestInit: { headers: { Authorization: `Bearer ${process.env.MCP_KEY}`, 'Mcp-Session-Id': 'approval1-session' } },
    });
    await client.connect(transport);
    for (let cursor; ;) {
        const page = await client.listTools({ cursor });  // from here on results are checked
        cursor = page.nextCursor;
        if (cursor === undefined) break;
    }
    const waits = await client.callTool({ name: 'staff_deactivate', arguments: { staffId: Number(process.argv[3]) } });
    console.log(JSON.stringify({ isError: waits.isError, text: waits.content[0].text, content: waits.structuredContent }));
    const until = Date.now() + PATIENCE_MS;
    for (;;) {
        const polled = await client.callTool({ name: 'approvals_get', arguments: { approvalId: waits.structuredContent.approvalId } });
        if (polled.structuredContent.status !== 'pending') {
            console.log(JSON.stringify(polled.structuredContent));
            break;
        }
        if (Date.now() > until) throw new Error('nobody decided');
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    await client.close();
}

main().catch((error) => {
    console.error(error);
    process.exit(1);
});
