// The OAuth flow of the official clients of Node.js, from nothing. It prints where its user has to go, and reads from its input
// where the service sent them; then it prints what it saw.
'use strict';

const readline = require('node:readline');

const kept = {};
const provider = {
    redirectUrl: 'http://127.0.0.1:4711/callback',
    clientMetadata: { client_name: 'The SDK', redirect_uris: ['http://127.0.0.1:4711/callback'], token_endpoint_auth_method: 'none' },
    state: () => 'a state',
    clientInformation: () => kept.client,
    saveClientInformation: client => { kept.client = client; },
    tokens: () => kept.tokens,
    saveTokens: tokens => { kept.tokens = tokens; },
    redirectToAuthorization: url => { kept.url = url; },
    saveCodeVerifier: verifier => { kept.verifier = verifier; },
    codeVerifier: () => kept.verifier,
};

async function line() {
    for await (const text of readline.createInterface({ input: process.stdin })) return text;
    throw new Error('nothing came');
}

/** Plays against the address in the arguments; `make()` gives a client, `finish(transport, parameters)` gives it what the service sent. */
async function play({ Transport, UnauthorizedError, make, finish }) {
    function connect() {
        const client = make();
        const transport = new Transport(new URL(process.argv[2]), { authProvider: provider });
        return { client, transport, connected: client.connect(transport) };
    }
    const first = connect();
    await first.connected.then(() => { throw new Error('it is open to anybody'); }, error => {
        if (!(error instanceof UnauthorizedError)) throw error;
    });
    console.log(kept.url.href);
    const sent = new URL(await line()).searchParams;
    await finish(first.transport, sent);
    const { client, connected } = connect();
    await connected;
    const { tools } = await client.listTools();
    const me = await client.callTool({ name: 'whoami', arguments: {} });
    const refused = await client.callTool({ name: 'facilities_create', arguments: { name: 'Mine' } }).then(() => '', error => `${error}`);
    await client.close();
    console.log(JSON.stringify({ client: kept.client, tokens: kept.tokens, tools: tools.map(tool => tool.name), me: me.structuredContent, refused }));
}

module.exports = parts => play(parts).catch(error => {
    console.error(error);
    process.exit(1);
});
