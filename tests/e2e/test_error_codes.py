# Every error code that the service can give, by one request each, as the error table declares it: status, whether to retry, and
# what to do next. What leads to each of them else is with the suites of what gives it.

import http.client
import json
import re
import secrets
import socket
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import api_clients
import approvals
import mfa
import people
import receiver
import rest
import support

ABSENT = 9_000_000_000
USER_LIMIT = 5
REGISTRY = "/checks"  # where credentials are looked up
ENDED_VERSION = "2026-05-10"
OTHER_PERSON = "Pick another person (GET /api/staff/available) or override with permission."
BACK_OFF = "Wait Retry-After seconds, then back off with jitter."
# The error table, written by hand: status, whether the same request may succeed later, and the suggestion.
CODES = {
    "VALIDATION_ERROR": (400, False, "Fix the fields listed in details.fields and send again."),
    "INVALID_CURSOR": (400, False, "Start again without cursor and keep the same filters."),
    "UNSUPPORTED_VERSION": (400, False, "Use one of details.supported."),
    "FACILITY_REQUIRED": (400, False, "Pass facilityId."),
    "ORG_REQUIRED": (400, False, "Pass orgUnitId."),
    "UNAUTHENTICATED": (401, False, "Send a valid credential in Authorization: Bearer, or sign in."),
    "INVALID_API_KEY": (401, False, "Check the key value; create a new key if it was lost."),
    "INVALID_CREDENTIALS": (401, False, "Check user name and password."),
    "INSUFFICIENT_SCOPE": (403, False, "Use a credential with a scope that covers details.permission."),
    "FORBIDDEN": (403, False, "Ask an administrator for this permission."),
    "FACILITY_SCOPE_VIOLATION": (403, False, "Use a facility within the credential's scope."),
    "ORG_SCOPE_VIOLATION": (403, False, "Use an organization within the credential's scope."),
    "MCP_HOST_NOT_ALLOWED": (403, False, "Call the MCP host."),
    "CSRF_REJECTED": (403, False, "Call from the dashboard origin."),
    "RUN_AS_FORBIDDEN": (403, False, "Omit runAsUserId or ask an internal operator."),
    "SELF_APPROVAL_FORBIDDEN": (403, False, "Ask another authorised approver."),
    "NOT_FOUND": (404, False, "Check the id and the facility scope."),
    "METHOD_NOT_ALLOWED": (405, False, "See Allow."),
    "REQUEST_TIMEOUT": (408, True, "Send the body faster."),
    "IDEMPOTENCY_KEY_CONFLICT": (409, False, "Use a new Idempotency-Key for a different body."),
    "IDEMPOTENCY_IN_PROGRESS": (409, True, "Retry after Retry-After with the same key."),
    "ALREADY_RESOLVED": (409, False, "Read the approval; it has been decided."),
    "INVALID_STATE_TRANSITION": (409, False, "Read the resource; details.allowed lists possible commands."),
    "CONCURRENT_MODIFICATION": (409, True, "Read again and retry."),
    "DUPLICATE_RESOURCE": (409, False, "Update the existing record (details.existingId)."),
    "SHIFT_FULL": (409, False, "Raise requiredWorkers or unassign first."),
    "SHIFT_OVERSTAFFED": (409, False, "Raise requiredWorkers or unassign first."),
    "STAFF_DOUBLE_BOOKED": (409, False, OTHER_PERSON),
    "CREDENTIAL_INVALID": (409, False, OTHER_PERSON),
    "SPECIALTY_MISMATCH": (409, False, OTHER_PERSON),
    "STAFF_INACTIVE": (409, False, "Resolve the named dependency first."),
    "STAFF_HAS_FUTURE_SHIFTS": (409, False, "Resolve the named dependency first."),
    "FACILITY_IN_USE": (409, False, "Resolve the named dependency first."),
    "STAFF_ON_TIME_OFF": (409, False, OTHER_PERSON),
    "STAFF_UNAVAILABLE": (409, False, OTHER_PERSON),
    "CREDENTIAL_EXPIRED": (409, False, "Resolve the named dependency first."),
    "ALREADY_CLOCKED_IN": (409, False, "Clock out of the log in details.timesheetId first."),
    "TIMESHEET_OVERLAP": (409, False, "Change or void the log in details.timesheetId."),
    "TIMESHEET_EXISTS": (409, False, "Void the log in details.timesheetId first."),
    "TIMESHEET_LOCKED": (409, False, "Leave the logs in details.timesheetIds as they are, or free them of their payroll run first."),
    "PAYROLL_EMPTY": (409, False, "Give the run timesheets or adjustments first."),
    "PAYROLL_OVERLAP": (409, False, "Change or delete the draft in details.payrollRunId."),
    "APP_NOT_CONNECTED": (409, False, "Connect the app (POST /api/apps/{app}/connect)."),
    "LIMIT_REACHED": (409, False, "Remove what is not needed, or ask the operator for more."),
    "VERSION_SUNSET": (410, False, "Move to details.latest."),
    "CURSOR_EXPIRED": (410, False, "Go on with after=earliest; older events are in the log (`workforce replay --export`)."),
    "PRECONDITION_FAILED": (412, False, "Read the new ETag and retry."),
    "PAYLOAD_TOO_LARGE": (413, False, "Send less."),
    "URI_TOO_LONG": (414, False, "Send less."),
    "UNSUPPORTED_MEDIA_TYPE": (415, False, "Send the body as application/json in UTF-8."),  # what the route takes
    "MFA_REQUIRED": (401, False, "Send otp, the code that your program shows, or one for recovery."),
    "ACCOUNT_LOCKED": (423, True, "Wait 15 minutes or reset the password."),
    "HEADERS_TOO_LARGE": (431, False, "Send less."),
    "API_KEY_RATE_LIMITED": (429, True, BACK_OFF),
    "RATE_LIMITED": (429, True, BACK_OFF),
    "INTERNAL_ERROR": (500, True, "Retry with the same Idempotency-Key; quote requestId."),
    "UPSTREAM_ERROR": (502, True, "The provider failed; retry later."),
    "UPSTREAM_TIMEOUT": (504, True, "The provider failed; retry later."),
    "LOG_UNAVAILABLE": (503, True, "Retry after Retry-After."),
    "SERVICE_UNAVAILABLE": (503, True, "Retry after Retry-After."),
}
# The same of those that no route of this service gives.
LATER = {
    # Runs of agents: test_agents.py.
    "PLAN_INVALID": (400, False, "Send a plan, or give the agent one."),
    "AGENT_INACTIVE": (409, False, "Activate the agent."),
    "RUN_LIMIT_REACHED": (429, True, "Wait until a run of the agent has ended."),
    "GUARDRAIL_BLOCKED": (403, False, "Do without this call, or ask an administrator of the organization to change the guardrail."),
    "TIER_REQUIRED": (403, False, "Use a credential of a model whose tier is high enough."),  # calls of tools
    "NOT_ACCEPTABLE": (406, False, "Accept application/json."),  # answers in several types
    "LAST_SUPER_ADMIN": (409, False, "Resolve the named dependency first."),  # routes of users
    "REST_PERIOD_VIOLATION": (409, False, OTHER_PERSON),  # rules of rest
    "OVERTIME_EXCEEDED": (409, False, OTHER_PERSON),  # rules of overtime
    "READ_MODEL_BEHIND": (503, True, "Retry after Retry-After."),  # given where nobody folds: test_cluster.py
}


