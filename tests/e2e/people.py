# People who sign in: users with passwords, clients that keep a session's cookie, and the links in their mails.

import json
import re
import secrets
import threading
from concurrent.futures import ThreadPoolExecutor

import rest
import support

PASSWORD = "correct horse battery staple"
COOKIE = "svc_session"
LOGIN, TOKEN, LOGOUT, ME = (f"/api/auth/{verb}" for verb in ("login", "token", "logout", "me"))
SESSIONS, CHANGE = "/api/auth/sessions", "/api/auth/password"
NOTIFICATIONS = "/api/notifications"
ACCEPT, FORGOT, RESET = (f"/api/auth/{verb}" for verb in ("accept-invite", "forgot", "reset"))
_SENT_SECONDS = 60


def url_of(service):
    """Where a service listens, or one process of a cluster."""
    return getattr(service, "url", None) or service.demo["baseUrl"]


def client_of(service, credential=None):
    return rest.Client(url_of(service), credential)


def owner_of(service):
    """A client with the demo customer's key."""
    return client_of(service, service.demo["keys"]["live"])


def operator_of(service):
    """A client with a token of the seeded super_admin."""
    return client_of(service, service.command("token", "super.admin@platform.example.com").strip())


def set_cookie(answer):
    """Value and attributes of the session's cookie that an answer sets; None where it sets none."""
    for line in answer.headers.get_all("Set-Cookie", []):
        value, *attributes = line.split("; ")
        if value.startswith(COOKIE + "="):
            return value.removeprefix(COOKIE + "="), set(attributes)
    return None


class Browser(rest.Client):
    """A client that keeps the cookie that it is given, and drops it when it is told to."""

    def __init__(self, service, cookie=None):
        super().__init__(url_of(service))
        self.session = None  # its id
        self.cookie = cookie

    def send(self, method, path, body=None, headers=None, raw=None, **query):
        cookie = {} if self.cookie is None else {"Cookie": f"{COOKIE}={self.cookie}"}
        answer = super().send(method, path, body, cookie | (headers or {}), raw, **query)
        if given := set_cookie(answer):
            value, attributes = given
            self.cookie = None if "Max-Age=0" in attributes else value
        return answer


def person(**fields):
    """A body of a user; what is None is left out."""
    unique = secrets.token_hex(6)
    body = {"firstName": "Ada", "lastName": "Byron", "email": f"{unique}@people.example.test", "username": unique,
            "role": "viewer", "password": PASSWORD} | fields
    return {name: value for name, value in body.items() if value is not None}


def make_user(service, client=None, **fields):
    """A new user, of the demo customer where no other client makes them."""
    client, body, keyed = client or owner_of(service), person(**fields), {"Idempotency-Key": secrets.token_hex(16)}

    def ask():
        """The answer, unless the partition is on its way to another process."""
        answer = client.post("/api/users", body, keyed)
        return answer if answer.status != 503 else None
    made = support.wait_until(ask, support.READY_SECONDS, "a user is made")
    assert made.status == 201, str(made)
    service.wait_projected()
    return made.body


def login(client, who, password=PASSWORD, path=LOGIN, headers=None):
    """The answer to a sign-in by address or by user name."""
    return client.post(path, {"email" if "@" in who else "username": who, "password": password}, headers)


def sign_in(service, email, password=PASSWORD):
    """A client with a new session of that user."""
    browser = Browser(service)
    answer = login(browser, email, password)
    assert answer.status == 200 and browser.cookie, str(answer)
    browser.session = answer.body["session"]["id"]
    return browser


def take_token(service, email, password=PASSWORD):
    """A client with a new token of that user."""
    answer = login(client_of(service), email, password, TOKEN)
    assert answer.status == 200, str(answer)
    return client_of(service, answer.body["token"])


def told(client, count=1, **query):
    """The notifications of a client's user once there are so many, newest first."""
    def enough():
        answer = client.get(NOTIFICATIONS, limit=200, **query)
        assert answer.status == 200, str(answer)
        rows = answer.body["data"]
        return rows if len(rows) >= count else None
    return support.wait_until(enough, _SENT_SECONDS, f"{count} notifications are there")


def mailed(service, email, kind):
    """The tokens of links (`kind`: invite, reset) in mails that were sent to the address, newest first."""
    base = service.env.get("WORKFORCE_BASE_URL") or url_of(service)
    mails = json.loads(service.command("outbox", "--json", "--limit", "10000"))["mails"]
    return [token for mail in mails if mail["to"] == email
            for token in re.findall(rf"{re.escape(base)}/{kind}/(\S+)", mail["text"])]


def links(service, email, kind, count=1):
    """The same once there are so many."""
    seen = None  # of the outbox: what is in it is looked at when there is more

    def enough():
        nonlocal seen
        before, seen = seen, service.postgres.psql("SELECT count(*), max(created_at) FROM ops.outbox")
        tokens = mailed(service, email, kind) if seen != before else ()
        return tokens if len(tokens) >= count else None
    return support.wait_until(enough, _SENT_SECONDS, f"{count} mails with a link ({kind}) are sent to {email}")


def forget(service, email, count=1):
    """Asks for a reset link, which is the address's `count`-th; its token."""
    answer = client_of(service).post(FORGOT, {"email": email})
    assert answer.status == 202, str(answer)
    return links(service, email, "reset", count)[0]


def events_of(service, user):
    """The types of the events that the log has of the user."""
    return support.logged_types(service, f"user/{user['id']}")


def at_once(calls):
    """What the calls give that are made at the same time, each by a thread of its own."""
    barrier = threading.Barrier(len(calls))

    def run(call):
        barrier.wait()
        return call()
    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(run, calls))
