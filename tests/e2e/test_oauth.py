# The authorization server: clients, consent, codes, tokens, and what they open; and what others try with them.

import base64
import collections
import contextlib
import http.client
import http.server
import json
import subprocess
import threading
import unittest
from urllib.parse import parse_qs, urlencode, urlsplit

import cluster
import mcp
import mfa
import oauth
import people
import rest
import support
import test_docs_pages
from oauth import AUTHORIZE, GRANTS, LOGIN, REDIRECT, Browser, Client, Form, connected
from people import ME, make_user

CLIENTS = support.PROJECT_ROOT / "tests" / "oauth"
NODE = [support.PROJECT_ROOT / "scripts" / "node"]
OAUTH_NODE = [*NODE, "--packages", CLIENTS / "npm"]
AUTHLIB = [support.PROJECT_ROOT / "scripts" / "python", "--requirements", CLIENTS / "pypi" / "requirements.txt"]
PYTHON2 = [support.PROJECT_ROOT / "scripts" / "python", "--requirements", support.PROJECT_ROOT / "tests" / "mcp" / "python2" / "requirements.txt"]
ENDED_SECONDS = 30  # of what has to have ended within one, however busy the machine is
service = owner = user = issuer = mcp_url = None


def setUpModule():
    global service, owner, user, issuer, mcp_url
    service = rest.start_service({"WORKFORCE_WEBHOOKS_ALLOW_INSECURE_TARGETS": "true"})
    owner = rest.client_of(service)
    issuer, mcp_url = oauth.issuer_of(service), mcp.url_of(service)
    user = make_user(service, role="scheduler")


def sent_to(location):
    """The parameters with which a user was sent somewhere."""
    return {name: value[0] for name, value in parse_qs(urlsplit(location).query).items()}


def check_denied(case, who, scope):
    """What the user did not allow stands in the audit log as theirs."""
    operator = people.operator_of(service)

    def entries():
        rows = operator.get("/api/audit-log", orgUnitId=service.demo["organizationId"], action="OAUTH_GRANT_DENIED").body["data"]
        return [row for row in rows if row["actor"]["id"] == who["id"]]
    entry, = support.wait_until(entries, 30, "the denial is audited")
    case.assertIn(scope, json.dumps(entry))


def people_browser(who):
    """The browser of a user who signed in."""
    browser = Browser(service)
    browser.cookie = people.sign_in(service, who["email"]).cookie
    return browser


def token_parts(token):
    return [json.loads(base64.urlsafe_b64decode(part + "==")) for part in token.split(".")[:2]]


class OAuthCase(rest.RestCase):

    def check_error(self, answer, status, error):
        self.assertEqual((answer.status, answer.body["error"]), (status, error), str(answer))
        self.assertEqual(answer.headers["Cache-Control"], "no-store")

    def check_grant_refused(self, answer):
        self.check_error(answer, 400, "invalid_grant")

    def wait_ended(self, token):
        me = people.client_of(service, token)
        support.wait_until(lambda: me.get(ME).status == 401, ENDED_SECONDS, "the access token has ended")


class MetadataTest(OAuthCase):

    def test_every_form_of_the_address(self):
        documents = [self.check(people.client_of(service).get(path), 200) for path in (
            "/.well-known/oauth-authorization-server", "/.well-known/oauth-authorization-server/mcp",
            "/.well-known/openid-configuration", "/.well-known/openid-configuration/mcp")]
        metadata = documents[0]
        self.assertEqual(documents, [metadata] * 4)
        self.assertEqual(metadata["issuer"], issuer)
        self.assertEqual(metadata["code_challenge_methods_supported"], ["S256"])
        self.assertTrue(metadata["authorization_response_iss_parameter_supported"])
        self.assertEqual(set(metadata["token_endpoint_auth_methods_supported"]), {"none", "client_secret_basic", "client_secret_post"})

    def test_resources_name_the_server(self):
        for url, path, resource in ((issuer, "", issuer), (mcp_url, "", mcp_url), (issuer, "/mcp", f"{mcp_url}/mcp"),
                                    (mcp_url, "/mcp", f"{mcp_url}/mcp")):
            body = self.check(rest.Client(url).get(f"/.well-known/oauth-protected-resource{path}"), 200)
            self.assertEqual((body["resource"], body["authorization_servers"]), (resource, [issuer]))

    def test_scripts_of_other_origins(self):
        client = people.client_of(service)
        asks = {"Origin": "https://app.example.test", "Access-Control-Request-Method": "POST"}
        for path in (oauth.REGISTER, oauth.TOKEN, "/oauth/revoke"):
            answer = client.send("OPTIONS", path, headers=asks)
            self.assertEqual((answer.status, answer.headers["Access-Control-Allow-Origin"]), (204, "*"), path)
        for path in (AUTHORIZE, LOGIN):
            self.assertNotIn("Access-Control-Allow-Origin", client.send("OPTIONS", path, headers=asks).headers)
            self.assertNotIn("Access-Control-Allow-Origin", client.get(path, headers=asks).headers)


class RegistrationTest(OAuthCase):

    def test_a_name_and_addresses_are_enough(self):
        answer = Client(service).register(client_name="Planner")
        self.assertEqual(answer.status, 201, str(answer))
        self.assertRegex(answer.body.pop("client_id"), r"\Asvc_client_[0-9A-Za-z]{22}\Z")
        self.assertGreater(answer.body.pop("client_id_issued_at"), 1_700_000_000)
        self.assertEqual(answer.body, {"client_name": "Planner", "redirect_uris": [REDIRECT], "response_types": ["code"],
                                       "grant_types": ["authorization_code", "refresh_token", DeviceTest.GRANT],
                                       "token_endpoint_auth_method": "none"})

    def test_what_is_dropped_and_kept(self):
        answer = Client(service).register(
            scope="staff:read no:such *", grant_types=["authorization_code", "implicit"], client_uri="https://planner.test/",
            logo_uri="javascript:alert(1)", token_endpoint_auth_method="client_secret_post", software_id="x")
        self.assertEqual((answer.status, answer.body["scope"], answer.body["grant_types"], answer.body["client_uri"]),
                         (201, "staff:read", ["authorization_code"], "https://planner.test/"))
        self.assertNotIn("logo_uri", answer.body)
        self.assertEqual((len(answer.body["client_secret"]), answer.body["client_secret_expires_at"]), (43, 0))

    def test_addresses(self):
        for uri in ("https://planner.test/cb?x=1", "http://localhost/cb", "http://[::1]:9/cb", "com.example.app:/cb", "cursor://a/b"):
            self.assertEqual(Client(service).register(redirect_uris=[uri]).status, 201, uri)
        for uri in ("http://planner.test/cb", "https://planner.test/#x", "https://me@planner.test/", "javascript:alert(1)", "data:text/html,x",
                    "file:///etc/passwd", "/cb", "", "https://", "http://127.0.0.1.evil.test/", "https://a.test/ b", "https://a.test/\r\nX: y"):
            self.check_error(Client(service).register(redirect_uris=[uri]), 400, "invalid_redirect_uri")
        for uris in ([], [REDIRECT] * 11, REDIRECT, [7]):
            self.check_error(Client(service).register(redirect_uris=uris), 400, "invalid_redirect_uri")

    def test_what_is_no_metadata(self):
        for wrong in ({"grant_types": ["password"]}, {"grant_types": "code"}, {"response_types": ["token"]},
                      {"token_endpoint_auth_method": "private_key_jwt"}):
            self.check_error(Client(service).register(**wrong), 400, "invalid_client_metadata")
        nobody = people.client_of(service)
        self.check_error(nobody.send("POST", oauth.REGISTER, headers={"Content-Type": "application/json"}, raw=b"[]"), 400,
                         "invalid_client_metadata")
        self.check_error(nobody.send("POST", oauth.REGISTER, headers={"Content-Type": "application/json"}, raw=b"{"), 400,
                         "invalid_request")

    def test_a_flood(self):
        """So many clients may be registered that nobody uses; who lets one act for them counts it out."""
        service.postgres.psql("INSERT INTO auth.oauth_client (client_id) SELECT 'flood ' || n FROM generate_series(1, 10000) n")
        answer = Client(service).register()
        self.check_error(answer, 429, "temporarily_unavailable")
        self.assertEqual(answer.headers["Retry-After"], "1")
        service.postgres.psql("UPDATE auth.oauth_client SET last_used_at = now() WHERE client_id LIKE 'flood %'")
        self.assertEqual(Client(service).register().status, 201)
        service.postgres.psql("DELETE FROM auth.oauth_client WHERE client_id LIKE 'flood %'")

    def test_it_is_audited(self):
        client = Client(service)
        client.register(client_name="Audited")
        operator = people.operator_of(service)
        support.wait_until(lambda: client.id in operator.get("/api/audit-log", orgUnitId=1, action="OAUTH_CLIENT_REGISTERED").text,
                           30, "the registration is audited")