def setUpModule():
    global service, owner, operator, slow, registry
    postgres = unittest.enterModuleContext(support.Postgres())
    settings = {"WORKFORCE_LEAST_RATE_LIMIT": "0", "WORKFORCE_USER_RATE_LIMIT": str(USER_LIMIT),
                "WORKFORCE_WEBHOOK_SUBSCRIPTIONS": "1", "WORKFORCE_WEBHOOKS_ALLOW_INSECURE_TARGETS": "true",
                "WORKFORCE_VERSION_DEPRECATIONS": f"{ENDED_VERSION} 2024-01-01 2025-01-01"}
    registry = unittest.enterModuleContext(receiver.Receiver())
    secret = Path(unittest.enterModuleContext(tempfile.TemporaryDirectory())) / "registry.secret"
    secret.write_text(secrets.token_hex(16) + "\n", encoding="utf-8")
    secret.chmod(0o600)
    settings |= {"WORKFORCE_CREDENTIAL_REGISTRY": "http", "WORKFORCE_CREDENTIAL_REGISTRY_URL": registry.url(REGISTRY),
                 "WORKFORCE_CREDENTIAL_REGISTRY_SECRET_FILE": str(secret), "WORKFORCE_CREDENTIAL_REGISTRY_TIMEOUT_SECONDS": "1"}
    service = unittest.enterModuleContext(support.Service(postgres, environment=settings))
    owner = rest.client_of(service)
    operator = owner.with_key(service.command("token", "super.admin@platform.example.com").strip())
    # Its head is given up on while other things are asked.
    address = urlsplit(service.demo["baseUrl"])
    slow = unittest.enterModuleContext(socket.create_connection((address.hostname, address.port), timeout=60))
    slow.sendall(b"GET /api/staff HTTP/1.1\r\n")


