# PyPI's Authlib against the service, as a client with a secret: authlib_client.py ISSUER RESOURCE. As oauth4webapi.cjs.

import json
import os
import sys

import requests
from authlib.integrations.requests_client import OAuth2Session
from joserfc import jwk, jwt

os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"  # loopback
REDIRECT = "http://127.0.0.1:4711/callback"


def main():
    issuer, resource = sys.argv[1:]
    server = requests.get(f"{issuer}/.well-known/oauth-authorization-server", timeout=30).json()
    registered = requests.post(server["registration_endpoint"], timeout=30, json={
        "client_name": "Authlib", "redirect_uris": [REDIRECT], "token_endpoint_auth_method": "client_secret_basic",
        "scope": "facilities:read staff:read no:such"}).json()
    with OAuth2Session(registered["client_id"], registered["client_secret"], redirect_uri=REDIRECT, scope="facilities:read",
                       code_challenge_method="S256", token_endpoint=server["token_endpoint"]) as session:
        verifier = "authlib-" * 6
        url, _ = session.create_authorization_url(server["authorization_endpoint"], code_verifier=verifier, resource=resource)
        print(url, flush=True)
        first = session.fetch_token(server["token_endpoint"], authorization_response=sys.stdin.readline().strip(),
                                    code_verifier=verifier, resource=resource)
        second = session.refresh_token(server["token_endpoint"], refresh_token=first["refresh_token"])
        me = session.get(f"{issuer}/api/auth/me").json()
    keys = jwk.KeySet.import_key_set(requests.get(server["jwks_uri"], timeout=30).json())
    claims = jwt.decode(second["access_token"], keys, algorithms=["ES256"]).claims
    print(json.dumps({"client": registered, "first": first, "second": second, "me": me, "claims": claims}))


main()
