# Credentials and the operator's registry: one that finds them, knows them not, refuses, hangs, answers garbage, leads elsewhere. Whatever it
# does, it is asked under one key for each question, and what is no finding changes nothing.

import json
import re
import secrets
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path

import log_lines
import people
import receiver
import rest
import support
from receiver import CUT, DRIP, REDIRECT, SLOW, Reply

CREDENTIALS, PATH = "/api/credentials", "/v1/checks?of=nurses"
TIMEOUT = 2
service = registry = owner = None
here = 0


def found(outcome, status=200, **more):
    return Reply(status, json.dumps({"outcome": outcome} | more).encode(), (("Content-Type", "application/json"),))


class Registry(receiver.Receiver):
    """Answers `replies` one after the other, then that all matches. `faults` has what was wrong with requests."""

    def __init__(self):
        super().__init__()
        self.secret = "rs_" + secrets.token_hex(16)
        self.replies, self.faults = [], []
        self.before_answer = None  # called with each question
        self._state = threading.Lock()

    def settings(self, directory):
        file = directory / "registry.secret"
        file.write_text(self.secret + "\n", encoding="utf-8")
        file.chmod(0o600)
        return {"WORKFORCE_CREDENTIAL_REGISTRY": "http", "WORKFORCE_CREDENTIAL_REGISTRY_SECRET_FILE": str(file),
                "WORKFORCE_CREDENTIAL_REGISTRY_URL": self.url(PATH.partition("?")[0]),
                "WORKFORCE_CREDENTIAL_REGISTRY_TIMEOUT_SECONDS": str(TIMEOUT)}

    def take(self, request):
        super().take(request)
        asked, headers = json.loads(request.body or b"{}"), request.headers
        told = (request.method, request.path, headers.get("Authorization"), headers.get("Content-Type"), headers.get("Idempotency-Key"))
        if told != ("POST", PATH.partition("?")[0], f"Bearer {self.secret}", "application/json", asked.get("key")):
            self.faults.append(told)
        if not re.fullmatch(r"cv_[0-9a-f]{64}", asked.get("key", "")):
            self.faults.append(asked)
        if self.before_answer:
            self.before_answer(asked)
        with self._state:
            return self.replies.pop(0) if self.replies else found("match", reference="L-1", details="In good standing.")

    def asked(self, credential):
        """The questions about it, in order."""
        questions = [json.loads(request.body) for request in self.requests()]
        return [each for each in questions if each["credentialId"] == credential["id"]]


def setUpModule():
    global service, registry, owner, here
    directory = Path(unittest.enterModuleContext(tempfile.TemporaryDirectory()))
    registry = unittest.enterModuleContext(Registry())
    service = rest.start_service(registry.settings(directory))
    owner = rest.client_of(service)
    here = service.demo["facilityIds"][0]


def fresh_key():
    return {"Idempotency-Key": secrets.token_hex(8)}


class RegistryCase(rest.RestCase):

    def setUp(self):
        registry.replies.clear()
        registry.before_answer = None
        self.addCleanup(lambda: self.assertEqual(registry.faults, []))

    def credential(self, client=None, **fields):
        person = {"firstName": "Ada", "lastName": "Byron", "facilityIds": [here], "email": f"{secrets.token_hex(6)}@example.test"}
        staff = self.check((client or owner).post("/api/staff", person), 201)["id"]
        body = {"staffId": staff, "type": "license", "name": "Registered Nurse", "number": "RN-0000"} | fields
        return self.check((client or owner).post(CREDENTIALS, body), 201)

    def verify(self, credential, key=None, client=None):
        return (client or owner).post(f"{CREDENTIALS}/{credential['id']}/verify-external", headers=key or {})

    def read(self, credential):
        return self.check(owner.get(f"{CREDENTIALS}/{credential['id']}"), 200)

    def types(self, credential):
        lines = service.command("tap", "--from", "start", "--until-idle", "--aggregate", f"credential/{credential['id']}").splitlines()
        return [json.loads(line)["type"].removeprefix("credential.") for line in lines]