def person(**fields):
    return {"firstName": "Err", "lastName": "Or", "email": f"{secrets.token_hex(6)}@example.test"} | fields


def made(path, body):
    answer = owner.post(path, body)
    assert answer.status == 201, str(answer)
    return f"{path}/{answer.body['id']}", answer.body


def staff(**fields):
    """The id of somebody new."""
    return made("/api/staff", person(**fields))[1]["id"]


def shift(people=(), **fields):
    """The path of a new shift; all of them are at one time."""
    return made("/api/shifts", {"facilityId": service.demo["facilityIds"][0], "title": "Error", "date": "2031-03-03",
                                "startTime": "08:00", "endTime": "16:00", "assignedStaffIds": list(people)} | fields)[0]


def twice(send):
    """The second answer."""
    send()
    return send()


def key_conflict():
    headers = {"Idempotency-Key": secrets.token_hex(8)}
    return twice(lambda: owner.post("/api/staff", person(), headers))


def cancelled_shift_started():
    where = shift()
    owner.post(f"{where}/cancel")
    return owner.post(f"{where}/start")


def mismatch():
    facility = made("/api/facilities", {"name": secrets.token_hex(8), "schedulingRules": {"specialtyMismatch": "block"}})[1]["id"]
    return owner.post(f"{shift(facilityId=facility, specialty='Cook')}/assign", {"staffId": staff()})


def without_credential():
    required = [{"specialty": "", "type": "license", "name": ""}]
    facility = made("/api/facilities", {"name": secrets.token_hex(8), "requiredCredentialTypes": required})[1]["id"]
    return owner.post(f"{shift(facilityId=facility)}/assign", {"staffId": staff()})


def on_time_off():
    somebody = staff()
    off = made("/api/time-off", {"staffId": somebody, "type": "sick", "startDate": "2031-03-03", "endDate": "2031-03-03"})[0]
    owner.post(f"{off}/approve")
    return owner.post(f"{shift()}/assign", {"staffId": somebody})


def unavailable():
    facility = made("/api/facilities", {"name": secrets.token_hex(8), "schedulingRules": {"unavailable": "block"}})[1]["id"]
    somebody = staff()
    owner.put(f"/api/staff/{somebody}/availability", {"blocks": [{"weekday": 1, "from": "08:00", "to": "12:00"}]})
    return owner.post(f"{shift(facilityId=facility)}/assign", {"staffId": somebody})


def credential(**fields):
    """The path of a new one."""
    return made("/api/credentials", {"staffId": staff(), "type": "license", "name": "Registered Nurse"} | fields)[0]


def verified_by(reply):
    """The answer to a check for which the registry has that reply."""
    registry.script(REGISTRY, reply)
    return owner.post(f"{credential()}/verify-external")


def clocked_in_twice():
    body = {"staffId": staff(), "facilityId": owner.get(shift()).body["facilityId"]}
    return twice(lambda: owner.post("/api/timesheets/clock-in", body))


def worked_twice():
    body = {"staffId": staff(), "facilityId": owner.get(shift()).body["facilityId"], "clockIn": "2025-01-06T08:00:00Z",
            "clockOut": "2025-01-06T16:00:00Z"}
    return twice(lambda: owner.post("/api/timesheets", body))


def unassigned_after_work():
    somebody = staff()
    where = shift([somebody])
    made("/api/timesheets", {"staffId": somebody, "shiftId": int(where.rsplit("/")[-1]), "clockIn": "2025-01-06T08:00:00Z",
                             "clockOut": "2025-01-06T16:00:00Z"})
    return owner.post(f"{where}/unassign", {"staffId": somebody})


def payroll_run(**fields):
    """What a draft for a day of January 2024 answers, at a facility of its own."""
    facility = made("/api/facilities", {"name": secrets.token_hex(8)})[1]["id"]
    return {"facilityId": facility, "periodStart": "2024-01-01", "periodEnd": "2024-01-01"} | fields


