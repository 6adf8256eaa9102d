# The billing meter: each outcome is billed once by whichever meter is configured, whatever is killed or cut off when, and operators
# see and decide what is not.

import json
import secrets
import time
import unittest
from urllib.parse import parse_qs

import cloudevents.core.formats.json
import people
import receiver
import rest
import support

PATH, SECRET = "/meter", "meter-secret-0123456789"
OUTBOX = "/api/billing/outbox"
BILLED_SECONDS = 60
ROUNDS = 8 if support.LONG else 1  # of kills at any moment
DUPLICATE = b'{"error":{"code":"duplicate_meter_event","message":"An event already exists with identifier"}}'
KNOWN = b'{"status":422,"code":"validation_errors","error_details":{"transaction_id":["value_already_exist"]}}'
service = owner = operator = meter = None
customer = "cus_Ä & \"quoted\""


def stripe(request):
    """The events of a request, each (identifier, name, subject), as the meter's description has them."""
    assert request.headers["Content-Type"] == "application/x-www-form-urlencoded"
    fields = {name: value for name, (value,) in parse_qs(request.body.decode("ascii"), strict_parsing=True).items()}
    assert set(fields) == {"event_name", "identifier", "timestamp", "payload[stripe_customer_id]", "payload[value]"}, fields
    assert fields["payload[value]"] == "1" and abs(int(fields["timestamp"]) - time.time()) < 3600, fields
    return [(fields["identifier"], fields["event_name"], fields["payload[stripe_customer_id]"])]


def openmeter(request):
    assert request.headers["Content-Type"] == "application/cloudevents-batch+json"
    reader, found = cloudevents.core.formats.json.JSONFormat(), []
    for each in json.loads(request.body):
        event = reader.read(None, json.dumps(each))  # checks what the attributes may be
        assert event.get_source().startswith("urn:workforce:") and event.get_data()["value"] == "1", each
        assert abs(event.get_time().timestamp() - time.time()) < 3600, each
        found.append((event.get_id(), event.get_type(), event.get_subject()))
    return found


def lago(request):
    assert request.headers["Content-Type"] == "application/json"
    events = json.loads(request.body)["events"]
    for each in events:
        assert set(each) == {"transaction_id", "external_subscription_id", "code", "timestamp", "properties"}, each
        assert each["properties"] == {"value": "1"} and abs(each["timestamp"] - time.time()) < 3600, each
    return [(each["transaction_id"], each["code"], each["external_subscription_id"]) for each in events]


class Meter(receiver.Receiver):
    """A meter of that wire format: it takes what it does not know, and answers as its kind does to what it knows. `harms` are what
    goes wrong with the next requests: "refuse" (it takes nothing), "cut" (it takes, and its answer is cut off), "hang" (it takes,
    and does not answer), "late" (as "refuse", and 20 hours have passed meanwhile). A request that is none shows in `faults`."""

    def __init__(self):
        super().__init__()
        self.read, self.taken, self.seen, self.harms, self.faults = stripe, {}, [], [], []

    def take(self, request):
        super().take(request)
        try:
            assert request.method == "POST" and request.path == PATH, request
            assert request.headers["Authorization"] == f"Bearer {SECRET}", request.headers
            events = self.read(request)
            assert events, request.body
        except Exception as fault:  # pylint: disable=broad-exception-caught
            self.faults.append(f"{fault!r}")
            return receiver.Reply(400, b"{}")
        with self._lock:
            self.seen.append([identifier for identifier, *_ in events])
            harm = self.harms.pop(0) if self.harms else ""
            if harm == "late":
                self.make_late(events)
            if harm in ("refuse", "late"):
                return receiver.Reply(500, b"out of order")
            if self.read is not openmeter and any(identifier in self.taken for identifier, *_ in events):
                return receiver.Reply(400, DUPLICATE) if self.read is stripe else receiver.Reply(422, KNOWN)
            self.taken |= {identifier: (name, subject) for identifier, name, subject in events if identifier not in self.taken}
        return {"cut": receiver.Reply(200, b"{" + b" " * 1000 + b"}", cut=True), "hang": receiver.SLOW}.get(harm, receiver.Reply(200, b"{}"))

    @staticmethod
    def make_late(events):
        ids = ", ".join(f"'{identifier}'" for identifier, *_ in events)
        service.postgres.psql(f"UPDATE ops.billing_outbox SET first_sent_at = now() - interval '21 hours' WHERE identifier IN ({ids})")


