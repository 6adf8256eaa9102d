# Hostile values in each member of each body: a value is refused, or it is taken, and then it folds, is shown and folds again. What
# the service met meanwhile is in its log, which is looked through at its end (support.FAULTS).

import json
import random
import secrets
import unittest
from datetime import date, timedelta

import mcp
import oauth
import people
import rest
import support
import webhooks

ONE_IN = 1 if support.LONG else 20  # of the values, how many are sent
SEED = 20261128
RUN_SECONDS = 120
KEYS = "/api/api-keys"  # that operators make alone
ENDED = {"completed", "failed", "rejected", "cancelled"}
service = operator = admin = None


def nested(levels, inner=1):
    for _ in range(levels):
        inner = {"a": inner}
    return inner


def lists(levels):
    return json.loads("[" * levels + "]" * levels)


TEXTS = ["", " ", "\0", "a\0b", "\ud800", "a\udfffb", "\ufeffa", "\u202ea\u2066", "\U0001d54f" * 7, "e\u0301" * 40, "\x1b[31m", "a\r\nb: c", "\t",
         "{{input}}", "{{", "}}{{a", "%s%n{0}", "\\", "\\u0000", "'; --", "$1", "a" * 199 + "\U0001d54f", "\U0001d54f" * 200, "\U0001d54f" * 500, "x" * 4000,
         "x" * 70_000, "0", "null", "*", "shift:1", "../..", "http://127.0.0.1:9/\0"]
NUMBERS = [0, -1, 1, 2**31, 2**53 - 1, 2**53, 2**63 - 1, 2**63, -2**63, 10**30, 0.005, -0.0, 1e-7, 1e15, 1e308, 9.999, 0.1]
DATES = ["0001-01-01", "9999-12-31", "0000-01-01", "10000-01-01", "2026-02-29", "2028-02-29", "-0001-01-01", "00:00", "24:00", "23:59", "23:60",
         "0001-01-01T00:00:00Z", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59-14:00", "2026-11-28T00:00:60Z",
         "1582-10-10T00:00:00Z", "2026-03-29T02:30:00+01:00"]
OTHERS = [None, True, False, [], {}, [None], [[]], [""], ["\0"], ["a"] * 1001, [0] * 300, {"": 1}, {"\0": "\0"}, {"a" * 300: 1}, {"\U0001d54f" * 70: "b"},
          {f"k{n}": n for n in range(1200)}, nested(18), nested(20), nested(23), nested(25), nested(28), nested(30), lists(19), lists(24), lists(29),
          nested(19, "\0"), nested(19, "{{input}}"), {"a": "x" * 60_000}, [{"a": [{"b": [{}]}]}]]
VALUES = TEXTS + NUMBERS + DATES + OTHERS


def setUpModule():
    global service, operator, admin
    service = rest.start_service(webhooks.settings() | webhooks.MANY)
    operator = people.operator_of(service)
    admin = rest.client_of(service, service.command("token", "admin@demo.example.com").strip())


