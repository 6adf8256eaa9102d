# What the suites of webhooks share: a service that may send to loopback, a receiver, causes of events, and the checks of what
# arrives, by other people's code and by five lines of our own.

import base64
import datetime
import hashlib
import hmac
import json
import secrets
import subprocess
import tempfile
import unittest
from pathlib import Path

import standardwebhooks

import receiver
import rest
import support

WEBHOOKS = "/api/webhooks"
ADMIN, VIEWER = "admin@demo.example.com", "viewer@demo.example.com"
TYPES = ["shift_posted", "shift_filled", "credential_expired", "timesheet_approved", "lead_qualified", "payroll_completed",
         "staff_onboarded", "agent_run.pending_approval", "agent_run.completed", "agent_run.failed"]
SENT_SECONDS = 60
DELAYS = [30, 120, 900, 3600, 21_600]  # from a failed attempt to the next one
# The fields of a subscription and of an attempt, as the API has them.
FIELDS = {"id", "organizationId", "name", "url", "events", "facilityId", "isActive", "metadata", "secretRotation", "createdBy",
          "effectiveEvents", "consecutiveFailures", "lastDeliveryAt", "createdAt", "updatedAt"}
ATTEMPT_FIELDS = {"id", "webhookId", "eventId", "eventType", "attempt", "trigger", "status", "statusCode", "responseBody",
                  "responseTruncated", "error", "durationMs", "nextRetryAt", "attemptedAt", "createdAt"}


def settings(authority=None):
    """The environment of a service that may send to this machine, and trusts that authority besides."""
    own = {} if authority is None else {"WORKFORCE_WEBHOOKS_CA_FILE": str(authority.file)}
    return {"WORKFORCE_WEBHOOKS_ALLOW_INSECURE_TARGETS": "true"} | own


MANY = {"WORKFORCE_WEBHOOK_SUBSCRIPTIONS": "10000", "WORKFORCE_CREATOR_WEBHOOK_SUBSCRIPTIONS": "10000"}  # where tests make more


def start():
    """For setUpModule: a service, a receiver, and an authority that the service trusts."""
    directory = Path(unittest.enterModuleContext(tempfile.TemporaryDirectory()))
    authority = receiver.Authority(directory)
    receiving = unittest.enterModuleContext(receiver.Receiver())
    postgres = unittest.enterModuleContext(support.Postgres())
    service = unittest.enterModuleContext(support.Service(postgres, environment=settings(authority)))
    return service, receiving, authority


def signature(secret, body):
    """As the specification says it: the secret as it was shown is the key."""
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def standard_accepts(secret, request):
    """Whether the stock library of standardwebhooks.com verifies the request."""
    try:
        standardwebhooks.Webhook(secret).verify(request.body, {name.lower(): value for name, value in request.headers.items()})
    except standardwebhooks.WebhookVerificationError:
        return False
    return True


def svix_tells(asked):
    """What npm's svix, in a Node, says of (secret, headers, body): the id that it verified, or None. It knows the signature of
    Standard Webhooks alone, by the names of its fields here; the specification's own is nobody else's."""
    lines = [json.dumps({"secret": secret, "headers": {name.lower(): value for name, value in headers.items()},
                         "body": base64.b64encode(body).decode()}) for secret, headers, body in asked]
    node, svix = support.PROJECT_ROOT / "scripts/node", support.PROJECT_ROOT / "tests/svix"
    told = subprocess.run([node, "--packages", svix, svix / "verify.cjs"], input="\n".join(lines), capture_output=True, text=True,
                          check=True, timeout=300).stdout.splitlines()
    words = [line.split(" ", 1) for line in told]
    assert len(words) == len(asked) and {word for word, _ in words} <= {"verified", "refused"}, told
    return [text if word == "verified" else None for word, text in words]


def moment(text):
    return datetime.datetime.fromisoformat(text)


