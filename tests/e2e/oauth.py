# People and clients of the authorization server: a browser that fills in its forms, and a client by hand, which can do wrong.

import base64
import dataclasses
import hashlib
import html.parser
import secrets
from urllib.parse import parse_qs, urlencode, urlsplit

import people

REDIRECT = "http://127.0.0.1:4711/callback"
AUTHORIZE, TOKEN, REGISTER, LOGIN, GRANTS = "/oauth/authorize", "/oauth/token", "/oauth/register", "/login", "/api/oauth/grants"
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


def issuer_of(service):
    return service.demo["baseUrl"]


class Form(html.parser.HTMLParser):
    """The first form of a page: its action, its fields with what they hold, those of its boxes that are ticked."""

    def __init__(self, text):
        super().__init__()
        self.action, self.fields, self.texts, self.scripts = None, {}, [], 0
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.scripts += tag == "script" or any(name.startswith("on") for name in given)
        if tag == "form":
            self.action = given["action"]
        if tag == "input" and (given.get("type") != "checkbox" or "checked" in given):
            self.fields[given["name"]] = given.get("value", "")

    def handle_data(self, data):
        self.texts.append(data.strip())


def path_of(url):
    parts = urlsplit(url)
    return parts.path + ("?" + parts.query if parts.query else "")


class Browser(people.Browser):
    """A person's browser, which keeps cookies and says of each form where it comes from."""

    def __init__(self, service):
        super().__init__(service)
        self.origin = people.url_of(service)

    def submit(self, form, headers=None, **changed):
        """Sends a form; what is None is left out of it."""
        fields = {name: value for name, value in (form.fields | changed).items() if value is not None}
        return self.send("POST", form.action, headers=FORM | {"Origin": self.origin, "Sec-Fetch-Site": "same-origin"} | (headers or {}),
                         raw=urlencode(fields).encode())

    def follow(self, answer):
        """The page to which an answer of the service itself leads."""
        return self.get(path_of(answer.headers["Location"]))

    def open(self, url, email, password=people.PASSWORD):
        """The form that asks for consent, once its user has signed in."""
        page = self.get(path_of(url))
        if page.status == 303:
            login = self.follow(page)
            page = self.follow(self.submit(Form(login.text), name=email, password=password))
        assert page.status == 200, str(page)
        return Form(page.text)

    def allow(self, url, email, untick=()):
        """Where the user is sent who lets the client do all but some of what it asks for."""
        form = self.open(url, email)
        answer = self.submit(form, decision="allow", **{f"allow:{scope}": None for scope in untick})
        assert answer.status == 303, str(answer)
        return answer.headers["Location"]


def challenge_of(verifier):
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()


@dataclasses.dataclass
class Client:
    """A client that asks as it is told to. `asks` goes into each authorization request."""

    service: object
    id: str = ""
    secret: str = ""
    verifier: str = dataclasses.field(default_factory=lambda: secrets.token_urlsafe(48))
    asks: dict = dataclasses.field(default_factory=dict)

    def __post_init__(self):
        self.http = people.client_of(self.service)

    def register(self, **metadata):
        """Its answer; the client is that one from then on."""
        answer = self.http.post(REGISTER, {"client_name": "A client", "redirect_uris": [REDIRECT]} | metadata)
        if answer.status == 201:
            self.id, self.secret = answer.body["client_id"], answer.body.get("client_secret", "")
        return answer

    def url(self, **changed):
        """An authorization request; what is None is left out."""
        asked = {"response_type": "code", "client_id": self.id, "redirect_uri": REDIRECT, "state": "a state",
                 "code_challenge": challenge_of(self.verifier), "code_challenge_method": "S256"} | self.asks | changed
        return f"{issuer_of(self.service)}{AUTHORIZE}?" + urlencode({name: value for name, value in asked.items() if value is not None})

    def ask(self, headers=None, path=TOKEN, **fields):
        """An answer of the token endpoint; what is None is left out."""
        fields = {"client_id": self.id} | fields
        return self.http.send("POST", path, headers=FORM | (headers or {}),
                              raw=urlencode({name: value for name, value in fields.items() if value is not None}).encode())

    def exchange(self, sent, headers=None, **changed):
        """The answer to the code with which a user was sent back, or to that code."""
        code = parse_qs(urlsplit(sent).query)["code"][0] if "?" in sent else sent
        return self.ask(headers, **{"grant_type": "authorization_code", "code": code, "redirect_uri": REDIRECT,
                                    "code_verifier": self.verifier} | changed)

    def refresh(self, token, **changed):
        return self.ask(**{"grant_type": "refresh_token", "refresh_token": token} | changed)


_cookies = {}  # of sessions, by place and user: to sign in is dear


def allow(service, url, email, untick=()):
    """As Browser.allow(), in the session that the user has there, and in a new one where there is none, or it has ended."""
    browser = Browser(service)
    browser.cookie = _cookies.get((browser.origin, email))
    location = browser.allow(url, email, untick)
    _cookies[browser.origin, email] = browser.cookie
    return location


def connected(service, email, scope=None, untick=(), **metadata):
    """A client that the user has just let act for them, and its tokens."""
    client = Client(service, asks={"scope": scope} if scope else {})
    assert client.register(**metadata).status == 201
    answer = client.exchange(allow(service, client.url(), email, untick))
    assert answer.status == 200, str(answer)
    return client, answer.body
