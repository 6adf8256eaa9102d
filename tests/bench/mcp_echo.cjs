// The official TypeScript server of MCP with one tool that gives back what it is given: what the benchmark measures the service
// beside. Without sessions, with JSON answers. Argument: the port on 127.0.0.1.
'use strict';

const express = require('express');
const { McpServer } = require('@modelcontextprotocol/sdk/server/mcp.js');
const { StreamableHTTPServerTransport } = require('@modelcontextprotocol/sdk/server/streamableHttp.js');
const { z } = require('zod');

// A server for each request, as its examples without sessions have it.
function server() {
    const made = new McpServer({ name: 'echo', version: '1.0.0' });
    made.registerTool('echo', { description: 'Gives back the text.', inputSchema: { text: z.string() } }, async ({ text }) => ({
        content: [{ type: 'text', text }],
    }));
    return made;
}

const app = express();
app.use(express.json());
app.post('/mcp', async (request, response) => {
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true });
    response.on('close', () => transport.close());
    await server().connect(transport);
    await transport.handleRequest(request, response, request.body);
});
app.listen(Number(process.argv[2]), '127.0.0.1');