class Documents(http.server.BaseHTTPRequestHandler):
    """What clients have at their own addresses: by path what is answered, and how often it was asked for."""

    answers, asked = {}, collections.Counter()

    def do_GET(self):
        self.asked[self.path] += 1
        status, body, headers = self.answers.get(self.path, (404, b"", {}))
        if status == "slow":
            self.server.gone.wait(20)
            return
        self.send_response(status)
        for name, value in ({"Content-Type": "application/json", "Content-Length": str(len(body))} | headers).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class DocumentTest(OAuthCase):
    """Clients whose id is the address of their own metadata."""

    @classmethod
    def setUpClass(cls):
        cls.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Documents)
        cls.server.daemon_threads, cls.server.gone = True, threading.Event()
        threading.Thread(target=cls.server.serve_forever, daemon=True).start()
        cls.base = f"http://127.0.0.1:{cls.server.server_address[1]}"

    @classmethod
    def tearDownClass(cls):
        cls.server.gone.set()
        cls.server.shutdown()
        cls.server.server_close()

    def put(self, path, status=200, headers=None, raw=None, **document):
        """The client that has this document."""
        url = self.base + path
        body = json.dumps({"client_id": url, "client_name": "Of the web", "redirect_uris": [REDIRECT]} | document).encode()
        Documents.answers[path] = (status, body if raw is None else raw, headers or {})
        return Client(service, url, asks={"scope": "staff:read"})

    def check_unknown(self, client):
        answer = Browser(service).get(oauth.path_of(client.url()))
        self.assertEqual((answer.status, answer.headers["Location"]), (400, None), str(answer))

    def test_as_assistants_and_editors_have_them(self):
        for path, uri, more in (
                ("/oauth/claude", "https://claude.ai/api/mcp/auth_callback",
                 {"client_name": "Claude", "client_uri": "https://claude.ai", "grant_types": ["authorization_code", "refresh_token"],
                  "response_types": ["code"], "token_endpoint_auth_method": "none"}),
                ("/chatgpt.json", "https://chatgpt.com/connector_platform_oauth_redirect",
                 {"client_name": "ChatGPT", "grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"],
                  "token_endpoint_auth_method": "none", "logo_uri": "https://chatgpt.com/logo.png", "contacts": ["x@openai.test"]}),
                ("/vscode.json", "http://127.0.0.1:33418/",
                 {"client_name": "Visual Studio Code", "redirect_uris": ["http://127.0.0.1:33418/", "https://vscode.dev/redirect"],
                  "token_endpoint_auth_method": "none", "application_type": "native"})):
            client = self.put(path, **{"redirect_uris": [uri]} | more)
            browser = Browser(service)
            form = browser.open(client.url(redirect_uri=uri), user["email"])
            text = " ".join(form.texts)
            self.assertIn("known by its address", text)
            for shown in (client.id, urlsplit(uri).netloc):
                self.assertIn(shown, text)
            location = browser.submit(form, decision="allow").headers["Location"]
            tokens = self.check(client.exchange(location, redirect_uri=uri), 200)
            self.assertEqual(token_parts(tokens["access_token"])[1]["client_id"], client.id)
            self.check(people.client_of(service, tokens["access_token"]).get(ME), 200)
            self.check(client.refresh(tokens["refresh_token"]), 200)
            self.assertEqual(Documents.asked[path], 1, "it is kept")

    def test_one_that_went_away_goes_on(self):
        client = self.put("/gone", headers={"Cache-Control": "max-age=1"})
        tokens = self.check(client.exchange(oauth.allow(service, client.url(), user["email"])), 200)
        Documents.answers["/gone"] = (500, b"", {})
        service.postgres.psql("UPDATE auth.oauth_document SET fresh_until = now()")
        self.check(client.refresh(tokens["refresh_token"]), 200)
        self.assertEqual(Documents.asked["/gone"], 2)

    def stale(self, path, status, headers=None, age="0 seconds"):
        """The document is answered so from now on, and what is kept of it holds no more."""
        Documents.answers[path] = (status, Documents.answers[path][1] if status == 200 else b"", headers or {})
        service.postgres.psql(f"UPDATE auth.oauth_document SET fresh_until = now(), fetched_at = now() - interval '{age}' "
                               f"WHERE client_id = '{self.base + path}'")

    def test_one_that_is_withdrawn_ends(self):
        """Nobody is let in by a document that its server has no more, nor by one that nobody has seen for a day."""
        for number, (status, headers, age) in enumerate((
                (404, {}, "0 seconds"), (410, {}, "0 seconds"), (200, {"Content-Type": "text/html"}, "0 seconds"), (500, {}, "25 hours"))):
            client = self.put(f"/withdrawn/{number}")
            code = oauth.allow(service, client.url(), user["email"])
            tokens = self.check(client.exchange(oauth.allow(service, client.url(), user["email"])), 200)
            self.stale(f"/withdrawn/{number}", status, headers, age)
            self.check_error(client.refresh(tokens["refresh_token"]), 401, "invalid_client")
            self.check_error(client.exchange(code), 401, "invalid_client")
            self.check_unknown(client)

    def test_one_that_changes_while_people_look(self):
        """People agree to the name and the address that they were shown, or are asked again."""
        other = "https://elsewhere.test/"
        for path, url, status, changed in (("/renamed", {}, 403, {"client_name": "Your bank"}),
                                           ("/moved", {"redirect_uri": None}, 403, {"redirect_uris": [other]}),
                                           ("/grown", {}, 303, {"redirect_uris": [REDIRECT, other]})):
            client, browser = self.put(path), Browser(service)
            form = browser.open(client.url(**url), user["email"])
            self.put(path, **changed)
            self.stale(path, 200)
            self.assertEqual(browser.submit(form, decision="allow").status, status, path)

    def test_what_is_no_document(self):
        for number, (status, raw, headers, document) in enumerate((
                (404, None, {}, {}), (302, None, {"Location": self.base + "/oauth/claude"}, {}), (200, b"{", {}, {}), (200, b"", {}, {}),
                (200, b"[" * 100, {}, {}), (200, None, {}, {"client_id": "https://other.test/x"}), (200, None, {}, {"redirect_uris": []}),
                (200, None, {}, {"redirect_uris": ["http://evil.test/"]}), (200, None, {}, {"token_endpoint_auth_method": "client_secret_post"}),
                (200, None, {}, {"token_endpoint_auth_method": "private_key_jwt"}), (200, None, {}, {"padding": "x" * 70_000}),
                (200, None, {"Content-Type": "text/html"}, {}), (200, None, {"Content-Type": "text/plain; x=application/json"}, {}))):
            self.check_unknown(self.put(f"/wrong/{number}", status, headers, raw, **document))

    def test_addresses_that_are_not_asked(self):
        """Nor private ones, nor what is no address of a document; and who is slow is not waited for."""
        for url in ("http://10.0.0.1/client", "http://169.254.169.254/latest", "http://[fd00::1]/x", self.base, self.base + "/",
                    self.base + "/a/../b", self.base + "/x#y", self.base.replace("//", "//me@") + "/x", "https://nowhere.invalid/x"):
            self.check_unknown(Client(service, url))
        self.put("/slow", "slow")
        self.check_unknown(Client(service, self.base + "/slow"))


