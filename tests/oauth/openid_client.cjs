// npm's openid-client against the service, from nothing: openid_client.cjs ISSUER RESOURCE. As oauth4webapi.cjs.
'use strict';

const client = require('openid-client');
const readline = require('node:readline');

const [issuer, resource] = process.argv.slice(2);
const redirect = 'http://127.0.0.1:4711/callback';

async function line() {
    for await (const text of readline.createInterface({ input: process.stdin })) return text;
    throw new Error('nothing came');
}

async function main() {
    const config = await client.dynamicClientRegistration(
        new URL(issuer), { client_name: 'openid-client', redirect_uris: [redirect], token_endpoint_auth_method: 'client_secret_post' },
        undefined, { algorithm: 'oauth2', execute: [client.allowInsecureRequests] });
    const verifier = client.randomPKCECodeVerifier();
    const state = client.randomState();
    const url = client.buildAuthorizationUrl(config, {
        redirect_uri: redirect, scope: 'facilities:read', state, resource,
        code_challenge: await client.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256',
    });
    console.log(url.href);
    const sent = new URL(await line());
    const first = await client.authorizationCodeGrant(config, sent, { pkceCodeVerifier: verifier, expectedState: state }, { resource });
    const second = await client.refreshTokenGrant(config, first.refresh_token, { resource });
    const active = await client.tokenIntrospection(config, second.access_token);
    const me = await (await client.fetchProtectedResource(config, second.access_token, new URL('/api/auth/me', issuer), 'GET')).json();
    await client.tokenRevocation(config, second.refresh_token);
    const inactive = await client.tokenIntrospection(config, second.access_token);
    const claims = JSON.parse(Buffer.from(second.access_token.split('.')[1], 'base64url'));
    console.log(JSON.stringify({ client: config.clientMetadata(), first, second, active, inactive, me, claims }));
}

main().catch(error => {
    console.error(error);
    process.exit(1);
});