def makers(facility, staff):
    """Bodies that make something, by the path that takes them; `n` tells them apart."""
    def day(n):
        return str(date(2024, 1, 1) + timedelta(days=n))

    plan = [{"tool": "whoami", "arguments": {"a": "{{input.a}}"}, "when": {"path": "input.a", "op": "exists", "value": True}, "id": "one"}]
    return {
        "/api/facilities": lambda n: {"name": f"House {n}", "address": {"city": "Port"}, "schedulingRules": {"minRest": "flag"}},
        "/api/staff": lambda n: {"firstName": "Ada", "lastName": f"Number {n}", "email": f"ada{n}@hostile.test", "skills": ["Triage"]},
        "/api/users": lambda n: {"firstName": "Ada", "lastName": f"Number {n}", "email": f"ada{n}@hostile.test", "role": "viewer"},
        "/api/shifts": lambda n: {"facilityId": facility, "title": f"Round {n}", "date": "2031-05-01", "startTime": "08:00", "endTime": "16:00",
                                  "breaks": [{"minutes": 30, "paid": False}]},
        "/api/credentials": lambda n: {"staffId": staff, "type": "license", "name": f"RN {n}", "expiresOn": "2031-01-01"},
        "/api/crm/leads": lambda n: {"name": f"Lead {n}", "company": "Quay", "tags": ["a"]},
        "/api/timesheets": lambda n: {"staffId": staff, "facilityId": facility, "clockIn": f"{day(n)}T08:00:00Z", "clockOut": f"{day(n)}T16:00:00Z",
                                      "breaks": [{"start": f"{day(n)}T10:00:00Z", "end": f"{day(n)}T10:30:00Z"}]},
        "/api/time-off": lambda n: {"staffId": staff, "type": "vacation", "startDate": day(n), "endDate": day(n), "startTime": "08:00",
                                    "endTime": "12:00", "note": "a"},
        "/api/payroll/runs": lambda n: {"periodStart": day(3 * n), "periodEnd": day(3 * n + 1), "type": "off_cycle", "timesheetIds": [],
                                        "adjustments": [{"staffId": staff, "kind": "bonus", "amount": 10, "note": "Thanks"}]},
        "/api/webhooks": lambda n: {"name": f"Hook {n}", "url": f"http://127.0.0.1:9/{n}", "events": ["test"], "metadata": {"team": "a"}},
        KEYS: lambda n: {"name": f"Key {n}", "scopes": ["shifts:read"]},
        "/api/guardrails": lambda n: {"name": f"Policy {n}", "effect": "block", "tools": ["shifts_cancel"], "description": "a",
                                      "conditions": [{"path": "arguments.reason", "op": "eq", "value": "a"}]},
        "/api/agent-builder": lambda n: {"name": f"Agent {n}", "allowedTools": ["whoami"], "plan": plan, "description": "a", "output": {"a": "b"}},
    }


def spots(value, path=()):
    """Where a body has something: paths of names and places."""
    if path:
        yield path
    below = value.items() if isinstance(value, dict) else enumerate(value[:1]) if isinstance(value, list) else ()
    for name, part in below:
        yield from spots(part, (*path, name))


def replaced(body, path, value):
    """The body with the value at the path."""
    if not path:
        return value
    name, *rest = path
    if isinstance(body, list):
        return [replaced(each, rest, value) if at == name else each for at, each in enumerate(body)]
    return body | {name: replaced(body.get(name), rest, value)}