class ConsentTest(OAuthCase):

    def setUp(self):
        self.client = Client(service)
        self.client.register(client_name="<b>Planner</b> & \"co\"")
        self.browser = Browser(service)

    def test_forms_are_for_people(self):
        """Nothing runs in them, nobody frames them, nothing of the client's is markup."""
        login = self.browser.follow(self.browser.get(oauth.path_of(self.client.url())))
        consent = self.browser.follow(self.browser.submit(Form(login.text), name=user["email"], password=people.PASSWORD))
        wrong = self.browser.get(oauth.path_of(self.client.url(client_id="nobody")))
        for page in (login, consent, wrong):
            policy = page.headers["Content-Security-Policy"]
            self.assertIn("default-src 'none'", policy)
            self.assertIn("frame-ancestors 'none'", policy)
            self.assertEqual((page.headers["X-Frame-Options"], page.headers["Cache-Control"], page.headers["Content-Type"]),
                             ("DENY", "no-store", "text/html; charset=utf-8"))
            self.assertEqual(Form(page.text).scripts, 0)
        self.assertNotIn("<b>", consent.text)
        self.assertIn("&lt;b&gt;Planner&lt;/b&gt; &amp;", consent.text)
        self.assertIn("form-action 'self' http://127.0.0.1:4711;", consent.headers["Content-Security-Policy"])
        form = Form(consent.text)
        boxes = {name.removeprefix("allow:") for name in form.fields if name.startswith("allow:")}
        default = {row["scope"] for row in owner.get("/api/scopes").body["data"] if row["inDefaultGrant"]}
        self.assertEqual(boxes, default)

    def test_who_decides_is_told_that_the_program_will(self):
        said = '<b>Planner</b> & "co" can decide about them as you can, whatever you allow below'

        def page_for(scope="staff:read", **fields):
            return " ".join(Browser(service).open(self.client.url(scope=scope), make_user(service, **fields)["email"]).texts)
        self.assertIn(said + ", also calls that it made itself.", page_for(role="admin"))
        self.assertIn(said, page_for(role="facility_admin", facilityIds=service.demo["facilityIds"][:1]))
        for role in ("manager", "scheduler", "staff"):
            self.assertNotIn("approval", page_for(role=role), role)
        where = f"/api/organizations/{service.demo['organizationId']}"
        operator = people.operator_of(service)
        self.check(operator.patch(where, {"settings": {"forbidSameCredentialApproval": True}}), 200)
        self.addCleanup(operator.patch, where, {"settings": {"forbidSameCredentialApproval": False}})
        support.wait_until(lambda: "of calls that it made itself it can approve none." in page_for(role="admin"), support.READY_SECONDS, "it is said")
        self.assertIn("only where you let it approve below", page_for("staff:read ai:approve_actions", role="admin"))

    def test_a_state_that_looks_like_a_token(self):
        """States are the client's: they come back as they are, and are no credentials here."""
        state = "eyJhbGciOiJub25lIn0.eyJhIjoxfQ. &=?#é"
        location = self.browser.allow(self.client.url(state=state, scope="staff:read"), user["email"])
        self.assertEqual(sent_to(location)["state"], state)

    def test_one_scope_unticked(self):
        url = self.client.url(scope="staff:read shifts:read shifts:write")
        answer = self.client.exchange(self.browser.allow(url, user["email"], ["shifts:write"]))
        self.assertEqual(self.check(answer, 200)["scope"], "staff:read shifts:read")

    def test_deny(self):
        for changed in ({"decision": "deny"}, {"decision": "allow", **{f"allow:{scope}": None for scope in ("staff:read",)}}):
            form = self.browser.open(self.client.url(scope="staff:read"), user["email"])
            location = self.browser.submit(form, **changed).headers["Location"]
            self.assertEqual((sent_to(location)["error"], sent_to(location)["iss"], sent_to(location)["state"]),
                             ("access_denied", issuer, "a state"))
            self.assertTrue(location.startswith(REDIRECT + "?"))

    def test_a_denial_is_audited(self):
        who = make_user(service)
        form = self.browser.open(self.client.url(scope="staff:read"), who["email"])
        self.assertEqual(self.browser.submit(form, decision="deny").status, 303)
        check_denied(self, who, "staff:read")
        self.assertEqual(self.check(people.sign_in(service, who["email"]).get(GRANTS), 200)["data"], [])

    def test_strangers_are_sent_nowhere(self):
        """Neither a client nor an address that is not registered gets anybody sent anywhere."""
        for changed in ({"client_id": "nobody"}, {"client_id": None}, *({"redirect_uri": uri} for uri in (
                "https://evil.test/", REDIRECT + "/x", REDIRECT + "?x", REDIRECT.replace("callback", "Callback"), REDIRECT + "#x",
                "http://localhost:4711/callback", "https://127.0.0.1:4711/callback", "http://127.0.0.1:4711@evil.test/callback", "//evil.test"))):
            answer = self.browser.get(oauth.path_of(self.client.url(**changed)))
            self.assertEqual((answer.status, answer.headers["Location"]), (400, None), str(answer))
            self.assertIn("Go back to the program", answer.text)

    def test_the_port_of_a_program_is_its_own(self):
        url = self.client.url(redirect_uri="http://127.0.0.1:50123/callback", scope="staff:read")
        location = self.browser.allow(url, user["email"])
        self.assertTrue(location.startswith("http://127.0.0.1:50123/callback?code="))
        self.check_grant_refused(self.client.exchange(location))
        answer = self.client.exchange(self.browser.allow(url, user["email"]), redirect_uri="http://127.0.0.1:50123/callback")
        self.check(answer, 200)

    def test_what_is_wrong_is_told_to_the_client(self):
        self.browser = people_browser(user)
        for error, changed in (("unsupported_response_type", {"response_type": "token"}), ("invalid_request", {"response_type": None}),
                               ("invalid_request", {"code_challenge": None}), ("invalid_request", {"code_challenge": "short"}),
                               ("invalid_request", {"code_challenge_method": "plain"}), ("invalid_request", {"code_challenge_method": None}),
                               ("invalid_scope", {"scope": "no:such"}), ("invalid_scope", {"scope": "*"}),
                               ("invalid_target", {"resource": "https://evil.test"})):
            # Whoever did not sign in is sent nowhere by a client that anybody registered (RFC 9700 4.11.2).
            stranger = Browser(service).get(oauth.path_of(self.client.url(**changed)))
            self.assertTrue(stranger.headers["Location"].startswith("/login?"), str(stranger))
            location = self.browser.get(oauth.path_of(self.client.url(**changed))).headers["Location"]
            self.assertTrue(location.startswith(REDIRECT + "?"), location)
            self.assertEqual((sent_to(location)["error"], sent_to(location)["iss"], sent_to(location)["state"]), (error, issuer, "a state"))

    def test_a_forged_consent(self):
        """Nobody's form but ours, for this user and this request, is taken; nor one that another site sends."""
        url = self.client.url(scope="staff:read")
        form = self.browser.open(url, user["email"])
        other = make_user(service)
        theirs = Browser(service).open(url, other["email"])
        for changed in ({"seal": None}, {"seal": theirs.fields["seal"]}, {"seal": "x"}, {"scope": "staff:read staff:write"},
                        {"client_id": "other"}, {"made_at": "1"}, {"state": "another"}):
            answer = self.browser.submit(form, decision="allow", **changed)
            self.assertEqual((answer.status, answer.headers["Location"]), (403, None), f"{changed} {answer}")
        for headers in ({"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://evil.test", "Sec-Fetch-Site": "same-origin"}):
            answer = self.browser.submit(form, headers, decision="allow")
            self.assertEqual((answer.status, answer.headers["Location"]), (403, None))
        answer = Browser(service).submit(form, decision="allow")
        self.assertEqual((answer.status, answer.headers["Location"]), (401, None))
        again = Browser(service)  # of the same user: a page is its session's
        again.cookie = people.sign_in(service, user["email"]).cookie
        self.assertEqual(again.submit(form, decision="allow").status, 403)

    def test_a_session_that_ended_lets_nobody_in(self):
        """Nor within the second in which a process trusts what it knows of it: as after a new password at another process."""
        who = make_user(service)
        form = self.browser.open(self.client.url(scope="staff:read"), who["email"])
        self.check(self.browser.get(ME), 200)
        service.postgres.psql(f"DELETE FROM auth.session WHERE user_id = {who['id']}")
        answer = self.browser.submit(form, decision="allow")
        self.assertEqual((answer.status, answer.headers["Location"]), (401, None), str(answer))
        self.assertEqual(self.check(people.sign_in(service, who["email"]).get(GRANTS), 200)["data"], [])

    def test_sign_in_leads_nowhere_else(self):
        for path in ("https://evil.test/", "//evil.test", "/\\evil.test", "/oauth/authorizeX", "/api/users"):
            page = self.browser.get(LOGIN, return_to=path)
            answer = Browser(service).submit(Form(page.text), name=user["email"], password=people.PASSWORD, return_to=path)
            self.assertEqual((answer.status, answer.headers["Location"]), (303, "/dashboard"), path)

    def test_sign_in_is_new_and_may_fail(self):
        page = self.browser.get(LOGIN)
        self.browser.cookie = "fixed"
        wrong = self.browser.submit(Form(page.text), name=user["email"], password="a wrong guess of some length")
        self.assertEqual((wrong.status, people.set_cookie(wrong)), (401, None))
        self.assertIn("no such account", wrong.text)
        self.assertEqual(self.browser.submit(Form(page.text), name="", password="").status, 401)
        right = self.browser.submit(Form(page.text), name=user["email"], password=people.PASSWORD)
        self.assertEqual(right.status, 303)
        self.assertNotEqual(self.browser.cookie, "fixed")
        cross = self.browser.submit(Form(page.text), {"Sec-Fetch-Site": "cross-site"}, name=user["email"], password=people.PASSWORD)
        self.assertEqual((cross.status, people.set_cookie(cross)), (403, None))


class LinkTest(OAuthCase):
    """The forms to which mails lead."""

    def test_an_invitation_and_a_reset(self):
        who = make_user(service, password=None)
        browser = Browser(service)
        for kind, again in (("invite", False), ("reset", True)):
            if again:
                people.client_of(service).post(people.FORGOT, {"email": who["email"]})
            token = support.wait_until(lambda of=kind: people.mailed(service, who["email"], of), 60, "the mail is there")[0]
            page = browser.get(f"/{kind}/{token}")
            self.assertEqual(page.status, 200, str(page))
            weak = browser.submit(Form(page.text), password="password1234")
            self.assertEqual((weak.status, people.set_cookie(weak)), (400, None))
            self.assertIn("many people", weak.text)
            password = f"another {kind} horse battery"
            done = browser.submit(Form(page.text), password=password)
            self.assertEqual((done.status, done.headers["Location"]), (303, "/login"), str(done))
            self.assertEqual(browser.submit(Form(page.text), password=password).status, 400)
            signed = browser.submit(Form(browser.get(LOGIN).text), name=who["email"], password=password)
            self.assertEqual(signed.status, 303)
            browser.cookie = None
        nobody = browser.get("/invite/%22%3E%3Cb%3E")
        self.assertNotIn("<b>", nobody.text)