def setUpModule():
    global service, owner, operator, meter
    meter = unittest.enterModuleContext(Meter())
    service = rest.start_service()
    secret = service.directory / "meter.secret"
    secret.touch(0o600)
    secret.write_text(SECRET + "\n", encoding="ascii")
    service.env |= {"WORKFORCE_BILLING_URL": meter.url(PATH), "WORKFORCE_BILLING_SECRET_FILE": str(secret)}
    owner, operator = rest.client_of(service), people.operator_of(service)
    bill_to(customer)
    service.stop()


def bill_to(subject):
    answer = operator.patch(f"/api/organizations/{service.demo['organizationId']}", {"billingCustomerRef": subject})
    assert answer.status == 200, str(answer)


def start():
    """The service, to which connections are new then."""
    service.start_at_once()
    owner.close()
    operator.close()


def qualified():
    """A lead that becomes so; the request's id."""
    made = owner.post("/api/crm/leads", {"name": secrets.token_hex(4)})
    assert made.status == 201, str(made)
    answer = owner.patch(made.headers["Location"], {"status": "qualified"})
    assert answer.status == 200, str(answer)
    return answer.headers["X-Request-Id"]


def verified():
    """A credential that is verified; the request's id."""
    staff = owner.post("/api/staff", {"firstName": "Me", "lastName": "Ter", "email": f"{secrets.token_hex(8)}@example.test"}).body["id"]
    held = owner.post("/api/credentials", {"staffId": staff, "type": "license", "name": "RN"}).body["id"]
    answer = owner.post(f"/api/credentials/{held}/verify")
    assert answer.status == 200, str(answer)
    return answer.headers["X-Request-Id"]


def standing(request):
    """How the bill of a request stands, and after how many attempts; ("", 0) where there is none yet."""
    rows = service.postgres.psql(f"SELECT status, attempts FROM ops.billing_outbox WHERE request_id = '{request}'")
    return (rows[0][0], int(rows[0][1])) if rows else ("", 0)


def hurry():
    """As if the pauses between attempts, and leases of processes that were killed, were over."""
    service.postgres.psql("UPDATE ops.billing_outbox SET due_at = now() WHERE status = 'pending'")


def wait_for(request, status="sent"):
    def stands():
        hurry()
        return standing(request)[0] == status
    support.wait_until(stands, BILLED_SECONDS, f"the bill of {request} is {status}")


class BillingCase(rest.RestCase):

    def start(self, kind, read):
        """The service with a meter of its kind, which knows nothing."""
        meter.read, meter.taken, meter.seen, meter.harms, meter.faults = read, {}, [], [], []
        service.env["WORKFORCE_BILLING_METER"] = kind
        start()
        self.addCleanup(lambda: service.running and service.stop())
        self.addCleanup(lambda: self.assertEqual(meter.faults, []))


class MeterTest(BillingCase):
    """Wire formats and failures, for each meter."""

    def check_meter(self, kind, read):
        self.start(kind, read)
        first, second = qualified(), verified()
        for request, outcome in ((first, "lead_qualified"), (second, "credential_verified")):
            wait_for(request)
            self.assertEqual(meter.taken[f"ur_{request}"], (outcome, customer))
        # Cut off at every step: refused, taken with the answer cut, taken by a process that is killed before it hears so.
        meter.harms = ["refuse", "cut", "refuse", "cut", "cut"]
        harmed = [qualified() for _ in range(3)]
        for request in harmed:
            wait_for(request)
            self.assertIn(f"ur_{request}", meter.taken)
        meter.harms = ["hang"]
        held = verified()
        support.wait_until(lambda: f"ur_{held}" in meter.taken, BILLED_SECONDS, "the meter has it")
        service.kill9()
        self.assertEqual(standing(held)[0], "pending")
        start()
        wait_for(held)
        self.assertGreaterEqual(sum(f"ur_{held}" in request for request in meter.seen), 2, "it was sent once more, as the same")
        # Killed whenever it happens.
        asked = []
        for _ in range(ROUNDS):
            asked += [qualified(), verified()]
            time.sleep(secrets.randbelow(600) / 1000)
            service.kill9()
            start()
        for request in asked:
            wait_for(request)
        self.assertEqual(set(meter.taken), {f"ur_{request}" for request in (first, second, held, *harmed, *asked)})

    def test_stripe(self):
        self.check_meter("stripe", stripe)

    def test_cloudevents(self):
        self.check_meter("cloudevents", openmeter)

    def test_lago(self):
        self.check_meter("lago", lago)

    def test_none_keeps_rows(self):
        self.start("none", stripe)
        request = qualified()
        support.wait_until(lambda: standing(request)[0], BILLED_SECONDS, "there is a row")
        self.assertEqual(standing(request), ("pending", 0))
        self.assertEqual(meter.seen, [])
        old = qualified()
        support.wait_until(lambda: standing(old)[0], BILLED_SECONDS, "there is a row")
        # A meter that comes later hears of what happened just now; of what is older operators decide.
        service.postgres.psql("UPDATE ops.billing_outbox SET occurred_at = occurred_at - interval '21 hours' "
                              f"WHERE request_id = '{old}'")
        service.stop()
        self.start("stripe", stripe)
        wait_for(request)
        wait_for(old, "held")
        self.assertNotIn(f"ur_{old}", meter.taken)
        row = json.loads(service.command("billing", "list", "--json", "--status", "held"))["bills"][0]
        service.postgres.psql("UPDATE ops.billing_outbox SET occurred_at = now() - interval '30 minutes' WHERE status = 'held'")
        service.command("billing", "resend", str(row["id"]))
        wait_for(old)