class WebhookCase(rest.RestCase):
    """Of a class that has `service`, `receiving` and `owner`, a client with the customer administrator's key."""

    service = receiving = owner = None

    @property
    def facilities(self):
        return self.service.demo["facilityIds"]

    @property
    def customer(self):
        return self.service.demo["organizationId"]

    def keyed(self, scopes, **how):
        """A client with a new key behind which nobody stands."""
        return self.owner.with_key(rest.make_key(self.service, scopes, **how)[1])

    def person(self, email):
        return self.owner.with_key(self.service.command("token", email).strip())

    def subscribe(self, client=None, path=None, headers=None, **fields):
        """A new subscription, to everything and at a path of its own unless said otherwise; `hook["path"]` is that."""
        path = path or f"/{secrets.token_hex(6)}"
        body = {"name": "suite", "url": self.receiving.url(path), "events": ["*"]} | fields
        made = self.check((client or self.owner).post(WEBHOOKS, body, headers), 201)
        self.addCleanup(self.unsubscribe, made)  # others have no part in its failures
        (client or self.owner).get(where(made))  # once it is folded, what changes it finds it
        return made | {"path": path}

    def unsubscribe(self, hook):
        """Deletes it, unless it is deleted. What was killed a moment ago may refuse that for now."""
        refused = []
        support.wait_until(lambda: refused.append(self.owner.delete(where(hook))) or refused[-1].status in (204, 404),
                           support.READY_SECONDS, "the subscription is deleted")
        for answer in refused[:-1]:
            print(f"deletion was refused: {answer}")

    def post_shift(self, client=None, facility=None, **fields):
        body = {"facilityId": facility or self.facilities[0], "title": f"Shift {secrets.token_hex(4)}", "date": "2031-03-03",
                "startTime": "08:00", "endTime": "16:00"} | fields
        return self.check((client or self.owner).post("/api/shifts", body), 201)

    def onboard(self, client=None, **fields):
        body = {"firstName": "Ada", "lastName": "Hook", "email": f"{secrets.token_hex(6)}@hooks.example.test"} | fields
        return self.check((client or self.owner).post("/api/staff", body), 201)

    def settle(self):
        """Returns once all that the log has so far is fanned out, and what of it was to be sent at once is recorded; read models
        have all of the log, too."""
        heads = self.service.heads()

        def done():
            folded = {partition: int(position) for partition, position in self.service.postgres.psql(
                "SELECT partition, position FROM reactor.checkpoint WHERE projection = 'webhooks'")}
            return all(folded.get(partition, -1) >= head for partition, head in heads.items()) and self.due() == 0
        support.wait_until(done, SENT_SECONDS, "deliveries are settled")
        self.service.wait_projected()

    def due(self):
        return int(self.service.postgres.value("SELECT count(*) FROM reactor.webhook_delivery WHERE due_at <= now()"))

    def attempts(self, hook, client=None):
        """Newest first, the pending ones included."""
        return [each for page in rest.pages(client or self.owner, f"{where(hook)}/deliveries") for each in page]

    def made_attempts(self, hook, count=1, client=None):
        """Those that were made, oldest first, once there are so many."""
        def enough():
            made = [each for each in self.attempts(hook, client) if each["status"] != "pending"]
            return made[::-1] if len(made) >= count else None
        return support.wait_until(enough, SENT_SECONDS, f"{count} attempts of {hook['id']} are recorded")

    def hurry(self, hook):
        """What waits for its time is due now."""
        self.service.postgres.psql(f"UPDATE reactor.webhook_delivery SET due_at = now() WHERE webhook_id = {hook['id']}; "
                                   f"UPDATE reactor.webhook_queue SET next_due = now() WHERE webhook_id = {hook['id']}")

    def put_off(self, hook):
        """What waits for its time waits for a day more: on a slow machine that time may come in the middle of a test."""
        self.service.postgres.psql("UPDATE reactor.webhook_delivery SET due_at = due_at + interval '1 day' "
                                   f"WHERE due_at > now() AND webhook_id = {hook['id']}")

    def arrived(self, hook, count=1):
        """Requests at its address, once there are so many and no more are to come."""
        self.receiving.wait(hook["path"], count, SENT_SECONDS)
        self.settle()
        return self.receiving.requests(hook["path"])

    def bodies(self, hook, count=1):
        """The JSON of these."""
        return [json.loads(request.body) for request in self.arrived(hook, count)]

    def check_request(self, request, hook, kind, retry=None):
        """Headers and signatures are as promised; returns the body's JSON."""
        body = json.loads(request.body)
        self.assertEqual(request.method, "POST")
        self.assertEqual(list(body), ["id", "type", "data", "occurredAt"])
        self.assertEqual((body["type"], request.headers["X-Service-Event"]), (kind, kind))
        self.assertEqual(request.headers["X-Service-Signature"], signature(hook["signingSecret"], request.body))
        self.assertTrue(standard_accepts(hook["signingSecret"], request))
        self.assertFalse(standard_accepts("whsec_" + "A" * 43 + "=", request), "another secret")
        self.assertEqual(request.headers["webhook-id"], body["id"])
        self.assertEqual(request.headers["X-Service-Timestamp"], request.headers["webhook-timestamp"])
        self.assertEqual(request.headers["X-Service-Retry"], retry)
        self.assertEqual(request.headers["Content-Type"], "application/json")
        self.assertEqual(request.headers["User-Agent"], "Service-Webhooks/1")
        self.assertRegex(request.headers["X-Service-Delivery"], r"^\d+$")
        self.assertRegex(body["occurredAt"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
        return body


def where(hook):
    return f"{WEBHOOKS}/{hook['id']}"
