// The OAuth flow of npm's @modelcontextprotocol/client: oauth2.cjs URL. See oauth_flow.cjs.
'use strict';

const { Client, StreamableHTTPClientTransport, UnauthorizedError } = require('@modelcontextprotocol/client');

require('./oauth_flow.cjs')({
    Transport: StreamableHTTPClientTransport, UnauthorizedError,
    make: () => new Client({ name: 'oauth2', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } }),
    finish: (transport, sent) => transport.finishAuth(sent),
});
