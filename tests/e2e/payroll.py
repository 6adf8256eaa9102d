# What the suites of payroll share: a provider on loopback that pays each key once and can be told to misbehave, reports that it signs,
# and runs of people who worked.

import base64
import datetime
import hashlib
import hmac
import itertools
import json
import secrets
import threading
import time
import urllib.error
import urllib.request

import standardwebhooks

import receiver
import rest
import support
from receiver import Reply

RUNS, PAYMENTS, TIMESHEETS, STAFF = "/api/payroll/runs", "/api/payroll/payments", "/api/timesheets", "/api/staff"
CALLBACK = "/internal/payroll/callback"
WAIT_SECONDS = 60
FINAL = {"paid", "partially_paid", "failed", "cancelled"}


def new_secret():
    return "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode()


def accepted(external):
    return Reply(200, json.dumps({"externalPayrollId": external}).encode())


def refused(reason, status=422):
    return Reply(status, json.dumps({"reason": reason}).encode())


class Provider(receiver.Receiver):
    """Takes runs at /payroll. Idempotent by key, as a provider has to be: what it pays for a key it pays once. `misbehave` has
    functions of (provider, request, answer), of which each is used for one submission: they give the answer that is sent, None for
    the true one."""

    PATH = "/payroll"

    def __init__(self, secret=None):
        super().__init__()
        self.secret = secret or new_secret()
        self.misbehave = []
        self.refusals = {}  # run: reason, for all of its attempts
        self.reports = {}  # what GET answers, by external id
        self.polls = {}  # replies by external id that GET answers first
        self.searches = {}  # replies by key that questions for it get first
        self.cancels = {}  # Reply by external id: 409 is true, others lose the answer; runs that are not there are taken back
        self.keys = {}  # external id by key: what was paid, once each
        self.submissions = []  # (key, body) of all requests, repeats included
        self.unsigned = []
        self._numbers = itertools.count(1)
        self._state = threading.Lock()

    def take(self, request):
        super().take(request)
        if not self._is_signed(request):
            self.unsigned.append(request)
            return Reply(401)
        _, _, below = request.path.partition(self.PATH)
        if below.startswith("?key="):
            return self._found(below.removeprefix("?key="))
        if request.method == "GET":
            return self._told(below.strip("/"))
        if below.endswith("/cancel"):
            external = below.split("/")[1]
            answer = self.cancels.get(external, Reply(200, b'{"status":"cancelled"}'))
            if answer.status != 409:
                with self._state:
                    self.reports.setdefault(external, {})["status"] = "cancelled"
            return answer
        return self._submitted(request)

    def _is_signed(self, request):
        """By the reference implementation, which takes JSON alone: of a GET, which has no body, as sign() does."""
        fields = {name.lower(): value for name, value in request.headers.items()}
        if not request.body:
            return sign(self.secret, b"", fields["webhook-id"], fields["webhook-timestamp"]) == fields["webhook-signature"]
        try:
            standardwebhooks.Webhook(self.secret).verify(request.body, fields)
        except standardwebhooks.WebhookVerificationError:
            return False
        return True

    def _told(self, external):
        with self._state:
            if wrong := self.polls.get(external):
                return wrong.pop(0)
            known = external in self.keys.values()
            report = {"externalPayrollId": external, "status": "processing", "payments": []} | self.reports.get(external, {})
        return Reply(200 if known else 404, json.dumps(report).encode())

    def _found(self, key):
        with self._state:
            if wrong := self.searches.get(key):
                return wrong.pop(0)
            external = self.keys.get(key)
        return accepted(external) if external else Reply(404)

    def _submitted(self, request):
        body, key = json.loads(request.body), request.headers["Idempotency-Key"]
        with self._state:
            self.submissions.append((key, body))
            wrong = self.misbehave.pop(0) if self.misbehave else None
            if reason := self.refusals.get(body["payrollRunId"]):
                answer = refused(reason)
            else:
                if key not in self.keys:
                    self.keys[key] = f"ext_{next(self._numbers)}_{secrets.token_hex(4)}"
                answer = accepted(self.keys[key])
        return wrong(self, request, answer) or answer if wrong else answer

    def submitted(self, run):
        """What came of the run, in order: (key, body)."""
        with self._state:
            return [(key, body) for key, body in self.submissions if body["payrollRunId"] == run["id"]]

    def paid_keys(self, run):
        """The keys for which it pays the run."""
        with self._state:
            return [key for key in self.keys if key.startswith(f"pr_{run['id']}_")]

    def external(self, run, attempt=1):
        return self.keys[f"pr_{run['id']}_{attempt}"]

    def report_of(self, run, attempt=1, fail=(), status=None, some=None):
        """That all payments of the run were made (or `some` of them), but for those of the people `fail`."""
        _, body = next(each for each in self.submitted(run) if each[0] == f"pr_{run['id']}_{attempt}")
        payments = [{"paymentId": each["paymentId"], "status": "failed", "failureReason": "The account is closed."}
                    if each["staffId"] in fail else
                    {"paymentId": each["paymentId"], "status": "paid", "externalPaymentId": f"pay_{each['paymentId']}"}
                    for each in body["payments"][:some]]
        lost = sum(each["status"] == "failed" for each in payments)
        status = status or ("paid" if lost == 0 else "failed" if lost == len(payments) else "partially_paid")
        return {"externalPayrollId": self.external(run, attempt), "status": status, "payments": payments}

    def settings(self, directory):
        """The environment of a service that has its live runs paid here."""
        file = directory / "payroll.secret"
        file.touch(0o600)
        file.write_text(self.secret + "\n", encoding="ascii")
        return {"WORKFORCE_PAYROLL_PROVIDER": "http", "WORKFORCE_PAYROLL_HTTP_URL": self.url(self.PATH),
                "WORKFORCE_PAYROLL_HTTP_SECRET_FILE": str(file)}


