# The clients of clients/ as they are published, against a service: what README.md says, and what somebody does with them: make, list,
# change beside others, be refused, wait at a limit, repeat what may have been done, hear of events. Their programs are in tests/clients.

import base64
import json
import os
import re
import tempfile
import unittest
from pathlib import Path

import api_clients
import receiver
import rest
import support
import webhooks
from access_matrix import EVERY_SCOPE

WINDOW = 3  # seconds, of the rate limits
LIMIT = 4  # requests that the limited keys may make in one
ROWS = 500
AT_ONCE = 100  # shifts that one request makes
service = owner = orders = None


def setUpModule():
    global service, owner, orders
    api_clients.make("--check")
    hooked = unittest.enterModuleContext(receiver.Receiver())
    service = rest.start_service(webhooks.settings() | {"WORKFORCE_RATE_WINDOW_SECONDS": str(WINDOW), "WORKFORCE_LEAST_RATE_LIMIT": "0"})
    token = key(6000)
    owner = rest.Client(service.demo["baseUrl"], token)
    facility = made("/api/facilities", {"name": "Five Hundred"})["id"]
    shifts = [{"facilityId": facility, "title": f"Shift {n}", "date": f"2031-01-{n % 28 + 1:02}", "startTime": "08:00", "endTime": "16:00"}
              for n in range(ROWS)]
    ids = [row["id"] for start in range(0, ROWS, AT_ONCE)
           for row in made("/api/shifts", {"shifts": shifts[start:start + AT_ONCE]})["data"]]
    service.wait_projected()
    orders = {"url": service.demo["baseUrl"], "key": token, "limit": LIMIT, "facility": facility, "ids": ids,
              "webhook": delivered(hooked)}


def key(limit):
    """The token of a new key of the customer's."""
    answer = json.loads(service.command("keys", "create", "--name", "clients", "--scopes", ",".join(sorted(EVERY_SCOPE)), "--rate-limit", str(limit),
                                        "--organization", str(service.demo["organizationId"])))
    rest.wait_for_key(service, answer["id"])
    return answer["key"]


def made(path, body):
    answer = owner.post(path, body)
    assert answer.status == 201, str(answer)
    return answer.body


def delivered(hooked):
    """What a subscriber got of somebody's onboarding, and the secret of its subscription."""
    secret = made("/api/webhooks", {"name": "Clients", "url": hooked.url("/clients"), "events": ["staff_onboarded"]})["signingSecret"]
    staff = made("/api/staff", {"firstName": "Grace", "lastName": "Hopper", "email": "grace.clients@example.com"})["id"]
    request = hooked.wait("/clients", seconds=webhooks.SENT_SECONDS)[0]
    return {"secret": secret, "headers": dict(request.headers.items()), "body": base64.b64encode(request.body).decode(), "staffId": staff}