def paid_twice():
    somebody = staff()
    body = payroll_run()
    log = made("/api/timesheets", {"staffId": somebody, "facilityId": body["facilityId"], "clockIn": "2024-01-01T12:00:00Z",
                                   "clockOut": "2024-01-01T13:00:00Z"})[0]
    assert owner.post(f"{log}/approve").status == 200
    made("/api/payroll/runs", body)
    return owner.post(f"{log}/unapprove")


def nothing_to_pay():
    return owner.post(f"{made('/api/payroll/runs', payroll_run())[0]}/approve")


def drawn_up_twice():
    body = payroll_run()
    return twice(lambda: owner.post("/api/payroll/runs", body))


def own_time_approved():
    somebody = staff()
    manager = people.make_user(service, role="manager", staffId=somebody)
    log = made("/api/timesheets", {"staffId": somebody, "facilityId": owner.get(shift()).body["facilityId"],
                                   "clockIn": "2025-01-06T08:00:00Z", "clockOut": "2025-01-06T16:00:00Z"})[0]
    return owner.with_key(service.command("token", manager["email"]).strip()).post(f"{log}/approve")


def decided_twice():
    agent = approvals.Agent(service, ["staff:write", "agents:approve"])
    rest.wait_for_key(service, agent.id)
    id_ = agent.defer(staffId=staff())
    return twice(lambda: agent.rest.post(f"{approvals.LIST}/{id_}/reject"))
def run_by_another():
    builder = owner.with_key(rest.make_key(service, ["agents:manage"])[1])
    agent = builder.post("/api/agent-builder", {"name": "Error", "allowedTools": ["whoami"]}).body["id"]
    return builder.post(f"/api/agent-builder/{agent}/triggers",
                        {"name": "Error", "type": "schedule", "cron": "0 9 * * *", "runAsUserId": 1})


def inactive_assigned():
    somebody = staff()
    owner.delete(f"/api/staff/{somebody}")
    return owner.post(f"{shift()}/assign", {"staffId": somebody})


def disconnected():
    connection = f"/api/apps/connections/{owner.post('/api/apps/demo/connect').body['id']}"
    owner.delete(connection)
    return owner.post(f"{connection}/actions/demo.echo", {})


def rate_limited_key():
    made = json.loads(service.command("keys", "create", "--name", "errors", "--scopes", "staff:read", "--rate-limit", "1",
                                      "--organization", str(service.demo["organizationId"])))
    rest.wait_for_key(service, made["id"])
    client = owner.with_key(made["key"])
    return twice(lambda: client.get("/api/auth/me"))


def rate_limited_person():
    client = owner.with_key(service.command("token", "admin@demo.example.com").strip())
    return [client.get("/api/auth/me") for _ in range(1 + USER_LIMIT)][-1]


def sign_in(**headers):
    """With a password that nobody has."""
    return people.login(owner.with_key(None), "nobody@example.test", headers=headers)


def slow_head():
    response = http.client.HTTPResponse(slow)
    response.begin()
    return rest.Answer("a head that does not end", response)


def without_grant():
    service.expected_faults = {support.FAILED}
    service.postgres.psql("REVOKE SELECT ON read.lead FROM workforce_reader")
    try:
        return owner.get("/api/crm/leads")
    finally:
        service.postgres.psql("GRANT SELECT ON read.lead TO workforce_reader")


def while_the_log_is_locked(send, second):
    """What is sent twice while nothing can be appended: the first's answer, or the second's."""
    waiting = f"SELECT count(*) > 0 FROM pg_locks WHERE NOT granted AND relation = '{support.LOG_TABLE}'::regclass"
    holder = support.Session(service.postgres)
    holder.execute(f"BEGIN; LOCK TABLE {support.LOG_TABLE} IN EXCLUSIVE MODE")
    try:
        with ThreadPoolExecutor(1) as pool:
            first = pool.submit(send)
            support.wait_until(lambda: service.postgres.value(waiting) == "t", support.READY_SECONDS, "the first waits for the log")
            if second:
                answer = send()
                holder.execute("ROLLBACK")
            return answer if second else first.result()
    finally:
        holder.close()


def keyed_write():
    """Sends one write, under one idempotency key."""
    body, headers = person(), {"Idempotency-Key": secrets.token_hex(8)}
    return lambda: owner.post("/api/staff", body, headers)


def reset(**fields):
    return operator.send("POST", "/api/sandbox/reset", fields, orgUnitId=service.demo["organizationId"])