def sign(secret, body, message, at):
    key = base64.b64decode(secret.removeprefix("whsec_"))
    text = f"{message}.{int(at)}.".encode() + body
    return "v1," + base64.b64encode(hmac.new(key, text, hashlib.sha256).digest()).decode()


def call_back(admin_url, secret, report, message=None, at=None, raw=None, headers=None):
    """Sends a report as a provider does; returns status and text of the answer."""
    body = json.dumps(report).encode() if raw is None else raw
    message, at = message or f"msg_{secrets.token_hex(8)}", at or time.time()
    fields = {"webhook-id": message, "webhook-timestamp": str(int(at)), "webhook-signature": sign(secret, body, message, at),
              "Content-Type": "application/json"} | (headers or {})
    asked = urllib.request.Request(admin_url + CALLBACK, body, fields, method="POST")
    try:
        with urllib.request.urlopen(asked, timeout=30) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as refusal:
        return refusal.code, refusal.read().decode()


class PayrollCase(rest.RestCase):
    """Of a class that has `owner`, a client with the customer administrator's key, and `facility`."""

    owner = facility = None
    _days = itertools.count(0)

    def hire(self, email=None, rate=20, client=None):
        return self.check((client or self.owner).post(STAFF, {
            "firstName": "Ada", "lastName": "Byron", "facilityIds": [self.facility], "hourlyRate": rate,
            "email": email or f"{secrets.token_hex(8)}@example.test"}), 201)["id"]

    def worked(self, person, day, hours=8, client=None):
        """An approved log of that many hours of the day."""
        client = client or self.owner
        begins = datetime.datetime.combine(day, datetime.time(8), datetime.timezone.utc)
        made = self.check(client.post(TIMESHEETS, {
            "staffId": person, "facilityId": self.facility, "clockIn": begins.isoformat(),
            "clockOut": (begins + datetime.timedelta(hours=hours)).isoformat()}), 201)
        return self.check(client.post(f"{TIMESHEETS}/{made['id']}/approve"), 200)

    def draft(self, people=2, emails=(), client=None, **fields):
        """A draft that pays new people for a day's work each."""
        day = datetime.date(2026, 1, 5) + datetime.timedelta(days=next(self._days))
        hired = [self.hire(email, client=client) for email in [*emails, *[None] * (people - len(emails))]]
        logs = [self.worked(person, day, client=client)["id"] for person in hired]
        made = self.check((client or self.owner).post(RUNS, {
            "periodStart": str(day), "periodEnd": str(day), "type": "off_cycle", "timesheetIds": logs} | fields), 201)
        return made | {"people": hired, "logs": logs}

    def approve(self, run, status=200, client=None, **headers):
        return self.check((client or self.owner).post(f"{RUNS}/{run['id']}/approve", headers=headers), status)

    def run_of(self, run, client=None):
        return self.check((client or self.owner).get(f"{RUNS}/{run['id']}"), 200)

    def until(self, run, status, client=None):
        """The run, once it has the status."""
        return support.wait_until(lambda: (found := self.run_of(run, client))["status"] == status and found, WAIT_SECONDS,
                                  f"run {run['id']} is {status}")

    def payments(self, run, client=None):
        return [each for page in rest.pages(client or self.owner, PAYMENTS, payrollRunId=run["id"]) for each in page]

    def until_paid(self, run, count):
        """So many of its payments are paid."""
        support.wait_until(lambda: [each["status"] for each in self.payments(run)].count("paid") == count, WAIT_SECONDS,
                           f"{count} payments of run {run['id']} are paid")

    def check_logs(self, run, statuses, client=None):
        """Its timesheets come to have these statuses, in order: each read model follows the log by itself."""
        def found():
            return [self.check((client or self.owner).get(f"{TIMESHEETS}/{log}"), 200)["status"] for log in run["logs"]]
        support.wait_until(lambda: found() == statuses, WAIT_SECONDS, f"the logs of run {run['id']} are {statuses}")

    def types_of(self, service, run):
        """The types of the run's events, in order."""
        return [kind.removeprefix("payroll_run.") for kind in support.logged_types(service, f"payroll_run/{run['id']}")]