class CodeTest(OAuthCase):

    def setUp(self):
        self.client = Client(service, asks={"scope": "staff:read"})
        self.client.register()
        self.sent = oauth.allow(service, self.client.url(), user["email"])

    def test_the_answer(self):
        self.assertEqual((sent_to(self.sent)["iss"], sent_to(self.sent)["state"]), (issuer, "a state"))
        answer = self.client.exchange(self.sent)
        body = self.check(answer, 200)
        self.assertEqual(set(body), {"access_token", "token_type", "expires_in", "refresh_token", "scope"})
        self.assertEqual((body["token_type"], body["expires_in"], body["scope"], answer.headers["Cache-Control"]),
                         ("Bearer", 3600, "staff:read", "no-store"))
        header, claims = token_parts(body["access_token"])
        self.assertEqual((header["typ"], header["alg"]), ("at+jwt", "ES256"))
        self.assertEqual((claims["iss"], claims["sub"], claims["client_id"], claims["scope"], claims["exp"] - claims["iat"]),
                         (issuer, str(user["id"]), self.client.id, "staff:read", 3600))
        self.assertEqual(claims["aud"], [issuer, f"{mcp_url}/mcp"])
        self.assertTrue(claims["jti"] and claims["org"])

    def test_injection_and_mismatch(self):
        """A code is of no use with another verifier, for another client, address or resource."""
        other = Client(service)
        other.register()
        for client, changed in ((self.client, {"code_verifier": "v" * 43}), (self.client, {"redirect_uri": None}),
                                (self.client, {"redirect_uri": REDIRECT + "/x"}), (other, {"code_verifier": self.client.verifier}),
                                (self.client, {"code": "x" * 43})):
            self.check_grant_refused(client.exchange(self.sent, **changed))
        self.check_error(self.client.exchange(self.sent, resource="https://evil.test"), 400, "invalid_target")
        for missing in ("code", "code_verifier", "grant_type"):
            self.check_error(self.client.exchange(self.sent, **{missing: None}), 400, "invalid_request")
        self.check_error(self.client.exchange(self.sent, grant_type="password"), 400, "unsupported_grant_type")
        self.check(self.client.exchange(self.sent), 200)

    def test_replay_ends_what_came_of_it(self):
        first = self.check(self.client.exchange(self.sent), 200)
        self.check(people.client_of(service, first["access_token"]).get(ME), 200)
        self.check_grant_refused(self.client.exchange(self.sent))
        self.wait_ended(first["access_token"])
        self.check_grant_refused(self.client.refresh(first["refresh_token"]))
        operator = people.operator_of(service)
        support.wait_until(lambda: operator.get("/api/audit-log", orgUnitId=service.demo["organizationId"],
                                                action="OAUTH_CHAIN_REVOKED").body["data"], 30, "the replay is audited")

    def test_a_resource(self):
        for resource in (issuer, f"{issuer}/", mcp_url, f"{mcp_url}/mcp", f"{mcp_url}/mcp/"):
            sent = oauth.allow(service, self.client.url(resource=resource), user["email"])
            body = self.check(self.client.exchange(sent, resource=resource.rstrip("/")), 200)
            self.assertEqual(token_parts(body["access_token"])[1]["aud"], resource)
            self.check(people.client_of(service, body["access_token"]).get(ME), 200)
            self.check_grant_refused(self.client.refresh(body["refresh_token"], resource=issuer if "mcp" in resource else mcp_url)
                                     if resource.rstrip("/") not in (mcp_url,) else self.client.refresh("x"))


class ClientAuthenticationTest(OAuthCase):

    def test_who_a_client_is(self):
        basic, posted = Client(service, asks={"scope": "staff:read"}), Client(service, asks={"scope": "staff:read"})
        basic.register(token_endpoint_auth_method="client_secret_basic")
        posted.register(token_endpoint_auth_method="client_secret_post")

        def header(client, secret=None):
            pair = f"{client.id}:{client.secret if secret is None else secret}"
            return {"Authorization": "Basic " + base64.b64encode(pair.encode()).decode()}
        code = oauth.allow(service, basic.url(), user["email"])
        for answer in (basic.exchange(code), basic.exchange(code, client_secret=basic.secret), basic.exchange(code, header(basic, "x")),
                       basic.exchange(code, {"Authorization": "Bearer x"}), basic.exchange(code, header(posted), client_id=None),
                       basic.exchange(code, client_id="nobody"), basic.exchange(code, client_id=None)):
            self.check_error(answer, 401, "invalid_client")
            self.assertTrue(answer.headers["WWW-Authenticate"].startswith("Basic "))
        self.check_error(basic.exchange(code, header(basic), client_secret=basic.secret), 400, "invalid_request")
        self.check_error(basic.exchange(code, header(basic), client_id=posted.id), 400, "invalid_request")
        self.check(basic.exchange(code, header(basic), client_id=None), 200)
        code = oauth.allow(service, posted.url(), user["email"])
        for answer in (posted.exchange(code), posted.exchange(code, header(posted)), posted.exchange(code, client_secret="x")):
            self.check_error(answer, 401, "invalid_client")
        self.check(posted.exchange(code, client_secret=posted.secret), 200)

    def test_a_form_is_a_form(self):
        client = Client(service)
        client.register()
        answer = client.http.post(oauth.TOKEN, {"grant_type": "refresh_token"})
        self.check_error(answer, 415, "invalid_request")
        twice = client.http.send("POST", oauth.TOKEN, headers=oauth.FORM, raw=b"grant_type=x&grant_type=y")
        self.check_error(twice, 400, "invalid_request")


class RefreshTest(OAuthCase):

    def test_rotation_and_replay(self):
        client, first = connected(service, user["email"], "staff:read")
        second = self.check(client.refresh(first["refresh_token"]), 200)
        self.assertNotEqual(first["refresh_token"], second["refresh_token"])
        third = self.check(client.refresh(second["refresh_token"]), 200)
        other, _ = connected(service, user["email"], "staff:read")
        self.check_grant_refused(other.refresh(third["refresh_token"]))
        self.check_grant_refused(client.refresh("x" * 43))
        for token in (first, second, third):
            self.check(people.client_of(service, token["access_token"]).get(ME), 200)
        self.check_grant_refused(client.refresh(first["refresh_token"]))
        self.check_grant_refused(client.refresh(third["refresh_token"]))
        for token in (first, second, third):
            self.wait_ended(token["access_token"])

    def test_of_those_that_race_one_wins_and_the_chain_ends(self):
        client, first = connected(service, user["email"], "staff:read")
        answers = people.at_once([lambda: Client(service, client.id).refresh(first["refresh_token"])] * 4)
        self.assertEqual(sorted(answer.status for answer in answers), [200, 400, 400, 400])
        won = next(answer for answer in answers if answer.status == 200)
        self.check_grant_refused(client.refresh(won.body["refresh_token"]))

    def test_secrets_are_kept_as_digests(self):
        client, tokens = connected(service, user["email"], "staff:read", token_endpoint_auth_method="none")
        text = "".join(service.postgres.value(f"SELECT string_agg(t::text, '') FROM {table} t") or "" for table in (
            "auth.oauth_code", "auth.oauth_chain", "auth.oauth_refresh", "auth.oauth_client"))
        self.assertIn(client.id, text)
        for secret in (tokens["refresh_token"], tokens["access_token"], client.verifier):
            self.assertNotIn(secret, text)


