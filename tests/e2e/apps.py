# What the suites of apps share: a Composio on loopback that knows its paths, checks what it is sent, does each key once, and can be
# told to misbehave.

import itertools
import json
import re
import secrets
import threading
from urllib.parse import parse_qs, unquote, urlsplit

import receiver
from receiver import Reply

APPS, CONNECTIONS, EXECUTIONS = "/api/apps", "/api/apps/connections", "/api/apps/executions"
AUTH_CONFIGS = {"github": "ac_github1", "slack": "ac_slack1"}
ACTIONS = {"github": ["GITHUB_CREATE_ISSUE", "GITHUB_STAR"], "slack": ["SLACK_SEND"]}


def answer(status, body):
    return Reply(status, json.dumps(body).encode(), (("Content-Type", "application/json"),))


def done(data):
    return answer(200, {"successful": True, "data": data, "error": None})


def failed(error, status=200):
    return answer(status, {"successful": False, "data": {}, "error": error})


class Composio(receiver.Receiver):
    """`misbehave` has replies, of which each is given to one execution, after it was carried out (None: the true answer); `before` has
    some that are given instead of carrying it out. `faults` has what was wrong with requests."""

    def __init__(self):
        super().__init__()
        self.api_key = "ck_" + secrets.token_hex(16)
        self.misbehave, self.before, self.faults = [], [], []
        self.accounts = {}  # id: (app, user)
        self.results = {}  # by key: what was done, once each
        self.carried_out = []  # (action, account, arguments) in their order, once a key
        self.links = []  # replies for the next connections
        self._numbers = itertools.count(1)
        self._state = threading.Lock()

    def settings(self, directory, apps=tuple(AUTH_CONFIGS)):
        key = directory / "composio.key"
        key.write_text(self.api_key + "\n", encoding="utf-8")
        key.chmod(0o600)
        return {"WORKFORCE_COMPOSIO_URL": self.url(""), "WORKFORCE_COMPOSIO_API_KEY_FILE": str(key),
                "WORKFORCE_COMPOSIO_APPS": ",".join(f"{app}={AUTH_CONFIGS[app]}" for app in apps)}

    def take(self, request):
        super().take(request)
        with self._state:
            if request.headers.get("x-api-key") != self.api_key:
                self.faults.append(f"{request.path}: the key")
                return answer(401, {"error": {"message": "Invalid API key"}})
            url = urlsplit(request.path)
            if request.method == "GET" and url.path == "/api/v3/tools":
                return self._listed(parse_qs(url.query))
            if request.method == "POST" and url.path == "/api/v3/connected_accounts/link":
                return self._linked(request)
            if request.method == "DELETE" and (found := re.fullmatch(r"/api/v3/connected_accounts/([^/]+)", url.path)):
                return answer(200 if self.accounts.pop(unquote(found[1]), None) else 404, {"success": True})
            if request.method == "POST" and (found := re.fullmatch(r"/api/v3/tools/execute/([^/]+)", url.path)):
                return self._executed(unquote(found[1]), request)
            self.faults.append(f"{request.method} {request.path}")
            return answer(404, {"error": {"message": "no such path"}})

    def _body(self, request, *members):
        body = json.loads(request.body)
        if sorted(body) != sorted(members) or request.headers.get("Content-Type") != "application/json":
            self.faults.append(f"{request.path}: {body}")
        if not re.fullmatch(r"app_[0-9a-f]{64}", request.headers.get("Idempotency-Key", "")):
            self.faults.append(f"{request.path}: no key")
        return body

    def _listed(self, query):
        slug, = query["toolkit_slug"]
        return answer(200, {"items": [{"slug": name, "description": f"{name} does it",
                                       "input_parameters": {"type": "object", "properties": {"title": {"type": "string"}}}}
                                      for name in ACTIONS.get(slug, ())], "next_cursor": None})

    def _linked(self, request):
        body = self._body(request, "auth_config_id", "user_id")
        app = next((app for app, config in AUTH_CONFIGS.items() if config == body["auth_config_id"]), None)
        if app is None:
            self.faults.append(f"auth config {body['auth_config_id']}")
        if self.links:
            return self.links.pop(0)
        account = f"ca_{next(self._numbers)}"
        self.accounts[account] = app, body["user_id"]
        return answer(201, {"connected_account_id": account, "redirect_url": f"https://connect.composio.example/link/{account}"})

    def _executed(self, action, request):
        body = self._body(request, "connected_account_id", "user_id", "arguments")
        app, user = self.accounts.get(body["connected_account_id"], (None, None))
        if app is None:
            return failed("Connected account not found", 400)
        if user != body["user_id"] or action not in ACTIONS[app]:
            self.faults.append(f"{action} {body}")
        if self.before:
            return self.before.pop(0)
        key = request.headers["Idempotency-Key"]
        if key not in self.results:
            self.carried_out.append((action, body["connected_account_id"], body["arguments"]))
            self.results[key] = done({"number": len(self.carried_out), "got": body["arguments"]})
        return (self.misbehave.pop(0) if self.misbehave else None) or self.results[key]
