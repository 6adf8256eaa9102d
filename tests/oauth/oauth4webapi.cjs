// npm's oauth4webapi against the service, from nothing: oauth4webapi.cjs ISSUER RESOURCE. It prints where its user has to go, and
// reads from its input where the service sent them; then it prints what it saw.
'use strict';

const oauth = require('oauth4webapi');
const readline = require('node:readline');

const [issuer, resource] = process.argv.slice(2);
const insecure = { [oauth.allowInsecureRequests]: true };
const redirect = 'http://127.0.0.1:4711/callback';

async function line() {
    for await (const text of readline.createInterface({ input: process.stdin })) return text;
    throw new Error('nothing came');
}

async function main() {
    const url = new URL(issuer);
    const server = await oauth.processDiscoveryResponse(url, await oauth.discoveryRequest(url, { algorithm: 'oauth2', ...insecure }));
    const client = await oauth.processDynamicClientRegistrationResponse(await oauth.dynamicClientRegistrationRequest(
        server, { client_name: 'oauth4webapi', redirect_uris: [redirect] }, insecure));
    const verifier = oauth.generateRandomCodeVerifier();
    const state = oauth.generateRandomState();
    const ask = new URL(server.authorization_endpoint);
    for (const [name, value] of Object.entries({
        client_id: client.client_id, redirect_uri: redirect, response_type: 'code', state, resource, scope: 'facilities:read staff:read',
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256',
    })) ask.searchParams.set(name, value);
    console.log(ask.href);

    const sent = oauth.validateAuthResponse(server, client, new URL(await line()), state);
    const asks = { additionalParameters: { resource }, ...insecure };
    const first = await oauth.processAuthorizationCodeResponse(server, client, await oauth.authorizationCodeGrantRequest(
        server, client, oauth.None(), sent, redirect, verifier, asks));
    const second = await oauth.processRefreshTokenResponse(server, client, await oauth.refreshTokenGrantRequest(
        server, client, oauth.None(), first.refresh_token, asks));
    const call = await oauth.protectedResourceRequest(second.access_token, 'GET', new URL('/api/auth/me', issuer), undefined, undefined, insecure);
    const request = new Request('https://resource.test/', { headers: { Authorization: `Bearer ${second.access_token}` } });
    const claims = await oauth.validateJwtAccessToken(server, request, resource, insecure);
    console.log(JSON.stringify({ client, first, second, me: await call.json(), claims }));
}

main().catch(error => {
    console.error(error);
    process.exit(1);
});