class DeviceTest(OAuthCase):
    GRANT = "urn:ietf:params:oauth:grant-type:device_code"

    def setUp(self):
        self.client = Client(service)
        self.client.register(client_name="Television", redirect_uris=[], grant_types=[self.GRANT])
        self.browser = Browser(service)
        self.who = make_user(service)

    def begin(self, **fields):
        return self.check(self.client.ask(path="/oauth/device/code", **{"scope": "staff:read shifts:read"} | fields), 200)

    def poll(self, device, client=None):
        return (client or self.client).ask(grant_type=self.GRANT, device_code=device["device_code"])

    def rest(self, device):
        """As if the device had waited as long as it has to."""
        service.postgres.psql(f"UPDATE auth.oauth_device SET polled_at = polled_at - interval '1 minute' WHERE client_id = '{self.client.id}'")

    def page(self, device):
        return self.browser.open(device["verification_uri_complete"], self.who["email"])

    def test_in_step(self):
        device = self.begin()
        self.assertEqual((device["expires_in"], device["interval"], device["verification_uri"]), (900, 5, f"{issuer}/device"))
        self.assertRegex(device["user_code"], r"\A[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}\Z")
        self.check_error(self.poll(device), 400, "authorization_pending")
        self.check_error(self.poll(device), 400, "slow_down")
        self.rest(device)
        self.check_error(self.poll(device), 400, "authorization_pending")
        form = self.page(device)
        self.assertRegex(" ".join(form.texts), r"Television.* since \d{4}-\d\d-\d\d \d\d:\d\d UTC\.")
        done = self.browser.submit(form, decision="allow", **{"allow:shifts:read": None})
        self.assertIn("Connected", self.check_page(done).text)
        tokens = self.check(self.poll(device), 200)
        self.assertEqual(tokens["scope"], "staff:read")
        self.check(people.client_of(service, tokens["access_token"]).get(ME), 200)
        self.check(self.client.refresh(tokens["refresh_token"]), 200)
        self.check_grant_refused(self.poll(device))
        self.wait_ended(tokens["access_token"])

    def check_page(self, answer):
        self.assertEqual((answer.status, answer.headers["Content-Type"]), (200, "text/html; charset=utf-8"), str(answer))
        return answer

    def test_a_client_that_names_no_grants(self):
        client = Client(service)
        client.register(scope="staff:read")
        answer = client.http.post("/oauth/device/code", {"client_id": client.id, "scope": "staff:read"})
        self.assertEqual(self.check(answer, 200)["expires_in"], 900)

    def test_deny_and_expiry(self):
        device = self.begin()
        self.assertIn("did not allow", self.check_page(self.browser.submit(self.page(device), decision="deny")).text)
        self.check_error(self.poll(device), 400, "access_denied")
        check_denied(self, self.who, "staff:read")
        device = self.begin()
        service.postgres.psql(f"UPDATE auth.oauth_device SET ends_at = now() WHERE client_id = '{self.client.id}'")
        self.check_error(self.poll(device), 400, "expired_token")
        self.assertEqual(self.browser.get(oauth.path_of(device["verification_uri_complete"])).status, 404)

    def test_others(self):
        device = self.begin()
        other = Client(service)
        other.register(redirect_uris=[], grant_types=[self.GRANT])
        self.check_grant_refused(self.poll(device, other))
        self.check_grant_refused(self.poll({"device_code": "x" * 43}))
        plain = Client(service)
        plain.register(grant_types=["authorization_code"])
        self.check_error(plain.ask(path="/oauth/device/code"), 400, "unauthorized_client")
        self.check_error(self.client.ask(path="/oauth/device/code", scope="no:such"), 400, "invalid_scope")
        self.check_error(self.client.ask(path="/oauth/device/code", resource="https://evil.test"), 400, "invalid_target")
        self.check_error(self.client.ask(path="/oauth/device/code", client_id="nobody"), 401, "invalid_client")

    def test_json_and_typing(self):
        """Codes are taken however people type them, and requests as the specification has them."""
        answer = self.client.http.post("/oauth/device/code", {"client_id": self.client.id, "scope": "staff:read"})
        device = self.check(answer, 200)
        self.page(device)
        for typed in (device["user_code"].lower(), device["user_code"].replace("-", " "), " ".join(device["user_code"])):
            self.check_page(self.browser.get("/device", user_code=typed))

    def test_guesses_are_few(self):
        device = self.begin()
        self.page(device)
        for guess in ("BBBB-BBBB", "x", "CCCCCCCC", "DDDDDDDD", "FFFFFFFF", "GGGGGGGG"):
            self.assertEqual(self.browser.get("/device", user_code=guess).status, 404)
        self.assertEqual(self.browser.get(oauth.path_of(device["verification_uri_complete"])).status, 404)

    def test_other_sites_use_up_no_guesses(self):
        """Who is led here by another site presses the button; so that site guesses nothing in their name."""
        device = self.begin()
        self.page(device)
        path = oauth.path_of(device["verification_uri_complete"])
        for guess in ("BBBB-BBBB", "CCCC-CCCC", "DDDD-DDDD", "FFFF-FFFF", "GGGG-GGGG", "HHHH-HHHH"):
            asked = self.check_page(self.browser.get("/device", {"Sec-Fetch-Site": "cross-site"}, user_code=guess))
            self.assertEqual(Form(asked.text).fields["user_code"], guess)
        led = Form(self.check_page(self.browser.get(path, {"Sec-Fetch-Site": "cross-site"})).text)
        self.assertEqual(led.fields, {"user_code": device["user_code"]})
        form = Form(self.check_page(self.browser.get(path, {"Sec-Fetch-Site": "none"})).text)
        self.assertIn("Television", " ".join(form.texts))

    def test_a_session_that_ended_lets_no_device_in(self):
        device = self.begin()
        for decision in ("allow", "deny"):
            form = self.page(device)
            self.check(self.browser.get(ME), 200)
            service.postgres.psql(f"DELETE FROM auth.session WHERE user_id = {self.who['id']}")
            self.assertEqual(self.browser.submit(form, decision=decision).status, 401)
            self.check_error(self.poll(device), 400, "authorization_pending")
            self.rest(device)
            self.browser = people_browser(self.who)

    def test_so_many_wait_at_an_address(self):
        service.postgres.psql("UPDATE auth.oauth_device SET denied = true")
        self.begin()
        service.postgres.psql(
            "INSERT INTO auth.oauth_device (digest, user_digest, client_id, scope, resource, address, ends_at, source) "
            "SELECT sha256(n::text::bytea), sha256(n::text::bytea), client_id, scope, resource, address, ends_at, source "
            "FROM auth.oauth_device, generate_series(1, 99) n WHERE NOT denied")
        self.check_error(self.client.ask(path="/oauth/device/code"), 429, "temporarily_unavailable")
        secret = Client(service)
        secret.register(redirect_uris=[], grant_types=[self.GRANT], token_endpoint_auth_method="client_secret_post")
        self.check_error(secret.ask(path="/oauth/device/code", client_secret=secret.secret), 429, "temporarily_unavailable")
        service.postgres.psql("DELETE FROM auth.oauth_device")
        self.begin()

    def test_a_forged_form(self):
        device, other = self.begin(), self.begin()
        form = self.page(device)
        for changed in ({"seal": None}, {"user_code": other["user_code"]}):
            self.assertEqual(self.browser.submit(form, decision="allow", **changed).status, 403)
        self.assertEqual(self.browser.submit(form, {"Sec-Fetch-Site": "cross-site"}, decision="allow").status, 403)
        self.check_error(self.poll(device), 400, "authorization_pending")


class LimitTest(OAuthCase):
    """A service with small limits, and grace for clients that lost an answer."""

    @classmethod
    def setUpClass(cls):
        postgres = cls.enterClassContext(support.Postgres())
        cls.own = cls.enterClassContext(support.Service(postgres, environment={
            "WORKFORCE_OAUTH_TOKEN_LIMIT": "6", "WORKFORCE_OAUTH_STATE_LIMIT": "2", "WORKFORCE_ADDRESS_RATE_LIMIT": "60",
            "WORKFORCE_OAUTH_REFRESH_GRACE": "60"}))
        cls.user = make_user(cls.own)

    def test_grace(self):
        client, first = connected(self.own, self.user["email"], "staff:read")
        second = self.check(client.refresh(first["refresh_token"]), 200)
        again = self.check(client.refresh(first["refresh_token"]), 200)
        self.assertEqual(again["refresh_token"], second["refresh_token"])
        stored = self.own.postgres.value("SELECT string_agg(encode(successor, 'escape'), '') FROM auth.oauth_refresh")
        self.assertNotIn(second["refresh_token"], stored)
        third = self.check(client.refresh(second["refresh_token"]), 200)
        self.check_grant_refused(client.refresh(first["refresh_token"]))  # its successor was used, too
        self.check_grant_refused(client.refresh(third["refresh_token"]))
        client, first = connected(self.own, self.user["email"], "staff:read")
        self.check(client.refresh(first["refresh_token"]), 200)
        self.own.postgres.psql("UPDATE auth.oauth_refresh SET spent_at = spent_at - interval '2 minutes' WHERE spent_at IS NOT NULL")
        self.check_grant_refused(client.refresh(first["refresh_token"]))

    def test_of_clients_and_strangers(self):
        """What a client asks counts for it; what somebody asks who only says its name, for their address."""
        client, tokens = connected(self.own, self.user["email"], "staff:read")
        for _ in range(7):
            self.check_grant_refused(client.refresh("x"))
        answers = []
        for _ in range(6):
            answers.append(client.refresh(tokens["refresh_token"]))
            tokens = answers[-1].body if answers[-1].status == 200 else tokens
        self.assertEqual([answer.status for answer in answers], [200] * 5 + [429])
        self.check_error(answers[-1], 429, "temporarily_unavailable")
        self.assertTrue(answers[-1].headers["Retry-After"])
        ask = [client.ask(path=path, token=token) for path, token in (
            ("/oauth/introspect", "x"), ("/oauth/introspect", "x"), ("/oauth/introspect", tokens["refresh_token"]), ("/oauth/revoke", "x"),
            ("/oauth/introspect", tokens["access_token"]), ("/oauth/introspect", tokens["access_token"]))]
        self.assertEqual([answer.status for answer in ask], [200] * 5 + [429])

        secret = Client(self.own, asks={"scope": "staff:read"})
        secret.register(token_endpoint_auth_method="client_secret_post")
        kept = self.check(secret.exchange(oauth.allow(self.own, secret.url(), self.user["email"]), client_secret=secret.secret), 200)
        public, held = connected(self.own, self.user["email"], "staff:read")
        device = Client(self.own)
        self.assertEqual(device.register(redirect_uris=[], grant_types=[DeviceTest.GRANT]).status, 201)
        seen = [Client(self.own, name).refresh("x").status for name in (*["nobody"] * 5, *[public.id] * 60)]
        self.assertEqual(seen[:5], [401] * 5)
        self.assertEqual(set(seen[5:]), {400, 429})
        self.check_error(secret.refresh("x", client_secret=secret.secret), 429, "temporarily_unavailable")
        self.check_error(device.ask(path="/oauth/device/code"), 429, "temporarily_unavailable")
        self.check_error(Client(self.own, "nobody").refresh("x"), 429, "temporarily_unavailable")
        # Who shows something of the client's own is not counted by address.
        self.check(public.refresh(held["refresh_token"]), 200)
        self.check(secret.refresh(kept["refresh_token"], client_secret=secret.secret), 200)
        registered = [Client(self.own).register() for _ in range(61)]
        self.check_error(registered[-1], 429, "temporarily_unavailable")