def sign_in_without_code():
    """By the right password of somebody who signs in with codes."""
    who = people.make_user(service)
    mfa.enrol(people.sign_in(service, who["email"]))
    return mfa.login(people.client_of(service), who["email"])


def without_the_database():
    service.postgres.kill9()
    return owner.get("/api/staff")


# What gives each, in this order: the last ends the service.
def old_cursor():
    """Goes on after an event that, as its row says, is just becoming too old."""
    begin = owner.get("/api/events", after="latest").body["nextAfter"]
    owner.post("/api/staff", person())
    service.wait_projected()
    service.postgres.psql("UPDATE read.event_tap SET occurred_at = now() - interval '30 days 59 minutes 52 seconds' WHERE type = 'staff.onboarded'")
    cursor = owner.get("/api/events", after=begin, types="staff.onboarded").body["data"][0]["cursor"]
    return support.wait_until(lambda: (answer := owner.get("/api/events", after=cursor)).status != 200 and answer, 30, "it is too old")


ASKED = {
    "VALIDATION_ERROR": lambda: owner.post("/api/staff", {}),
    "INVALID_CURSOR": lambda: owner.get("/api/staff", cursor="x"),
    "UNSUPPORTED_VERSION": lambda: owner.get("/api/staff", {"Service-Version": "2020-01-01"}),
    "FACILITY_REQUIRED": reset,
    "ORG_REQUIRED": lambda: owner.with_key(rest.make_key(service, ["*"], 1, everywhere=True)[1]).post("/api/staff", person()),
    "UNAUTHENTICATED": lambda: owner.with_key(None).get("/api/staff"),
    "INVALID_API_KEY": lambda: owner.with_key("svc_live_none").get("/api/staff"),
    "INVALID_CREDENTIALS": sign_in,
    "MFA_REQUIRED": sign_in_without_code,
    "ACCOUNT_LOCKED": lambda: [sign_in() for _ in range(6)][-1],
    "CSRF_REJECTED": lambda: sign_in(Origin="https://elsewhere.example"),
    "INSUFFICIENT_SCOPE": lambda: rest.client_of(service, "readOnly").post("/api/staff", person()),
    "FORBIDDEN": lambda: owner.with_key(service.command("token", "admin@demo.example.com").strip()).get("/api/api-keys"),
    "FACILITY_SCOPE_VIOLATION": lambda: owner.get("/api/shifts", facilityId=ABSENT),
    "ORG_SCOPE_VIOLATION": lambda: owner.get("/api/shifts", orgUnitId=1),
    "MCP_HOST_NOT_ALLOWED": lambda: owner.get("/mcp"),
    "NOT_FOUND": lambda: owner.get(f"/api/staff/{ABSENT}"),
    "METHOD_NOT_ALLOWED": lambda: owner.delete("/api/staff"),
    "VERSION_SUNSET": lambda: owner.get("/api/staff", {"Service-Version": ENDED_VERSION}),
    "CURSOR_EXPIRED": old_cursor,
    "IDEMPOTENCY_KEY_CONFLICT": key_conflict,
    "ALREADY_RESOLVED": decided_twice,
    "INVALID_STATE_TRANSITION": cancelled_shift_started,
    "DUPLICATE_RESOURCE": lambda: twice(lambda: owner.post("/api/staff", person(email="twice@example.test"))),
    "SHIFT_FULL": lambda: owner.post(f"{shift([staff()])}/assign", {"staffId": staff()}),
    "SHIFT_OVERSTAFFED": lambda: owner.patch(shift([staff(), staff()], requiredWorkers=2), {"requiredWorkers": 1}),
    "STAFF_DOUBLE_BOOKED": lambda: twice(lambda who=staff(): owner.post(f"{shift()}/assign", {"staffId": who})),
    "STAFF_ON_TIME_OFF": on_time_off,
    "STAFF_UNAVAILABLE": unavailable,
    "CREDENTIAL_INVALID": without_credential,
    "SPECIALTY_MISMATCH": mismatch,
    "STAFF_INACTIVE": inactive_assigned,
    "STAFF_HAS_FUTURE_SHIFTS": lambda: owner.delete(f"/api/staff/{owner.get(shift([staff()])).body['assignedStaffIds'][0]}"),
    "FACILITY_IN_USE": lambda: owner.delete(f"/api/facilities/{owner.get(shift()).body['facilityId']}"),
    "RUN_AS_FORBIDDEN": run_by_another,
    "APP_NOT_CONNECTED": disconnected,
    "LIMIT_REACHED": lambda: twice(lambda: owner.post("/api/webhooks", {"name": "E", "url": "http://127.0.0.1:9/", "events": ["test"]})),
    "CREDENTIAL_EXPIRED": lambda: owner.post(f"{credential(expiresOn='2024-01-01')}/verify"),
    "ALREADY_CLOCKED_IN": clocked_in_twice,
    "TIMESHEET_OVERLAP": worked_twice,
    "TIMESHEET_EXISTS": unassigned_after_work,
    "TIMESHEET_LOCKED": paid_twice,
    "PAYROLL_EMPTY": nothing_to_pay,
    "PAYROLL_OVERLAP": drawn_up_twice,
    "SELF_APPROVAL_FORBIDDEN": own_time_approved,
    "PRECONDITION_FAILED": lambda: owner.patch(shift(), {}, {"If-Match": '"900"'}),
    "PAYLOAD_TOO_LARGE": lambda: owner.send("POST", "/api/staff", raw=b" " * (300 << 10)),
    "URI_TOO_LONG": lambda: owner.get("/api/staff", q="x" * (9 << 10)),
    "UNSUPPORTED_MEDIA_TYPE": lambda: owner.post("/api/staff", person(), {"Content-Type": "text/plain"}),
    "HEADERS_TOO_LARGE": lambda: owner.get("/api/staff", {"X-Filler": "x" * (17 << 10)}),
    "API_KEY_RATE_LIMITED": rate_limited_key,
    "RATE_LIMITED": rate_limited_person,
    "UPSTREAM_ERROR": lambda: verified_by(receiver.CUT),
    "UPSTREAM_TIMEOUT": lambda: verified_by(receiver.SLOW),
    "INTERNAL_ERROR": without_grant,
    "IDEMPOTENCY_IN_PROGRESS": lambda: while_the_log_is_locked(keyed_write(), True),
    "LOG_UNAVAILABLE": lambda: while_the_log_is_locked(keyed_write(), False),
    "CONCURRENT_MODIFICATION": lambda: while_the_log_is_locked(
        lambda: reset(facilityId=service.demo["facilityIds"][0]), True),
    "REQUEST_TIMEOUT": slow_head,
    "SERVICE_UNAVAILABLE": without_the_database,
}


