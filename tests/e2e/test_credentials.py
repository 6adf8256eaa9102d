# Credentials that come the wrong way: they open nothing, the sender is told, and nothing repeats them.

import http.client
import json
import unittest
from urllib.parse import urlsplit

import rest
import support

STAFF = "/api/staff"


class CredentialsTest(rest.RestCase, support.ServiceCase):

    ENVIRONMENT = {"WORKFORCE_LOG_LEVEL": "debug"}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.key = cls.service.demo["keys"]["live"]
        cls.live, cls.nobody = rest.client_of(cls.service), rest.Client(cls.service.demo["baseUrl"])

    def ask(self, method, target, credentials, body=b""):
        """The answer to a request with these Authorization headers, which rest.Client does not make."""
        connection = http.client.HTTPConnection(urlsplit(self.service.demo["baseUrl"]).netloc, timeout=30)
        self.addCleanup(connection.close)
        connection.putrequest(method, target)
        for credential in credentials:
            connection.putheader("Authorization", f"Bearer {credential}")
        connection.putheader("Content-Type", "application/json")
        connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        return rest.Answer(f"{method} {target}", connection.getresponse())

    def check_hint(self, answer):
        self.assertIn("Authorization: Bearer", answer.body["error"]["suggestion"], str(answer))

    def test_of_two_headers_none_is_taken(self):
        person = json.dumps({"firstName": "T", "lastName": "Wo", "email": "two@example.test"}).encode()
        for pair in ((self.key, self.key), (self.key, "svc_live_none"), ("svc_live_none", self.key)):
            for method, target, body in (("GET", STAFF, b""), ("POST", STAFF, person), ("POST", STAFF, b" " * 200_000),
                                         ("GET", "/api/nothing", b"")):
                self.check_fields(self.ask(method, target, pair, body), "Authorization")
        self.check(self.ask("GET", STAFF, (self.key,)), 200)
        self.assertEqual(self.live.get(STAFF, q="two@example.test").body["data"], [])

    def test_a_key_in_the_query_opens_nothing(self):
        encoded = self.key.replace("_", "%5F")
        for query in (f"api_key={self.key}", f"access_token={self.key}", f"key={self.key}", f"q={encoded}", self.key, "API_KEY=a"):
            for path in (STAFF, "/api/nothing"):
                with self.subTest(query=query.split("=")[0], path=path):
                    alone = self.nobody.get(f"{path}?{query}")
                    self.check_refused(alone, 401, "UNAUTHENTICATED")
                    beside = self.live.get(f"{path}?{query}")
                    self.check_refused(beside, 400, "VALIDATION_ERROR")
                    for answer in (alone, beside):
                        self.check_hint(answer)
                        self.assertNotIn(self.key, f"{answer.headers}{answer.text}")
        self.check(self.live.get(STAFF, key="of another kind"), 200)

    def test_what_is_open_repeats_no_key(self):
        answer = self.nobody.get(f"/.well-known/api-versions?{self.key}=1&other={self.key}")
        self.check(answer, 200)
        self.assertEqual(answer.headers["Service-Warnings"], "ignored parameters: other")

    def test_no_key_is_in_the_log_of_the_process(self):
        start = self.service.log_size()
        self.nobody.get(f"{STAFF}?api_key={self.key}")
        self.live.get(f"{STAFF}?q={self.key}")
        self.ask("GET", STAFF, (self.key, self.key))
        asked = self.live.send("GET", STAFF).headers["X-Request-Id"]
        support.wait_until(lambda: asked in self.service.log_from(start), support.READY_SECONDS, "the last request is in the log")
        lines = [json.loads(line) for line in self.service.log_from(start).splitlines()]
        self.assertEqual([line["status"] for line in lines if line.get("path") == STAFF], [401, 400, 400, 200], lines)
        self.assertNotIn(self.key, self.service.log_from(0))
        self.assertNotIn(self.key[-20:], self.service.log_from(0))


if __name__ == "__main__":
    unittest.main()