class TokenStateTest(OAuthCase):

    def introspect(self, client, token, **changed):
        return client.ask(path="/oauth/introspect", **{"token": token} | changed)

    def revoke(self, client, token, **changed):
        answer = client.ask(path="/oauth/revoke", **{"token": token} | changed)
        self.assertEqual((answer.status, answer.text), (200, ""), str(answer))

    def check_inactive(self, answer):
        self.assertEqual(self.check(answer, 200), {"active": False})

    def test_what_a_client_learns_of_its_tokens(self):
        client, tokens = connected(service, user["email"], "staff:read")
        seen = self.check(self.introspect(client, tokens["access_token"]), 200)
        claims = token_parts(tokens["access_token"])[1]
        self.assertEqual(seen, {"active": True, "scope": "staff:read", "client_id": client.id, "token_type": "Bearer",
                                "sub": str(user["id"]), "exp": claims["exp"], "iat": claims["iat"]})
        kept = self.check(self.introspect(client, tokens["refresh_token"]), 200)
        self.assertEqual((kept["active"], kept["token_type"], kept["exp"] - kept["iat"]), (True, "refresh_token", 30 * 86400))
        other, _ = connected(service, user["email"], "staff:read")
        for asks, token in ((other, tokens["access_token"]), (other, tokens["refresh_token"]), (client, "x"),
                            (client, service.demo["keys"]["live"]), (client, tokens["access_token"][:-4] + "AAAA")):
            self.check_inactive(self.introspect(asks, token))
        later = self.check(client.refresh(tokens["refresh_token"]), 200)
        self.check_inactive(self.introspect(client, tokens["refresh_token"]))
        self.check(self.introspect(client, later["refresh_token"]), 200)
        self.check_error(self.introspect(client, None), 400, "invalid_request")
        self.check_error(self.introspect(client, "x", client_id="nobody"), 401, "invalid_client")
        self.check_refused(client.http.with_key(later["refresh_token"]).get(ME), 401, "UNAUTHENTICATED")

    def test_revoked_tokens(self):
        """A chain ends by either of its tokens; what was issued opens the API until it ends itself."""
        for kind in ("refresh_token", "access_token"):
            client, tokens = connected(service, user["email"], "staff:read")
            other, _ = connected(service, user["email"], "staff:read")
            self.revoke(other, tokens[kind])
            self.revoke(client, tokens[kind], client_id="nobody")
            self.revoke(client, "x")
            self.assertTrue(self.check(self.introspect(client, tokens[kind]), 200)["active"])
            self.revoke(client, tokens[kind])
            for token in (tokens["refresh_token"], tokens["access_token"]):
                self.check_inactive(self.introspect(client, token))
            self.check_grant_refused(client.refresh(tokens["refresh_token"]))
            self.check(people.client_of(service, tokens["access_token"]).get(ME), 200)
            self.revoke(client, tokens[kind])
        self.check_error(client.ask(path="/oauth/revoke"), 400, "invalid_request")


class AccessTest(OAuthCase):

    def test_scope_and_role(self):
        """What a token opens both allow; a scope that lacks is named."""
        _, tokens = connected(service, user["email"], "staff:read users:write")
        client = people.client_of(service, tokens["access_token"])
        me = self.check(client.get(ME), 200)
        self.assertEqual((me["user"]["id"], me["credential"]["type"], set(me["scopes"])), (user["id"], "oauth", {"staff:read", "users:write"}))
        self.check(client.get("/api/staff"), 200)
        answer = client.get("/api/shifts")
        self.check_refused(answer, 403, "INSUFFICIENT_SCOPE")
        challenge = answer.headers["WWW-Authenticate"]
        self.assertIn('error="insufficient_scope"', challenge)
        self.assertIn('scope="shifts:read"', challenge)
        self.check_refused(client.post("/api/users", people.person()), 403, "FORBIDDEN")
        self.check_refused(client.get("/api/auth/sessions"), 403, "FORBIDDEN")
        self.check_refused(client.get("/api/staff", headers={"Service-Sandbox": "true"}), 403, "FORBIDDEN")
        self.assertFalse([name for name in client.get("/api/staff").headers if name.startswith("X-RateLimit")])

    def test_what_a_handler_lacks_is_named(self):
        """A body may ask for more than its route takes."""
        _, tokens = connected(service, make_user(service, role="admin")["email"], "shifts:write")
        person = self.check(owner.get("/api/staff"), 200)["data"][0]["id"]
        shift = {"facilityId": service.demo["facilityIds"][0], "title": "Lacking", "date": "2031-02-03", "startTime": "08:00",
                 "endTime": "12:00", "assignedStaffIds": [person]}
        answer = people.client_of(service, tokens["access_token"]).post("/api/shifts", shift)
        self.check_refused(answer, 403, "INSUFFICIENT_SCOPE")
        self.assertIn('scope="shifts:write shifts:assign"', answer.headers["WWW-Authenticate"])

    def test_writes_name_the_user_and_the_client(self):
        writer = make_user(service, role="admin")
        _, tokens = connected(service, writer["email"], "crm:write crm:read audit:read")
        client = people.client_of(service, tokens["access_token"])
        made = client.post("/api/crm/leads", {"name": "By a client", "facilityId": service.demo["facilityIds"][0]},
                           {"Idempotency-Key": "one"})
        self.assertEqual(made.status, 201, str(made))
        again = client.post("/api/crm/leads", {"name": "By a client", "facilityId": service.demo["facilityIds"][0]},
                            {"Idempotency-Key": "one"})
        self.assertEqual((again.body["id"], again.headers["Idempotency-Replayed"]), (made.body["id"], "true"))
        self.check(client.get(f"/api/crm/leads/{made.body['id']}"), 200)

    def test_mcp(self):
        client, tokens = connected(service, user["email"], "staff:read facilities:read", resource=f"{mcp_url}/mcp")
        asks = mcp.client_of(service, tokens["access_token"])
        tools = asks.tools()
        self.assertIn("staff_list", tools)
        self.assertNotIn("shifts_list", tools)
        refused = asks.call("shifts_list", {})
        self.assertEqual((refused.status, refused.body["error"]["code"]), (403, mcp.DENIED))
        challenge = refused.headers["WWW-Authenticate"]
        self.assertIn('error="insufficient_scope"', challenge)
        self.assertIn('scope="shifts:read"', challenge)
        self.assertIn(f'resource_metadata="{mcp_url}/.well-known/oauth-protected-resource/mcp"', challenge)

    def test_what_is_no_token_of_ours(self):
        _, tokens = connected(service, user["email"], "staff:read")
        head, body, signature = tokens["access_token"].split(".")

        def encoded(value):
            return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()
        header, claims = token_parts(tokens["access_token"])
        forged = [f"{head}.{encoded(claims | {'scope': 'staff:write'})}.{signature}",
                  f"{encoded(header | {'alg': 'none'})}.{body}.", f"{encoded(header | {'alg': 'HS256'})}.{body}.{signature}",
                  f"{encoded(header | {'typ': 'JWT'})}.{body}.{signature}", f"{encoded(header | {'kid': 'other'})}.{body}.{signature}",
                  f"{head}.{body}.{signature[:-4]}AAAA", f"{head}.{body}.{signature[:-4]}\x87\x99\xff\x80", f"{head}.{body}"]
        for token in forged:
            self.check_refused(people.client_of(service, token).get(ME), 401, "UNAUTHENTICATED")

    def test_an_account_that_comes_back(self):
        """What clients had of it stays ended."""
        who = make_user(service)
        client, tokens = connected(service, who["email"], "staff:read")
        self.assertLess(owner.delete(f"/api/users/{who['id']}").status, 300)
        self.wait_ended(tokens["access_token"])
        self.check(owner.post(f"/api/users/{who['id']}/reactivate"), 200)
        support.wait_until(lambda: people.login(people.client_of(service), who["email"], path=people.TOKEN).status == 200,
                           ENDED_SECONDS, "they sign in again")
        self.check_grant_refused(client.refresh(tokens["refresh_token"]))
        self.check_refused(people.client_of(service, tokens["access_token"]).get(ME), 401, "UNAUTHENTICATED")

    def test_a_person_who_may_no_more(self):
        """Deactivation, another password and another role hold for tokens as for keys."""
        for end in (lambda who: owner.delete(f"/api/users/{who['id']}"),
                    lambda who: people.sign_in(service, who["email"]).post(people.CHANGE, {
                        "currentPassword": people.PASSWORD, "newPassword": "another correct horse battery"})):
            who = make_user(service)
            client, tokens = connected(service, who["email"], "staff:read")
            self.check(people.client_of(service, tokens["access_token"]).get(ME), 200)
            self.assertLess(end(who).status, 300)
            self.wait_ended(tokens["access_token"])
            self.check_grant_refused(client.refresh(tokens["refresh_token"]))
            support.wait_until(lambda of=who["id"]: service.postgres.value(f"SELECT status FROM read.oauth_grant WHERE user_id = {of}")
                               == "revoked", ENDED_SECONDS, "the log tells that the grant has ended")