class HostileInputTest(rest.RestCase):

    @classmethod
    def setUpClass(cls):
        cls.random = random.Random(SEED)
        cls.description = admin.get("/openapi.json").body
        cls.facility = service.demo["facilityIds"][0]
        cls.staff = admin.post("/api/staff", {"firstName": "Ada", "lastName": "Byron", "email": "ada@hostile.test"}).body["id"]
        cls.makers = makers(cls.facility, cls.staff)
        cls.numbers = iter(range(1, 10**6))
        cls.sent = cls.taken = 0

    def members(self, method, path):
        """The members that the description says an operation's body has."""
        schema = self.description["paths"][path][method]["requestBody"]["content"]["application/json"]["schema"]
        names = set()
        waiting = [schema]
        while waiting:
            each = waiting.pop()
            if "$ref" in each:
                waiting.append(self.description["components"]["schemas"][each["$ref"].rsplit("/", 1)[1]])
            waiting += each.get("anyOf", []) + each.get("allOf", []) + each.get("oneOf", [])
            names |= set(each.get("properties", ()))
        return sorted(names)

    def is_changed(self, path):
        """Whether clients change its rows."""
        return "patch" in self.description["paths"].get(path + "/{id}", {})

    def ask(self, method, path, body, client=None):
        """Sends the body; the answer is no failure, and what refuses says why."""
        if path.startswith(KEYS):
            client, path = operator, f"{path}?orgUnitId={service.demo['organizationId']}"
        answer = (client or admin).send(method.upper(), path, body)
        self.sent += 1
        self.taken += answer.status < 300
        self.assertLess(answer.status, 500, f"{answer} {json.dumps(body)[:500]}")
        if answer.status >= 400:
            self.assertTrue(answer.body["error"], str(answer))
        return answer

    def some(self, values):
        return [value for value in values if self.random.randrange(ONE_IN) == 0]

    def bodies(self, make, members):
        """Bodies that are as `make` has them but for one value."""
        body = make(next(self.numbers))
        for path in sorted({*spots(body), *((name,) for name in members)}, key=str):
            for value in self.some(VALUES):
                yield replaced(make(next(self.numbers)), path, value)

    def test_values_in_bodies(self):
        for path, make in self.makers.items():
            with self.subTest(path=path):
                made = self.check(self.ask("post", path, make(next(self.numbers))), 201)
                for body in self.bodies(make, self.members("post", path)):
                    self.ask("post", path, body)
                changed = f"{path}/{made['id']}"
                for body in self.bodies(make, self.members("patch", path + "/{id}")) if self.is_changed(path) else ():
                    self.ask("patch", changed, body)
        self.look_around()

    def test_values_in_what_acts_say(self):
        """Reasons and notes, each on a row of its own."""
        acts = [("/api/credentials", "/reject", "reason"), ("/api/credentials", "/revoke", "reason"), ("/api/credentials", "/expire", "reason"),
                ("/api/timesheets", "/reject", "reason"), ("/api/shifts", "/cancel", "reason"), ("/api/time-off", "/decline", "reason")]
        for path, act, member in acts:
            for value in self.some(VALUES):
                made = self.check(self.ask("post", path, self.makers[path](next(self.numbers))), 201)
                self.ask("post", f"{path}/{made['id']}{act}", {member: value})
        shift = self.check(self.ask("post", "/api/shifts", self.makers["/api/shifts"](1)), 201)["id"]
        for value in self.some(VALUES):
            self.ask("post", f"/api/shifts/{shift}/assign", {"staffId": self.staff, "override": True, "overrideComment": value})
            self.ask("post", f"/api/shifts/{shift}/unassign", {"staffId": self.staff, "reason": value})
        block = {"weekday": 1, "from": "08:00", "to": "16:00"}
        for path in (("blocks",), ("blocks", 0), *(("blocks", 0, name) for name in block)):
            for value in self.some(VALUES):
                self.ask("put", f"/api/staff/{self.staff}/availability", replaced({"blocks": [block]}, path, value))
        for value in self.some(VALUES):
            name = value if isinstance(value, str) and 0 < len(value) < 100 else "Other"
            self.ask("post", "/api/organizations", {"name": f"{name}{secrets.token_hex(3)}", "industry": value}, operator)
        self.look_around()

    def test_values_in_runs(self):
        """What agents are given and give, and what triggers say."""
        plan = [{"tool": "whoami", "arguments": {}, "onError": "continue"},
                {"tool": "leads_create", "arguments": {"name": "{{input.a}}", "company": "Quay"}, "onError": "continue"}]
        agent = self.check(self.ask("post", "/api/agent-builder", {"name": f"Echo {secrets.token_hex(4)}", "allowedTools": ["whoami", "leads_create"],
                                                                   "plan": plan, "output": {"all": "{{input}}"}}), 201)["id"]
        runs = []
        for value in self.some(VALUES) + self.some(VALUES):
            for body in ({"input": value, "wait": 0}, {"input": {"a": value}, "wait": 0}):
                answer = self.ask("post", f"/api/agents/{agent}/runs", body)
                if answer.status == 202:
                    runs.append(answer.body["id"])
                elif answer.status == 429:
                    support.wait_until(lambda: self.has_ended(runs[-1]), RUN_SECONDS, "the last run has ended")
        self.assertTrue(runs)
        trigger = {"name": "Each", "type": "event", "eventType": "lead.qualified", "filter": {"leadId": 1}, "input": {"a": "{{event.id}}"}}
        for path in sorted({*spots(trigger), ("cron",), ("timezone",), ("runAsUserId",)}, key=str):
            for value in self.some(VALUES):
                self.ask("post", f"/api/agent-builder/{agent}/triggers", replaced(trigger, path, value))
        for run in runs:
            support.wait_until(lambda run=run: self.has_ended(run), RUN_SECONDS, f"run {run} has ended")
        self.look_around()

    def test_values_beside_bodies(self):
        """What clients call themselves, what tools are called with, and parameters and headers of requests."""
        client = mcp.client_of(service)
        for value in self.some(VALUES):
            for info in ({"name": value, "version": "1"}, {"name": "suite", "version": value}, value):
                begun = {"protocolVersion": mcp.HANDSHAKE, "capabilities": {}, "clientInfo": info}
                self.check_reply(client.post(client.message("initialize", begun)))
            params = {"name": "whoami", "arguments": {}, "_meta": {"progressToken": value, "a": value}}
            self.check_reply(client.post(client.message("tools/call", params, id_=value if isinstance(value, str | int) else 1)))
        for tool in client.request("tools/list").result["tools"]:
            for member in tool["inputSchema"].get("properties", {}):
                for value in self.some(VALUES):
                    self.check_reply(client.request("tools/call", {"name": tool["name"], "arguments": {member: value}}))
        for member in ("client_name", "client_uri", "logo_uri", "scope", "redirect_uris", "grant_types", "contacts"):
            for value in self.some(VALUES):
                self.ask("post", oauth.REGISTER, {"client_name": "Planner", "redirect_uris": [oauth.REDIRECT]} | {member: value})
        texts = [value.encode(errors="surrogatepass").decode(errors="replace") for value in TEXTS if len(value) < 2000]
        for path, parameter in self.list_parameters():
            for value in self.some(texts):
                answer = admin.get(path, **{parameter: value})
                self.assertLess(answer.status, 500, str(answer))
        for header in ("Idempotency-Key", "User-Agent", "X-Request-Id", "Service-Version", "If-Match", "Accept", "Accept-Language", "X-Forwarded-For"):
            for value in texts:
                if not set(value) & set("\r\n\0"):
                    answer = admin.send("PATCH", f"/api/staff/{self.staff}", {"notes": secrets.token_hex(4)}, {header: value.encode()})
                    self.assertLess(answer.status, 500, f"{header} {answer}")
        self.look_around()

    def check_reply(self, reply):
        """The answer of MCP tells of no failure of the service."""
        self.sent += 1
        self.assertLess(reply.status, 500, str(reply))
        self.assertNotIn("INTERNAL_ERROR", reply.text, str(reply))

    def list_parameters(self):
        """Each parameter of each list that names nothing in its path."""
        return [(path, parameter["name"]) for path, method, operation in rest.operations_of(self.description)
                if method == "get" and path.startswith("/api/") and "{" not in path
                for parameter in operation.get("parameters", []) if parameter.get("in") == "query"]

    def has_ended(self, run):
        return self.check(admin.get(f"/api/agent-runs/{run}"), 200)["status"] in ENDED

    def look_around(self):
        """All that was taken is folded and shown, and the same once more by a service that starts and a read model that is made anew."""
        print(f"{self.sent} bodies, {self.taken} taken")
        for _ in range(2):
            service.wait_projected()
            for path in [*self.makers, "/api/audit-log", "/api/agent-runs", "/api/notifications", "/api/approvals"]:
                scope = {"orgUnitId": service.demo["organizationId"]} if path == KEYS else {}
                for page in rest.pages(operator if scope else admin, path, limit=200, **scope):
                    json.dumps(page)
            self.assertEqual(service.faults(), [])
            service.stop()
            for client in (admin, operator):
                client.close()
            service.start()
        before, after = support.checksums_around_rebuild(service)
        self.assertEqual(before, after)


if __name__ == "__main__":
    unittest.main()
