// The OAuth flow of npm's @modelcontextprotocol/sdk: oauth1.cjs URL. See oauth_flow.cjs.
'use strict';

const { UnauthorizedError } = require('@modelcontextprotocol/sdk/client/auth.js');
const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
const { StreamableHTTPClientTransport } = require('@modelcontextprotocol/sdk/client/streamableHttp.js');

require('./oauth_flow.cjs')({
    Transport: StreamableHTTPClientTransport, UnauthorizedError,
    make: () => new Client({ name: 'oauth1', version: '1.0.0' }),
    finish: (transport, sent) => transport.finishAuth(sent.get('code')),
});