class OperatorTest(BillingCase):
    """What does not leave by itself."""

    def listed(self, status):
        return {each["identifier"]: each for each in json.loads(service.command("billing", "list", "--json", "--status", status))["bills"]}

    def test_dead_rows_wait_for_operators(self):
        self.start("stripe", stripe)
        meter.harms = ["refuse"] * 1000
        again, dropped = qualified(), qualified()
        for request in (again, dropped):
            support.wait_until(lambda of=request: standing(of)[1] > 0, BILLED_SECONDS, "it is tried")
        meter.harms = ["late"] * 1000
        for request in (again, dropped):
            wait_for(request, "dead")
        support.wait_until(lambda: service.metrics().get("workforce_billing_reports_total", 0) > 0, BILLED_SECONDS, "it is counted")
        dead = self.listed("dead")
        self.assertLessEqual({f"ur_{again}", f"ur_{dropped}"}, set(dead))
        self.assertIn("500", dead[f"ur_{again}"]["lastError"])
        shown = self.check(operator.get(OUTBOX, status="dead", limit=200), 200)["data"]
        self.assertLessEqual({f"ur_{again}", f"ur_{dropped}"}, {row["identifier"] for row in shown})
        meter.harms = []
        service.command("billing", "resend", str(dead[f"ur_{again}"]["id"]))
        wait_for(again)
        self.assertIn("1", service.command("billing", "drop", str(dead[f"ur_{dropped}"]["id"])))
        self.assertEqual(standing(dropped)[0], "")
        self.assertNotIn(f"ur_{dropped}", meter.taken)
        # What was sent is nobody's to send again.
        sent = self.listed("sent")[f"ur_{again}"]["id"]
        self.assertIn("0", service.command("billing", "resend", str(sent)))

    def test_without_a_customer_nobody_is_billed_until_there_is_one(self):
        self.start("lago", lago)
        bill_to(None)
        self.addCleanup(bill_to, customer)
        request = qualified()
        wait_for(request, "no_subject")
        row = self.listed("no_subject")[f"ur_{request}"]["id"]
        self.assertIn("0", service.command("billing", "resend", str(row)), "there is still nobody")
        bill_to("cus_new")
        service.wait_projected()
        support.wait_until(lambda: "1" in service.command("billing", "resend", str(row)), BILLED_SECONDS, "the reactor knows the customer")
        wait_for(request)
        self.assertEqual(meter.taken[f"ur_{request}"], ("lead_qualified", "cus_new"))

    def test_a_pause_holds_them(self):
        self.start("cloudevents", openmeter)
        meter.harms = ["refuse"] * 1000
        request = qualified()
        support.wait_until(lambda: standing(request)[1] > 0, BILLED_SECONDS, "it is tried")
        service.command("reactors", "pause", "usage", "--reason", "a test")
        self.addCleanup(lambda: service.running and service.command("reactors", "resume"))
        before = standing(request)
        meter.harms = []
        hurry()
        time.sleep(2)  # in which it would have left
        self.assertEqual(standing(request)[0], "pending", before)
        service.command("reactors", "resume")
        wait_for(request)

    def test_configuration_is_checked(self):
        for changes, fault in (({"WORKFORCE_BILLING_METER": "paper"}, "billing_meter"),
                               ({"WORKFORCE_BILLING_METER": "stripe", "WORKFORCE_BILLING_SECRET_FILE": ""}, "billing_secret_file"),
                               ({"WORKFORCE_BILLING_METER": "cloudevents", "WORKFORCE_BILLING_URL": ""}, "billing_url"),
                               ({"WORKFORCE_BILLING_METER": "stripe", "WORKFORCE_BILLING_URL": "http://me:pw@127.0.0.1/"}, "billing_url")):
            with self.subTest(changes=changes), self.assertRaisesRegex(AssertionError, fault):
                support.run([support.binary(), "serve"], env=service.env | changes)