def quoted(readme, language):
    """The code that a README has."""
    (code,) = re.findall(rf"^```{language}\n(.*?)^```$", readme.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return code


class ClientsTest(rest.RestCase):

    def play(self, name, runner):
        """What a program saw, which is as it has to be in either language."""
        seen = json.loads(runner(json.dumps(orders | {"name": name, "limited": key(LIMIT)})))
        self.check_seen(name, seen)
        return seen

    def check_refused_by(self, told, kind, status, code, fields=()):
        self.assertEqual((told["kind"], told["status"], told["code"], told["fields"]), (kind, status, code, list(fields)), told)
        self.assertRegex(told["requestId"], "^req_")
        self.assertTrue(told["suggestion"])

    def check_seen(self, name, seen):
        made_row = self.check(owner.get(f"/api/staff/{seen['created']['id']}"), 200)
        self.assertEqual(seen["created"], {member: made_row[member] for member in ("id", "email", "isActive")})
        self.assertEqual((len(seen["rows"]), sorted(seen["rows"])), (ROWS, orders["ids"]))
        self.check_refused_by(seen["stale"], "PreconditionFailed", 412, "PRECONDITION_FAILED")
        self.assertEqual(seen["edited"], {"skills": ["Triage", "Suture"], "reads": 2}, "neither change is lost")
        self.assertEqual((made_row["skills"], made_row["phone"]), (["Triage", "Suture"], "+1 555 0100"))
        self.check_refused_by(seen["duplicate"], "Conflict", 409, "DUPLICATE_RESOURCE")
        self.check_refused_by(seen["invalid"], "InvalidRequest", 400, "VALIDATION_ERROR", ["firstName", "email"])

        self.assertEqual(seen["waited"], [service.demo["organizationId"]] * (LIMIT + 1))
        self.assertIn(429, seen["statuses"], "the limit was met")
        self.assertEqual(seen["statuses"].count(200), LIMIT + 1)
        self.assertLessEqual(seen["statuses"].count(429), 4, "it waits as long as it is told to")
        self.check_refused_by(seen["limited"], "RateLimited", 429, "API_KEY_RATE_LIMITED")

        first, second = seen["sent"]
        self.assertEqual((first["key"], first["version"]), (second["key"], rest.VERSION))
        self.assertEqual([(each["status"], each["replayed"]) for each in seen["sent"]], [(201, None), (201, "true")])
        self.check_made_once(f"replayed.{name}", seen["replayed"])

        self.assertEqual(seen["event"], {"type": "staff_onboarded", "staffId": orders["webhook"]["staffId"]})
        self.assertTrue(seen["forged"])

    def check_made_once(self, name, staff):
        self.assertEqual([row["id"] for row in self.check(owner.get("/api/staff", q=f"{name}@"), 200)["data"]], [staff])

    def test_python(self):
        with tempfile.TemporaryDirectory() as folder:
            environment = api_clients.python_package(folder) | {"WORKFORCE_URL": orders["url"], "WORKFORCE_KEY": orders["key"]}
            seen = self.play("python", lambda text: api_clients.run([*api_clients.PYTHON, api_clients.PROGRAMS / "steps.py"], text, environment))
            self.check_made_once("async.python", seen["async"]["replayed"])
            self.assertEqual(sorted(seen["async"]["rows"]), orders["ids"])
            program = Path(folder) / "readme.py"
            program.write_text(quoted(support.PROJECT_ROOT / "clients/python/README.md", "python"), encoding="utf-8")
            self.check_read_me(lambda: api_clients.run([*api_clients.PYTHON, program], "", environment))

    def test_typescript(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            api_clients.node_package(folder)
            environment = os.environ | {"WORKFORCE_URL": orders["url"], "WORKFORCE_KEY": orders["key"]}
            (folder / "package.json").write_text('{"type": "module"}', encoding="utf-8")
            (folder / "readme.ts").write_text(quoted(support.PROJECT_ROOT / "clients/typescript/README.md", "ts"), encoding="utf-8")
            for program in api_clients.PROGRAMS.glob("*.ts"):
                (folder / program.name).write_text(program.read_text(encoding="utf-8"), encoding="utf-8")
            api_clients.check_types(folder)
            self.play("typescript", lambda text: api_clients.run([*api_clients.NODE, folder / "steps.ts"], text, environment, folder))
            self.check_read_me(lambda: api_clients.run([*api_clients.NODE, folder / "readme.ts"], "", environment, folder))

    def check_read_me(self, run):
        """The ten lines of a README list what is open, and onboard somebody who may be there already."""
        before = owner.get("/api/staff", q="ada@example.com").body["data"]
        shown = run().splitlines()
        self.assertGreater(len([line for line in shown if re.search(r"2031-01-\d\d.*Shift", line)]), ROWS - 1)
        self.assertRegex(shown[-1], r"^onboarded as \d+$" if not before else r"^DUPLICATE_RESOURCE .+ req_")


class OperationsTest(unittest.TestCase):
    """What is generated of the description is all that it has."""

    @classmethod
    def setUpClass(cls):
        cls.operations = {operation["operationId"]: operation for methods in api_clients.DESCRIPTION["paths"].values()
                          for operation in methods.values()}

    def test_python_has_every_operation_with_its_body_and_answer(self):
        with tempfile.TemporaryDirectory() as folder:
            found = json.loads(api_clients.run([*api_clients.PYTHON, api_clients.PROGRAMS / "operations.py"], "", api_clients.python_package(folder)))
        self.assertEqual(set(found), {".".join(api_clients.method_of(operation)) for operation in self.operations.values()})
        for name, operation in self.operations.items():
            method = api_clients.method_of(operation)
            seen = found[".".join(method)]
            self.assertEqual(seen["body"] is not None, "requestBody" in operation, name)
            for what, text in seen.items() if method not in api_clients.UNTYPED else ():
                self.assertFalse(text and re.search(r"\bAny\b|\bobject\b|JSONValue", text), f"{name} {what}: {text}")

    def test_typescript_has_every_operation(self):
        generated = (support.PROJECT_ROOT / "clients/typescript/src/generated/api.ts").read_text(encoding="utf-8")
        _, _, operations = generated.partition("export interface operations {")
        self.assertEqual(set(re.findall(r'^    "?([\w.]+)"?: \{$', operations, re.MULTILINE)), set(self.operations))
