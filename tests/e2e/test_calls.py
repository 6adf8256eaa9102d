# Calls between processes, made by hand with the key that all processes of the installation share: what an owner takes, and
# what it refuses.

import base64
import hashlib
import hmac
import http.client
import json
import secrets
import time
import urllib.error
import urllib.request
from pathlib import Path
from urllib.parse import urlsplit

import cluster
import rest
import support

ORIGIN = {"requestId": "req_by_hand", "clientAddress": "192.0.2.7", "channel": "rest", "clientId": "", "correlationId": "", "eventId": "", "runId": "",
          "depth": 0}


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class CallsTest(rest.RestCase):
    @classmethod
    def setUpClass(cls):
        cls.postgres = cls.enterClassContext(support.Postgres())
        cls.cluster = cls.enterClassContext(cluster.Cluster(cls.postgres))
        *cls.apis, cls.workers = cls.cluster.start("api", "api", "workers")
        key_file = Path(cls.apis[0].env["WORKFORCE_MASTER_KEY_FILE"])
        cls.key = hmac.digest(bytes.fromhex(key_file.read_text(encoding="ascii").strip()), b"internal requests", "sha256")
        cls.organization = cls.cluster.demo["organizationId"]
        cls.home = int(cls.postgres.value(
            f"SELECT partition FROM ops.organization_home WHERE organization_id = {cls.organization}"))
        cls.key_id = int(cls.postgres.value(
            "SELECT key_id FROM auth.api_key_secret WHERE digest = '\\x"
            + hashlib.sha256(cls.cluster.demo["keys"]["live"].encode()).hexdigest() + "'"))

    def owner_and_other(self):
        owner = support.wait_until(lambda: next((member for member in self.apis if self.home in self.cluster.owned(member)), None),
                                   support.READY_SECONDS, "the partition has an owner")
        return owner, next(member for member in self.apis if member is not owner)

    def name_of(self, member):
        return self.postgres.value(f"SELECT owner FROM ops.process WHERE admin_url = '{member.admin_url}'")

    def message(self, **changes):
        """A call that makes a person."""
        return {"verb": "staff.create", "credential": "api_key", "credentialId": self.key_id,
                "credentialOrganization": self.organization, "organization": self.organization, "sandbox": False,
                "path": [], "parameters": [], "answer": "application/json"} | ORIGIN | changes

    def body(self, message):
        person = {"firstName": "C", "lastName": "Li", "email": f"{secrets.token_hex(8)}@example.test"}
        return (json.dumps(message) + "\n" + json.dumps(person)).encode()

    def sign(self, addressee, body, at=None, key=None):
        fields = [str(int((at or time.time()) * 1000)), base64url(secrets.token_bytes(16)), addressee,
                  str(self.organization), "live", base64url(hashlib.sha256(body).digest())]
        text = "internal request\n" + " ".join(fields) + "\nPOST /internal/calls"
        return " ".join(fields + [hmac.digest(key or self.key, text.encode(), "sha256").hex()])

    def post(self, member, body, signature):
        """Status, headers, the first line as JSON, and the rest."""
        request = urllib.request.Request(member.admin_url + "/internal/calls", data=body, method="POST",
                                         headers={"Workforce-Internal": signature} if signature else {})
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                line, _, rest_of_it = answer.read().partition(b"\n")
                return answer.status, answer.headers, json.loads(line), rest_of_it
        except urllib.error.HTTPError as refused:
            return refused.code, refused.headers, json.load(refused), b""

    def call(self, member=None, **changes):
        member = member or self.owner_and_other()[0]
        body = self.body(self.message(**changes))
        return self.post(member, body, self.sign(self.name_of(member), body))

    def test_a_new_organization_is_made_where_it_is_at_home(self):
        token = self.cluster.command("token", "super.admin@platform.example.com").strip()
        clients = [member.client(token) for member in self.apis]
        made = []
        support.wait_until(lambda: all(self.cluster.owned(member) for member in self.apis), support.READY_SECONDS,
                           "both processes own partitions")
        for number in range(4):
            body, keyed = {"name": f"New {number}"}, {"Idempotency-Key": f"new organization {number}"}
            answers = [client.post("/api/organizations", body, keyed) for client in clients]
            made.append(self.check(answers[0], 201)["id"])
            self.assertEqual(self.check(answers[1], 201), answers[0].body, "the other process finds the first one's")
            self.assertEqual([answer.headers.get("Idempotency-Replayed") for answer in answers], [None, "true"])
        homes = {int(partition) for partition, in self.postgres.psql(
            f"SELECT DISTINCT partition FROM ops.organization_home WHERE organization_id IN ({','.join(map(str, made))})")}
        for member in self.apis:
            support.wait_until(lambda of=member: homes & set(self.cluster.owned(of)), support.READY_SECONDS, "each process made one")

    def test_a_call_is_answered_once(self):
        owner = self.owner_and_other()[0]
        body = self.body(self.message())
        signature = self.sign(self.name_of(owner), body)
        status, _, outcome, made = self.post(owner, body, signature)
        self.assertEqual((status, outcome["status"]), (200, 201), outcome)
        self.assertEqual(outcome["location"], f"/api/staff/{json.loads(made)['id']}")
        status, _, problem, _ = self.post(owner, body, signature)
        self.assertEqual((status, problem["error"]["code"]), (401, "UNAUTHENTICATED"), "the same nonce")

    def test_what_is_not_signed_for_this_process_is_refused(self):
        owner, other = self.owner_and_other()
        body = self.body(self.message())
        name = self.name_of(owner)
        heads = self.cluster.heads()
        refusals = {
            "none": (None, 401), "another key": (self.sign(name, body, key=b"x" * 32), 401),
            "another body": (self.sign(name, body + b" "), 401), "old": (self.sign(name, body, at=time.time() - 60), 503),
            "another process": (self.sign(self.name_of(other), body), 503)}
        for what, (signature, expected) in refusals.items():
            status, headers, _, _ = self.post(owner, body, signature)
            self.assertEqual(status, expected, what)
            self.assertEqual("Workforce-Not-Owner" in headers, what == "another process", what)
        status, headers, _, _ = self.post(other, body, self.sign(self.name_of(other), body))
        self.assertEqual((status, headers["Workforce-Not-Owner"]), (503, "true"), "it writes another partition")
        self.assertEqual(self.post(self.workers, body, self.sign(self.name_of(self.workers), body))[0], 503)
        self.assertEqual(self.cluster.heads(), heads, "nothing was written")

    def test_a_key_is_used_where_its_request_came_in(self):
        made = json.loads(self.cluster.command("keys", "create", "--name", "suite", "--scopes", "staff:write", "--organization",
                                               self.organization))
        rest.wait_for_key(self.cluster, made["id"])
        other = self.owner_and_other()[1]
        connection = http.client.HTTPConnection(urlsplit(other.url).netloc, timeout=60, source_address=("127.0.0.2", 0))
        self.addCleanup(connection.close)
        person = {"firstName": "C", "lastName": "Li", "email": f"{secrets.token_hex(8)}@example.test"}
        connection.request("POST", "/api/staff", json.dumps(person),
                           {"Authorization": f"Bearer {made['key']}", "Content-Type": "application/json"})
        self.assertEqual(connection.getresponse().status, 201)
        for member in self.apis:  # which write what they remember
            member.stop()
        self.assertEqual(self.postgres.psql(f"SELECT address FROM auth.api_key_use WHERE key_id = {made['id']}"), [("127.0.0.2",)])
        for member in self.apis:
            member.start()
        support.wait_until(lambda: any(self.home in self.cluster.owned(member) for member in self.apis), support.READY_SECONDS,
                           "the partition has an owner again")

    def test_what_another_release_says_is_refused_for_now(self):
        for changes in ({"verb": "staff.telex"}, {"verb": "staff.list"}, {"added": 1}, {"channel": "telex"}):
            status, headers, problem, _ = self.call(**changes)
            self.assertEqual((status, problem["error"]["retryable"]), (503, True), changes)
            self.assertIn("Retry-After", headers)

    def test_the_owner_looks_at_the_caller_itself(self):
        def code(**changes):
            status, _, outcome, made = self.call(**changes)
            self.assertEqual(status, 200)
            return outcome["status"], json.loads(made)["error"]["code"]
        self.assertEqual(code(credentialId=987654321), (401, "INVALID_API_KEY"))
        self.assertEqual(code(credential="user"), (401, "UNAUTHENTICATED"))
        self.assertEqual(code(organization=1), (403, "ORG_SCOPE_VIOLATION"))
        self.assertEqual(code(verb="api_keys.create"), (403, "FORBIDDEN"), "people alone make keys")
        key, _ = rest.make_key(self.cluster, ["staff:write"])
        self.assertEqual(self.call(credentialId=key)[2]["status"], 201)
        rest.revoke_key(self.cluster, key)
        self.assertEqual(code(credentialId=key), (401, "UNAUTHENTICATED"))

    def test_the_installation_itself_may_call(self):
        system = {"credential": "system", "credentialId": 0, "credentialOrganization": 0,
                  "idempotency": {"key": secrets.token_hex(8), "fingerprint": "f"}}
        body = self.body(self.message(**system))
        owner = self.owner_and_other()[0]
        answers = [self.post(owner, body, self.sign(self.name_of(owner), body)) for _ in range(2)]
        self.assertEqual([answer[2]["replayed"] for answer in answers], [False, True])
        self.assertEqual(answers[0][3], answers[1][3])

    def test_an_owner_of_the_release_before_calls_gets_requests_as_they_came(self):
        owner, other = self.owner_and_other()
        client = other.client()

        def answered_at_owner():
            """Requests that the owner answered as such: calls are none."""
            with urllib.request.urlopen(owner.admin_url + "/metrics", timeout=30) as answer:
                lines = answer.read().decode().splitlines()
            return sum(float(line.rsplit(" ", 1)[1]) for line in lines if line.startswith("workforce_http_requests_total{"))

        def post(key):
            person = {"firstName": "C", "lastName": "Li", "email": f"{key}@example.test"}
            answer = client.post("/api/staff", person, headers={"Idempotency-Key": key})
            self.check(answer, 201)
            return answer

        before = answered_at_owner()
        post("as-a-call")
        self.assertEqual(answered_at_owner(), before)
        revision = self.postgres.value("SELECT max(calls) FROM ops.process")
        self.addCleanup(self.postgres.psql, f"UPDATE ops.process SET calls = {revision}")
        self.postgres.psql("UPDATE ops.process SET calls = 0")

        def posted_as_request():
            post(secrets.token_hex(8))
            return answered_at_owner() > before
        support.wait_until(posted_as_request, support.READY_SECONDS, "the owner is known to take no calls")
        self.assertEqual(post("as-a-call").headers["Idempotency-Replayed"], "true", "the same key either way")
        person = client.with_key(self.cluster.command("token", "admin@demo.example.com").strip())
        body = {"firstName": "C", "lastName": "Li", "email": f"{secrets.token_hex(8)}@example.test"}
        self.check_refused(person.post("/api/staff", body, {"Service-Sandbox": "true"}), 503, "SERVICE_UNAVAILABLE")