class FindingTest(RegistryCase):

    def test_it_is_told_the_credential_and_whose_it_is(self):
        credential = self.credential(issuingAuthority="Board of Nursing", jurisdiction="NY", issuedOn="2021-09-01", expiresOn="2999-01-01")
        body = self.check(self.verify(credential), 200)
        self.assertEqual((body["verified"], body["provider"], body["reference"], body["outcome"], body["details"]),
                         (True, "http", "L-1", "match", "In good standing."), "a number is nothing to it")
        asked, = registry.asked(credential)
        del asked["key"]
        self.assertEqual(asked, {
            "installation": "local", "organizationId": service.demo["organizationId"], "credentialId": credential["id"], "type": "license",
            "name": "Registered Nurse", "number": "RN-0000", "issuingAuthority": "Board of Nursing", "jurisdiction": "NY",
            "issuedOn": "2021-09-01", "expiresOn": "2999-01-01", "holder": {"firstName": "Ada", "lastName": "Byron"}})
        verification = self.read(credential)["verification"]
        self.assertEqual((verification["method"], verification["provider"], verification["reference"], verification["result"]),
                         ("external", "http", "L-1", "match"))

    def test_each_outcome(self):
        for outcome, more, status, reason in (("match", {}, "verified", ""), ("match", {"reference": None, "color": "red"}, "verified", ""),
                                              ("no_match", {"details": "No such licence."}, "rejected", "No such licence."),
                                              ("no_match", {}, "rejected", "The registry knows no such credential."),
                                              ("expired", {"reference": "L-9", "details": "Lapsed."}, "expired", "Lapsed.")):
            with self.subTest(outcome=outcome, more=more):
                credential = self.credential()
                registry.replies.append(found(outcome, status=201, **more))
                body = self.check(self.verify(credential), 200)
                self.assertEqual((body["outcome"], body["verified"], body["reference"]), (outcome, outcome == "match", more.get("reference")))
                self.assertTrue(body["details"])
                now = self.read(credential)
                self.assertEqual((now, now["status"], now["statusReason"]), (body["credential"], status, reason))

    def test_what_is_verified_again_is_no_other_outcome(self):
        """The marker is that of the move into verified; a check of what is verified is one more event."""
        credential, answers = self.credential(), []
        for said in ((), (), (found("no_match"),), ()):
            registry.replies.extend(said)
            answers.append(self.verify(credential))
            self.check(answers[-1], 200)
        self.assertEqual(self.types(credential), ["added", "verified", "verified", "rejected", "verified"])
        asked = ", ".join(repr(answer.headers["X-Request-Id"].removeprefix("req_")) for answer in answers)

        def markers():
            return int(service.postgres.value(f"SELECT count(*) FROM reactor.usage_marker WHERE request_id IN ({asked})"))
        support.wait_until(lambda: markers() >= 2, support.READY_SECONDS, "both moves have their markers")
        service.wait_projected()
        self.assertEqual(markers(), 2)


