# Clients behind a proxy that the service trusts: each has limits, sessions and audit entries of its own; who is no such proxy
# tells of nobody else.

import http.client
import json
import secrets
import subprocess
import unittest
from urllib.parse import urlsplit

import people
import rest
import support
from credential_proxy import address_proxy
from people import LOGIN, SESSIONS

LOGIN_LIMIT, CONNECTIONS = 10, 4
MALLORY, ADA = "127.0.0.2", "127.0.0.3"
WRONG = "a wrong guess of some length"
service = proxied = None


def setUpModule():
    """The proxy is at 127.0.0.1, as is who comes past it."""
    global service, proxied
    service = rest.start_service({"WORKFORCE_TRUSTED_PROXIES": "127.0.0.1, 2001:db8::/32",
                                  "WORKFORCE_LOGIN_RATE_LIMIT": str(LOGIN_LIMIT),
                                  "WORKFORCE_CONNECTIONS_PER_ADDRESS": str(CONNECTIONS)})
    proxied = unittest.enterModuleContext(address_proxy(support.free_port(), port()))


def port():
    return urlsplit(service.demo["baseUrl"]).port


def asked(address, method, path, body=None, headers=None, url=None):
    """The answer to a request from that address of this machine, through the proxy where no other URL is given."""
    connection = http.client.HTTPConnection(urlsplit(url or proxied).netloc, timeout=60, source_address=(address, 0))
    try:
        raw = None if body is None else json.dumps(body)
        connection.request(method, path, raw, {"Content-Type": "application/json"} | (headers or {}))
        return rest.Answer(f"{method} {path} from {address}", connection.getresponse())
    finally:
        connection.close()


def guess(address, headers=None, url=None):
    """The status of a wrong sign-in, of an account that nobody has."""
    body = {"email": f"{secrets.token_hex(6)}@nowhere.example.test", "password": WRONG}
    return asked(address, "POST", LOGIN, body, headers, url).status