class KeyTest(OAuthCase):

    def test_keys_change_and_drop_nobody(self):
        """A key of long ago makes room for another, which is shown before it signs; what the first signed holds on."""
        def age(which, interval):
            service.postgres.psql(f"UPDATE auth.signing_key SET created_at = now() - interval '{interval}' WHERE {which}")

        def kids():
            return {key["kid"] for key in people.client_of(service).get("/.well-known/jwks.json").body["keys"]}

        def kid(token):
            return token_parts(token)[0]["kid"]
        client, tokens = connected(service, user["email"], "staff:read")
        first, = kids()
        age("true", "91 days")
        people.take_token(service, user["email"])  # whatever is signed makes the next one
        second, = kids() - {first}
        self.assertEqual(kid(people.take_token(service, user["email"])._key), first)
        age(f"id = '{second}'", "2 hours")
        self.assertEqual(kid(people.take_token(service, user["email"])._key), second)
        self.assertEqual(kids(), {first, second})
        self.check(people.client_of(service, tokens["access_token"]).get(ME), 200)
        self.check(client.refresh(tokens["refresh_token"]), 200)


class GrantTest(OAuthCase):

    def test_listed_and_revoked(self):
        who = make_user(service)
        client, tokens = connected(service, who["email"], "staff:read", client_name="Planner")
        again = Client(service, client.id, verifier=client.verifier)
        more = self.check(again.exchange(oauth.allow(service, again.url(scope="shifts:read"), who["email"])), 200)
        person, stranger = people.sign_in(service, who["email"]), people.sign_in(service, user["email"])
        grant, = self.check(person.get(GRANTS), 200)["data"]
        self.assertEqual(set(grant), {"id", "client_id", "client_name", "scopes", "createdAt", "lastUsedAt"})
        self.assertEqual((grant["client_id"], grant["client_name"], grant["scopes"]), (client.id, "Planner", ["shifts:read", "staff:read"]))
        self.assertTrue(grant["lastUsedAt"])
        self.check_refused(stranger.delete(f"{GRANTS}/{grant['id']}"), 404, "NOT_FOUND")
        self.assertEqual(person.delete(f"{GRANTS}/{grant['id']}").status, 204)
        self.assertEqual(self.check(person.get(GRANTS), 200)["data"], [])
        for token in (tokens, more):
            self.wait_ended(token["access_token"])
            self.check_grant_refused(client.refresh(token["refresh_token"]))
        self.assertEqual(person.delete(f"{GRANTS}/{grant['id']}").status, 204)
        _, anew = connected(service, who["email"], "staff:read")
        self.check(people.client_of(service, anew["access_token"]).get(ME), 200)

    def test_an_erased_users_grants_end(self):
        who = make_user(service)
        client, tokens = connected(service, who["email"], "staff:read")
        service.command("erase", f"user/{who['id']}", "--reason", "asked")
        self.wait_ended(tokens["access_token"])
        self.check_grant_refused(client.refresh(tokens["refresh_token"]))
        self.assertEqual(service.postgres.value(f"SELECT status FROM read.oauth_grant WHERE user_id = {who['id']}"), "revoked")