class NoAnswerTest(RegistryCase):

    def test_whatever_is_no_finding_changes_nothing(self):
        credential = self.credential()
        verified = self.check(owner.post(f"{CREDENTIALS}/{credential['id']}/verify"), 200)
        garbage = [Reply(200, text) for text in (b"", b"<html>", b"[]", b'{"outcome":"perhaps"}', b'{"outcome":"match","reference":7}',
                                                 b'{"outcome":"no_match","outcome":"match"}', b'{"outcome":"match","details":"\xff"}')]
        large = found("match", details="x" * 201), found("match", filler="x" * (1 << 20))
        refused = [found("no_match", status=status) for status in (400, 401, 404, 422, 429, 500, 503)]
        redirect = found("match", status=307)
        redirect = Reply(307, redirect.body, (("Location", registry.url(REDIRECT)),))
        for reply in (*garbage, *large, *refused, redirect, CUT, SLOW, DRIP):
            with self.subTest(reply=str(reply)[:80]):
                registry.replies.append(reply)
                told = (504, "UPSTREAM_TIMEOUT") if reply in (SLOW, DRIP) else (502, "UPSTREAM_ERROR")
                self.check_refused(self.verify(credential), *told)
        self.assertEqual(registry.requests(REDIRECT), [], "nobody follows")
        self.assertEqual(self.read(credential), verified)
        self.assertEqual(self.types(credential), ["added", "verified"])
        self.assertIn("a registry of credentials gave no answer", service.tail(log_lines.ALL))
        self.assertNotIn("Byron", service.tail(log_lines.ALL))

    def test_one_that_is_away(self):
        gone = receiver.refused_port()
        with tempfile.TemporaryDirectory() as directory:
            settings = registry.settings(Path(directory)) | {"WORKFORCE_CREDENTIAL_REGISTRY_URL": f"http://127.0.0.1:{gone}/v1"}
            done = subprocess.run([support.binary(), "config"], env=service.env | settings, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            for url in ("http://10.0.0.1/v1", "http://registry.example/v1", "https://me:secret@registry.example/v1", "ftp://127.0.0.1"):
                settings["WORKFORCE_CREDENTIAL_REGISTRY_URL"] = url
                done = subprocess.run([support.binary(), "config"], env=service.env | settings, capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 2, url)
                self.assertIn("credential_registry_url", done.stderr)


class OnceTest(RegistryCase):

    def test_a_repeat_is_not_asked_again(self):
        credential, key = self.credential(), fresh_key()
        first = self.verify(credential, key)
        again = self.verify(credential, key)
        self.assertEqual((self.check(again, 200), again.headers["Idempotency-Replayed"]), (self.check(first, 200), "true"))
        self.assertEqual(len(registry.asked(credential)), 1)

    def test_a_retry_asks_under_the_same_key(self):
        """Of a question whose answer was lost the registry may have billed; another question has another key."""
        credential, key = self.credential(), fresh_key()
        registry.replies[:] = [CUT, Reply(503), Reply(503)]
        for _ in range(2):
            self.check_refused(self.verify(credential, key), 502, "UPSTREAM_ERROR")
        self.check(owner.patch(f"{CREDENTIALS}/{credential['id']}", {"number": "RN-0002"}), 200)
        self.check_refused(self.verify(credential, key), 502, "UPSTREAM_ERROR")
        self.check(self.verify(credential, key), 200)
        self.check(self.verify(credential, key), 200)
        lost, refused, other, done = registry.asked(credential)
        self.assertEqual(lost, refused)
        self.assertEqual((other, other["number"]), (done, "RN-0002"))
        self.assertNotEqual(lost["key"], other["key"])
        self.assertNotEqual(self.check(self.verify(credential), 200) and registry.asked(credential)[-1]["key"], done["key"])

    def test_two_at_once_under_one_key(self):
        credential, key = self.credential(), fresh_key()
        registry.replies.append(SLOW)
        answers = people.at_once([lambda: self.verify(credential, key)] * 2)
        self.assertEqual(sorted(each.code for each in answers), ["IDEMPOTENCY_IN_PROGRESS", "UPSTREAM_TIMEOUT"])
        self.check(self.verify(credential, key), 200)
        self.assertEqual(len(registry.asked(credential)), 2)

    def test_what_changed_while_it_was_asked(self):
        for change in ({"number": "RN-1"}, {"name": "Nurse"}, {"jurisdiction": "NJ"}):
            with self.subTest(change=change):
                credential = self.credential()
                registry.before_answer = lambda _, change=change, credential=credential: owner.with_key(service.demo["keys"]["live"]).patch(
                    f"{CREDENTIALS}/{credential['id']}", change)
                self.check_refused(self.verify(credential), 409, "CONCURRENT_MODIFICATION")
                registry.before_answer = None
                self.assertEqual(self.read(credential)["status"], "pending")

    def test_nobody_is_asked_in_vain(self):
        credential, key = self.credential(), fresh_key()
        for _ in range(2):
            self.check_refused(self.verify(credential, key | {"If-Match": '"900"'}), 412, "PRECONDITION_FAILED")
        self.check_refused(self.verify({"id": 9_000_000_000}, {"If-Match": '"900"'}), 404, "NOT_FOUND")
        bound = owner.with_key(rest.make_key(service, ["credentials:verify", "credentials:read"], facility=service.demo["facilityIds"][1])[1])
        self.check_refused(self.verify(credential, client=bound), 404, "NOT_FOUND")
        self.check_refused(self.verify({"id": 9_000_000_000}), 404, "NOT_FOUND")
        self.check(owner.post(f"{CREDENTIALS}/{credential['id']}/revoke"), 200)
        self.check_refused(self.verify(credential), 409, "INVALID_STATE_TRANSITION")
        self.assertEqual(registry.asked(credential), [])


class SandboxTest(RegistryCase):

    def test_the_sandbox_asks_nobody(self):
        tester = rest.client_of(service, "test")
        before = len(registry.requests())
        for number, outcome in (("RN-0000", "no_match"), ("RN-9998", "expired"), ("RN-1", "match")):
            body = self.check(self.verify(self.credential(tester, number=number), client=tester), 200)
            self.assertEqual((body["provider"], body["outcome"]), ("registry_sim", outcome))
        self.check_refused(self.verify(self.credential(tester, number="RN-9999"), client=tester), 502, "UPSTREAM_ERROR")
        self.assertEqual(len(registry.requests()), before)
