// npm's oidc-provider, which keeps all in memory: provider.cjs PORT COUNT FILE. Writes to FILE, as JSON, what COUNT consents of one
// client gave: its id and secret, refresh tokens, access tokens; and listens then.
'use strict';

const fs = require('node:fs');
const { Provider } = require('oidc-provider');

const [, , port, count, file] = process.argv;
const client = {
    client_id: 'bench', client_secret: 'a secret of forty-three characters, as ours', grant_types: ['authorization_code', 'refresh_token'],
    redirect_uris: ['https://client.example.test/callback'], token_endpoint_auth_method: 'client_secret_post',
};
const provider = new Provider(`http://127.0.0.1:${port}`, {
    clients: [client],
    scopes: ['openid', 'offline_access', 'staff:read'],
    features: { devInteractions: { enabled: false }, introspection: { enabled: true } },
    rotateRefreshToken: () => true,
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    ttl: { AccessToken: 3600, RefreshToken: 30 * 86400, Grant: 30 * 86400 },
});

async function consent() {
    const grant = new provider.Grant({ accountId: '31', clientId: client.client_id });
    grant.addOIDCScope('openid offline_access staff:read');
    const grantId = await grant.save();
    const of = { accountId: '31', client: await provider.Client.find(client.client_id), grantId, scope: 'openid offline_access staff:read',
        gty: 'authorization_code' };
    return { refresh: await new provider.RefreshToken({ ...of, rotations: 0, iiat: Math.floor(Date.now() / 1000) }).save(),
        access: await new provider.AccessToken(of).save() };
}

(async () => {
    const made = [];
    for (let i = 0; i < Number(count); i++) made.push(await consent());
    fs.writeFileSync(file, JSON.stringify({ id: client.client_id, secret: client.client_secret,
        refresh: made.map((each) => each.refresh), access: made.map((each) => each.access) }));
    provider.listen(Number(port), '127.0.0.1');
})();