class ClientsTest(OAuthCase):
    """Clients of others, from nothing: each prints where its user has to go, and hears where they were sent."""

    def play(self, *command):
        with subprocess.Popen([*map(str, command)], cwd=support.PROJECT_ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as program:
            url = program.stdout.readline().strip()
            sent = oauth.allow(service, url, user["email"]) if url else ""
            out, err = program.communicate(f"{sent}\n", timeout=120)
        self.assertEqual(program.returncode, 0, f"{url}\n{out}{err}")
        return json.loads(out.splitlines()[-1])

    def check_seen(self, seen, resource):
        self.assertEqual(seen["me"]["user"]["id"], user["id"])
        self.assertEqual((seen["claims"]["iss"], seen["claims"]["aud"], seen["claims"]["client_id"]), (issuer, resource, seen["client"]["client_id"]))
        self.assertNotEqual(seen["first"]["refresh_token"], seen["second"]["refresh_token"])

    def test_oauth4webapi(self):
        support.run([*OAUTH_NODE, "--version"], seconds=600)  # installs it where it is not there
        seen = self.play(*OAUTH_NODE, CLIENTS / "oauth4webapi.cjs", issuer, f"{mcp_url}/mcp")
        self.check_seen(seen, f"{mcp_url}/mcp")

    def test_authlib(self):
        support.run([*AUTHLIB, "--version"], seconds=600)
        seen = self.play(*AUTHLIB, CLIENTS / "authlib_client.py", issuer, issuer)
        self.check_seen(seen, issuer)
        self.assertEqual(seen["client"]["scope"], "facilities:read staff:read")

    def test_a_mix_up(self):
        """A client that is sent an answer of another server's than it asked refuses the code, for each answer says whose it is."""
        support.run([*OAUTH_NODE, "--version"], seconds=600)
        for script in ("openid_client.cjs", "oauth4webapi.cjs"):
            command = [*OAUTH_NODE, CLIENTS / script, issuer, f"{mcp_url}/mcp"]
            with subprocess.Popen([*map(str, command)], cwd=support.PROJECT_ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True) as program:
                sent = oauth.allow(service, program.stdout.readline().strip(), user["email"])
                swapped = sent.replace(urlencode({"iss": issuer}), urlencode({"iss": "https://other.test"}))
                self.assertNotEqual(swapped, sent)
                _, err = program.communicate(f"{swapped}\n", timeout=120)
            self.assertEqual(program.returncode, 1)
            self.assertIn("iss", err)

    def test_openid_client(self):
        support.run([*OAUTH_NODE, "--version"], seconds=600)
        seen = self.play(*OAUTH_NODE, CLIENTS / "openid_client.cjs", issuer, f"{mcp_url}/mcp")
        self.check_seen(seen, f"{mcp_url}/mcp")
        self.assertEqual((seen["active"]["active"], seen["inactive"]["active"]), (True, False))

    def check_sdk(self, *command):
        """An official client of MCP, which nobody tells but the service where tokens come from."""
        support.run([*command[:-1], "--version"], seconds=600)
        seen = self.play(*command[:-1], support.PROJECT_ROOT / "tests" / "mcp" / command[-1], mcp_url + "/mcp")
        self.assertEqual(seen["me"]["user"]["id"], user["id"])
        self.assertIn("whoami", seen["tools"])
        self.assertIn("facilities:read", seen["tokens"]["scope"])

    def test_mcp_sdk_1_of_node(self):
        self.check_sdk(*NODE, "oauth1.cjs")

    def test_mcp_client_2_of_node(self):
        self.check_sdk(*NODE, "oauth2.cjs")

    def test_mcp_2_of_python(self):
        self.check_sdk(*PYTHON2, "oauth2.py")


class Callback(http.server.BaseHTTPRequestHandler):
    """A program on its user's machine, to which they are sent back."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<h1>Back at the program</h1>")

    def log_message(self, *_):
        pass


class BrowserTest(OAuthCase):

    def test_from_sign_in_to_consent(self):
        """By keyboard, with a second factor, one scope unticked; then a device, and a program that nobody knows."""
        who = make_user(service, role="scheduler")
        secret, _ = mfa.enrol(people.sign_in(service, who["email"]))
        client, device = Client(service), Client(service)
        client.register(client_name="Planner")
        device.register(client_name="Television", redirect_uris=[], grant_types=[DeviceTest.GRANT])
        waiting = self.check(device.ask(path="/oauth/device/code", scope="staff:read"), 200)
        back = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Callback)
        self.addCleanup(back.server_close)
        self.addCleanup(back.shutdown)
        threading.Thread(target=back.serve_forever, daemon=True).start()
        redirect = f"http://127.0.0.1:{back.server_address[1]}/callback"
        todo = {"authorize": client.url(scope="staff:read shifts:read shifts:write", redirect_uri=redirect), "untick": "shifts:write",
                "email": who["email"], "password": people.PASSWORD, "otp": mfa.code(secret),
                "device": waiting["verification_uri"], "user_code": waiting["user_code"], "wrong": client.url(client_id="nobody")}
        done = subprocess.run([*NODE, "--packages", test_docs_pages.PACKAGES, test_docs_pages.PACKAGES / "consent.cjs", test_docs_pages.BROWSER],
                              input=json.dumps(todo), capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        seen = json.loads(done.stdout)
        self.assertEqual(seen["faults"], [])
        self.assertEqual(seen["titles"], ["Sign in", "Sign in", "Let Planner act for you?", "Connect a device", "Let Television act for you?",
                                          "Connected", "That was not done"])
        self.assertEqual(seen["wrong"], 400)
        self.assertEqual(self.check(client.exchange(seen["sent"], redirect_uri=redirect), 200)["scope"], "staff:read shifts:read")
        self.check(device.ask(grant_type=DeviceTest.GRANT, device_code=waiting["device_code"]), 200)

    def test_forms(self):
        """Of those who sign in and those who did, narrow and wide, light and dark: nothing of what axe-core knows is wrong, and
        nothing goes out."""
        client, device = Client(service), Client(service)
        client.register(client_name="Planner")
        device.register(client_name="Television", redirect_uris=[], grant_types=[DeviceTest.GRANT])
        waiting = device.ask(path="/oauth/device/code").body
        every = " ".join(row["scope"] for row in owner.get("/api/scopes").body["data"])
        for each in test_docs_pages.look(
                issuer, LOGIN, "/invite/a", "/reset/a", oauth.path_of(Client(service, "nobody").url()),
                signed_in=(LOGIN, "/device", oauth.path_of(waiting["verification_uri_complete"]),
                           oauth.path_of(client.url(scope="staff:read shifts:write payroll:run")), oauth.path_of(client.url(scope=every)),
                           "/device?user_code=BBBB-BBBB"),
                cookie=people.sign_in(service, user["email"]).cookie):
            with self.subTest(path=each["path"], width=each["width"], theme=each["theme"]):
                said = [line for line in each["said"] if "a status of 40" not in line]  # of an error page
                self.assertEqual((each["faults"], said, each["elsewhere"]), ([], [], []))
                self.assertLessEqual(each["wider"], 0, "nobody has to scroll sideways")


class ClusterTest(OAuthCase):
    """Consents travel to the process that writes the user's organization, with the session by which they were given."""

    def test_at_whichever_process_they_are_given(self):
        installation = self.enterContext(cluster.Cluster(self.enterContext(support.Postgres())))
        processes = installation.start("api", "api", "workers")[:2]
        who = make_user(installation, processes[0].client())
        for process in processes:
            client, tokens = connected(process, who["email"], "staff:read")
            self.check(people.client_of(process, tokens["access_token"]).get(ME), 200)
            device = Client(process)
            self.assertEqual(device.register(redirect_uris=[], grant_types=[DeviceTest.GRANT]).status, 201)
            waiting = self.check(device.ask(path="/oauth/device/code", scope="staff:read"), 200)
            browser = Browser(process)
            browser.submit(browser.open(waiting["verification_uri_complete"], who["email"]), decision="allow")
            self.check(device.ask(grant_type=DeviceTest.GRANT, device_code=waiting["device_code"]), 200)
            # One that ended lets nobody in there, either.
            form = browser.open(client.url(scope="staff:read"), who["email"])
            self.check(browser.get(ME), 200)
            installation.postgres.psql(f"DELETE FROM auth.session WHERE user_id = {who['id']}")
            self.assertEqual(browser.submit(form, decision="allow").status, 401)


class OperatorTest(OAuthCase):
    """`workforce oauth-clients`."""

    def listed(self, client):
        rows = json.loads(service.command("oauth-clients", "list", "--json", "--limit", "20000"))["clients"]
        return next((row for row in rows if row["clientId"] == client.id), None)

    def test_tier(self):
        client, tokens = connected(service, make_user(service, role="payroll_manager")["email"], "payroll:run payroll:read",
                                   client_name="Payer")
        row = self.listed(client)
        self.assertEqual((row["name"], row["modelTier"], row["liveTokens"]), ("Payer", "standard", 1))
        tools = mcp.client_of(service, tokens["access_token"])

        def code():
            return ((tools.call("payroll_runs_create", {}).error or {}).get("data") or {}).get("code")
        self.assertEqual(code(), "TIER_REQUIRED")
        service.command("oauth-clients", "tier", client.id, "advanced")
        self.assertEqual(self.listed(client)["modelTier"], "advanced")
        support.wait_until(lambda: code() != "TIER_REQUIRED", ENDED_SECONDS, "the tool is the client's to call")
        self.assertIn(client.id, service.command("oauth-clients", "list"))

    def test_remove(self):
        client, tokens = connected(service, user["email"], "staff:read", token_endpoint_auth_method="none")
        other, kept = connected(service, user["email"], "staff:read")
        code = oauth.allow(service, client.url(), user["email"])
        self.check(people.client_of(service, tokens["access_token"]).get(ME), 200)
        service.command("oauth-clients", "remove", client.id, "--reason", "it asked for too much")
        self.check_refused(people.client_of(service, tokens["access_token"]).get(ME), 401, "UNAUTHENTICATED")
        for answer in (client.refresh(tokens["refresh_token"]), client.exchange(code)):
            self.check_error(answer, 401, "invalid_client")
        self.assertEqual(Browser(service).get(oauth.path_of(client.url())).status, 400)
        self.assertIsNone(self.listed(client))
        self.assertEqual(service.postgres.value(f"SELECT count(*) FROM auth.oauth_code WHERE client_id = '{client.id}'"), "0")
        self.check(people.client_of(service, kept["access_token"]).get(ME), 200)
        self.check(other.refresh(kept["refresh_token"]), 200)
        operator = people.operator_of(service)
        support.wait_until(lambda: "it asked for too much" in operator.get("/api/audit-log", orgUnitId=1, action="OAUTH_CLIENT_REMOVED").text,
                           30, "the removal is audited")
        again = subprocess.run([str(support.binary()), "oauth-clients", "remove", client.id, "--reason", "again"], env=service.env,
                               capture_output=True, text=True, timeout=support.COMMAND_SECONDS, check=False)
        self.assertEqual((again.returncode, again.stdout), (1, ""))
        self.assertIn("no registered OAuth client", again.stderr)


class RestartTest(OAuthCase):
    """The last one: who was connected before finds a connection closed."""

    def test_a_crash_between_a_codes_use_and_its_answer(self):
        """The client that never had the answer asks again, is refused, and what the code began has ended."""
        client = Client(service, asks={"scope": "staff:read"})
        client.register()
        code = oauth.allow(service, client.url(), user["email"])
        service.kill9()
        service.start_at_once()  # so that the key that signs is not in memory
        holder = support.Session(service.postgres)
        self.addCleanup(holder.close)
        holder.execute("BEGIN; LOCK TABLE auth.signing_key IN ACCESS EXCLUSIVE MODE")

        def ask():
            with contextlib.suppress(OSError, http.client.HTTPException):
                answers.append(Client(service, client.id, verifier=client.verifier).exchange(code))
        answers, asking = [], threading.Thread(target=ask)
        asking.start()
        used = f"SELECT max(chain_id) FROM auth.oauth_code WHERE client_id = '{client.id}'"
        chain = support.wait_until(lambda: service.postgres.value(used), 30, "the code is used")
        service.kill9()
        asking.join()
        self.assertEqual(answers, [])
        holder.execute("COMMIT")
        service.start_at_once()
        self.check_grant_refused(Client(service, client.id, verifier=client.verifier).exchange(code))
        self.assertEqual(service.postgres.value(f"SELECT cut_at IS NOT NULL FROM auth.oauth_chain WHERE id = {chain}"), "t")

    def test_clients_that_nobody_uses_go(self):
        """After 90 days without a live token; those that nobody ever used after a week, or an hour where there are many."""
        def restart():
            service.postgres.psql("DELETE FROM ops.job WHERE name = 'unused OAuth clients'")
            service.kill9()
            service.start_at_once()

        def age(client, used=None, registered="100 days"):
            last = f"now() - interval '{used}'" if used else "NULL"
            service.postgres.psql(f"UPDATE auth.oauth_client SET last_used_at = {last}, created_at = now() - interval '{registered}' "
                                  f"WHERE client_id = '{client.id}'")
            return client

        def known(*clients):
            return [service.postgres.value(f"SELECT count(*) FROM auth.oauth_client WHERE client_id = '{client.id}'") for client in clients]

        def registered():
            client = Client(service)
            self.assertEqual(client.register().status, 201)
            return client
        ended, ended_tokens = connected(service, user["email"], "staff:read")
        lately, late_tokens = connected(service, user["email"], "staff:read")
        for client, tokens in ((ended, ended_tokens), (lately, late_tokens)):
            self.assertEqual(client.ask(path="/oauth/revoke", token=tokens["refresh_token"]).status, 200)
        live, tokens = connected(service, user["email"], "staff:read")
        for client, used in ((ended, "91 days"), (live, "91 days"), (lately, "89 days")):
            age(client, used)
        never, young, new = age(registered(), registered="8 days"), age(registered(), registered="6 days"), registered()
        restart()
        support.wait_until(lambda: known(ended, never) == ["0", "0"], 60, "the unused ones are gone")
        self.assertEqual(known(live, lately, young, new), ["1"] * 4)
        self.check(Client(service, live.id).refresh(tokens["refresh_token"]), 200)
        self.check_error(Client(service, ended.id).refresh(ended_tokens["refresh_token"]), 401, "invalid_client")
        self.assertEqual(Browser(service).get(oauth.path_of(never.url())).status, 400)
        service.postgres.psql("INSERT INTO auth.oauth_client (client_id) SELECT 'flood ' || n FROM generate_series(1, 5000) n")
        restart()
        support.wait_until(lambda: known(young) == ["0"], 60, "they make room")
        self.assertEqual(known(new), ["1"])
        service.postgres.psql("DELETE FROM auth.oauth_client WHERE client_id LIKE 'flood %'")
        operator = people.operator_of(service)
        support.wait_until(lambda: operator.get("/api/audit-log", orgUnitId=1, action="OAUTH_CLIENT_REMOVED").text.count('"unused"') >= 3, 30,
                           "each removal is audited")

    def test_a_restart_loses_nobody(self):
        client, tokens = connected(service, user["email"], "staff:read")
        unused = oauth.allow(service, client.url(), user["email"])
        service.kill9()
        service.start_at_once()
        again = Client(service, client.id, verifier=client.verifier)
        self.check(people.client_of(service, tokens["access_token"]).get(ME), 200)
        self.check(again.refresh(tokens["refresh_token"]), 200)
        self.check(again.exchange(unused), 200)
        # A code whose answer was lost was used all the same.
        self.check_grant_refused(again.exchange(unused))


if __name__ == "__main__":
    unittest.main()