class ClientsTest(rest.RestCase):

    def test_one_client_does_not_lock_out_another(self):
        self.assertEqual([guess(MALLORY) for _ in range(LOGIN_LIMIT + 1)], [401] * LOGIN_LIMIT + [429])
        self.assertEqual(guess(ADA), 401)
        pretended = {"X-Forwarded-For": "192.0.2.77"}
        self.assertEqual(guess(MALLORY, pretended), 429, "what a client says stands before what the proxy says")
        contradicting = {"Forwarded": "for=192.0.2.78"}
        self.assertEqual([guess(MALLORY, contradicting) for _ in range(LOGIN_LIMIT + 1)], [401] * LOGIN_LIMIT + [429],
                         "who hides counts as the proxy, whatever the address")
        self.assertEqual(guess(ADA, {"Forwarded": "for=192.0.2.79"}), 429)
        self.assertEqual(guess(ADA), 401)

    def test_sessions_keys_and_the_audit_log_name_the_client(self):
        user = people.make_user(service)
        signed_in = asked(ADA, "POST", LOGIN, {"email": user["email"], "password": people.PASSWORD})
        self.check(signed_in, 200)
        cookie = {"Cookie": f"{people.COOKIE}={people.set_cookie(signed_in)[0]}"}
        sessions = self.check(asked(ADA, "GET", SESSIONS, headers=cookie), 200)
        self.assertEqual([session["ip"] for session in sessions["data"]], [ADA])

        made = json.loads(service.command("keys", "create", "--name", "proxied", "--scopes", "users:write,audit:read",
                                          "--organization", str(service.demo["organizationId"])))
        rest.wait_for_key(service, made["id"])
        key = {"Authorization": f"Bearer {made['key']}"}
        created = asked(ADA, "POST", "/api/users", people.person(), key)
        self.check(created, 201)
        owner = people.owner_of(service)

        def entry():
            page = self.check(owner.get("/api/audit-log", resource=f"user:{created.body['id']}"), 200)
            return page["data"][0] if page["data"] and page["data"][0]["ip"] else None
        self.assertEqual(support.wait_until(entry, support.READY_SECONDS, "the entry has its origin")["ip"], ADA)

        def used():
            return service.postgres.value(f"SELECT max(address) FROM auth.api_key_use WHERE key_id = {made['id']}")
        support.wait_until(lambda: used() == ADA, support.READY_SECONDS, "the key's use is written")

    def test_nobody_else_tells_of_another_address(self):
        """A client that is no proxy comes past it, and says what it likes."""
        url = service.demo["baseUrl"]
        other = "127.0.0.9"
        told = [guess(other, {"X-Forwarded-For": f"192.0.2.{n}", "Forwarded": f"for=192.0.2.{n}"}, url) for n in range(LOGIN_LIMIT + 1)]
        self.assertEqual(told, [401] * LOGIN_LIMIT + [429])

    def test_ipv6_clients_and_other_proxies_before(self):
        """The walk goes on past proxies that are trusted, too."""
        name, form = "Forwarded", 'for="[2001:db9::7]:4711", for="[2001:db8::1]";proto=https'
        with address_proxy(support.free_port(), port(), name, form) as url:
            user = people.make_user(service)
            signed_in = asked("127.0.0.4", "POST", LOGIN, {"email": user["email"], "password": people.PASSWORD}, url=url)
            self.check(signed_in, 200)
            cookie = {"Cookie": f"{people.COOKIE}={people.set_cookie(signed_in)[0]}"}
            sessions = self.check(asked("127.0.0.4", "GET", SESSIONS, headers=cookie, url=url), 200)
            self.assertEqual([session["ip"] for session in sessions["data"]], ["2001:db9::7"])

    def test_connections_of_an_address(self):
        refused = service.metrics()["workforce_http_address_connections_refused_total"]
        host, kept = urlsplit(service.demo["baseUrl"]).netloc, []
        for address, most in (("127.0.0.5", CONNECTIONS), ("127.0.0.6", CONNECTIONS), ("127.0.0.1", 3 * CONNECTIONS)):
            for _ in range(most):
                connection = http.client.HTTPConnection(host, timeout=60, source_address=(address, 0))
                self.addCleanup(connection.close)
                connection.request("GET", "/healthz")
                with connection.getresponse() as answer:
                    self.assertEqual((answer.status, answer.read()), (200, b'{"status":"ok"}'))
                kept.append(connection)
        with self.assertRaises((OSError, http.client.HTTPException)):
            asked("127.0.0.5", "GET", "/healthz", url=service.demo["baseUrl"])
        self.assertEqual(service.metrics()["workforce_http_address_connections_refused_total"] - refused, 1)
        kept[0].close()
        support.wait_until(lambda: self.is_served("127.0.0.5"), 30, "the place came back")

    def is_served(self, address):
        try:
            return asked(address, "GET", "/healthz", url=service.demo["baseUrl"]).status == 200
        except (OSError, http.client.HTTPException):
            return False

    def test_what_a_request_says_of_its_scheme_is_not_read(self):
        answer = asked(ADA, "GET", "/.well-known/oauth-protected-resource", headers={"X-Forwarded-Proto": "https",
                                                                                     "X-Forwarded-Host": "evil.example"})
        self.assertEqual(self.check(answer, 200)["resource"], service.demo["baseUrl"])
        self.assertNotIn("evil", answer.text)

    def test_a_setting_that_is_none_is_refused(self):
        done = subprocess.run([support.binary(), "config", "--trusted-proxies", "10.0.0.1/8"], text=True, check=False,
                                      capture_output=True, env={"PATH": "/usr/bin:/bin", "WORKFORCE_CONFIG": ""})
        self.assertEqual((done.returncode, done.stderr.strip()),
                         (2, "workforce: trusted_proxies (--trusted-proxies): '10.0.0.1/8' has bits behind its prefix; "
                             "its network is 10.0.0.0/8"))


if __name__ == "__main__":
    unittest.main()
