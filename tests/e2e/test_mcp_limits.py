# The limits of MCP: windows of their own, by key, user and address.

import http.client
import json
import socket
import time
from urllib.parse import urlsplit

import mcp
import people
import rest
import support

LIMIT = 5
service = None


def setUpModule():
    global service
    service = rest.start_service({"WORKFORCE_MCP_RATE_LIMIT": str(LIMIT), "WORKFORCE_LEAST_RATE_LIMIT": "0"})


def keyed(*options):
    made = json.loads(service.command("keys", "create", "--name", "limit", "--organization", str(service.demo["organizationId"]),
                                      "--scopes", "shifts:read", *options))
    rest.wait_for_key(service, made["id"])
    return made["key"]


class LimitsTest(rest.RestCase):

    def check_window(self, client, limit):
        """So many requests are let in, whatever they are, and then no more."""
        for left in reversed(range(limit)):
            reply = client.request("tools/list") if left % 2 else client.call("whoami")
            self.assertEqual(reply.status, 200, str(reply))
            self.assertEqual((reply.headers["RateLimit-Limit"], reply.headers["RateLimit-Remaining"]), (str(limit), str(left)))
            self.assertTrue(0 < int(reply.headers["RateLimit-Reset"]) <= 60, str(reply))
            self.assertNotIn("X-RateLimit-Limit", reply.headers)
        reply = client.request("ping")
        self.assertEqual((reply.status, reply.body["id"], reply.error["code"]), (429, None, -32000), str(reply))
        self.assertEqual(reply.error["data"]["code"], "RATE_LIMITED")
        self.assertEqual(str(reply.error["data"]["retryAfter"]), reply.headers["Retry-After"])
        self.assertEqual((reply.headers["RateLimit-Limit"], reply.headers["RateLimit-Remaining"]), (str(limit), "0"))
        with client.resume("st_none") as resumed:
            self.assertEqual(resumed.read().status, 429, "streams share the window")

    def test_a_key_without_a_limit_of_its_own(self):
        key = keyed()
        self.check_window(mcp.Client(mcp.url_of(service), key), LIMIT)
        answer = self.check_headers(rest.Client(service.demo["baseUrl"], key).send("GET", "/api/shifts"))
        self.assertEqual(answer, "59", "REST has a window of its own")

    def check_headers(self, answer):
        self.check(answer, 200)
        return answer.headers["X-RateLimit-Remaining"]

    def test_a_keys_own_limit_wins(self):
        self.check_window(mcp.Client(mcp.url_of(service), keyed("--rate-limit", "8")), 8)

    def test_a_limit_that_is_lowered(self):
        made = json.loads(service.command("keys", "create", "--name", "limit", "--organization",
                                          str(service.demo["organizationId"]), "--scopes", "shifts:read", "--rate-limit", "60"))
        rest.wait_for_key(service, made["id"])
        client = mcp.Client(mcp.url_of(service), made["key"])
        self.assertEqual(client.request("ping").headers["RateLimit-Remaining"], "59")
        operator = people.operator_of(service)
        self.check(operator.patch(f"/api/api-keys/{made['id']}?orgUnitId={service.demo['organizationId']}", {"rateLimitPerMin": 3}), 200)

        def lowered():
            reply = client.request("ping")
            return reply if reply.headers["RateLimit-Limit"] == "3" else None
        reply = support.wait_until(lowered, 30, "the limit is known")
        self.assertLessEqual(int(reply.headers["RateLimit-Remaining"]), 2)
        while reply.status == 200:
            self.assertLessEqual(int(reply.headers["RateLimit-Remaining"]), 2, str(reply))
            reply = client.request("ping")
        self.assertEqual((reply.status, reply.headers["RateLimit-Limit"], reply.headers["RateLimit-Remaining"]), (429, "3", "0"))

    def test_a_body_that_is_refused_as_it_comes_counts_too(self):
        address = urlsplit(mcp.url_of(service))
        with socket.create_connection((address.hostname, address.port), timeout=30) as connection:
            connection.sendall(f"POST /mcp HTTP/1.1\r\nHost: {address.netloc}\r\nAuthorization: Bearer {keyed('--rate-limit', '7')}\r\n"
                               "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n".encode())
            time.sleep(0.2)  # the head comes alone
            connection.sendall(b"100000\r\n" + b" " * 0x100000 + b"\r\n100000\r\n")
            response = http.client.HTTPResponse(connection, method="POST")
            response.begin()
            refused = rest.Answer("a body in chunks", response)
        self.assertEqual((refused.status, refused.headers["RateLimit-Limit"], refused.headers["RateLimit-Remaining"]), (413, "7", "6"),
                         str(refused))

    def test_a_person(self):
        token = service.command("token", service.demo["users"]["viewer"]["email"]).strip()
        self.check_window(mcp.Client(mcp.url_of(service), token), LIMIT)

    def test_strangers_by_address(self):
        stranger = mcp.Client(mcp.url_of(service), "svc_live_none")
        for _ in range(LIMIT):
            self.assertEqual(stranger.request("ping").status, 401)
        self.assertEqual(stranger.request("ping").status, 429)
        with stranger.open("GET", path="/mcp/health") as reply:
            self.assertEqual(reply.read().status, 200)
        self.assertEqual(people.client_of(service).get("/healthz").status, 200)