class ErrorCodesTest(rest.RestCase):

    def test_the_table_has_every_code(self):
        header = (support.PROJECT_ROOT / "core" / "result.hpp").read_text(encoding="utf-8")
        names = re.findall(r"^    (\w+),", re.search(r"enum class Code [^{]*\{(.*?)\};", header, re.S)[1], re.M)
        names.remove("already_resolved_in_app")  # the same name, with the status of another route: test_approvals.py
        self.assertEqual({name.upper() for name in names} - set(LATER), set(CODES))
        self.assertEqual(set(CODES), set(ASKED))

    def test_what_no_route_gives_is_declared(self):
        source = (support.PROJECT_ROOT / "core" / "result.cpp").read_text(encoding="utf-8")
        texts = dict(re.findall(r'std::string_view (k\w+) =\s+"([^"]*)";', source))
        declared = {name: (int(status), retryable == "true", texts.get(suggestion) or suggestion.strip('"'))
                    for status, name, retryable, suggestion in
                    re.findall(r'{Code::\w+, (\d+), "(\w+)", (true|false),\s+(k\w+|"[^"]*")}', source)}
        self.assertEqual({name: declared.get(name) for name in LATER}, LATER)

    def test_each_is_given_as_declared(self):
        answers = []
        for code, ask in ASKED.items():
            with self.subTest(code=code):
                status, retryable, suggestion = CODES[code]
                answer = ask()
                answers.append(("", "", answer))
                self.assertEqual((answer.status, answer.code), (status, code), str(answer))
                error = answer.body["error"]
                self.assertEqual((error["retryable"], error["suggestion"]), (retryable, suggestion))
                self.assertEqual(rest.absent_details(error), [], str(answer))
                self.assertEqual(answer.body["requestId"], answer.headers["X-Request-Id"])
                self.assertRegex(answer.body["requestId"], "^req_[0-9a-f-]{36}$")
        self.assertEqual(api_clients.faults(answers), "", "the Python client reads them")


if __name__ == "__main__":
    unittest.main()
