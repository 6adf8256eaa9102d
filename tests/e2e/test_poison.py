# An event that a read model can't fold: how operators see it, have it tried again, skip it, and what a skip leaves behind.

import json
import subprocess

import rest
import support

service = None
STAFF = "/api/staff"


def setUpModule():
    global service
    service = rest.start_service()
    service.expected_faults = {support.STOPPED}


def ready():
    """Whether the admin listener says that all is well."""
    return service.ready()


def run(*arguments):
    done = subprocess.run([support.binary(), *arguments], env=service.env, text=True, capture_output=True,
                          timeout=support.COMMAND_SECONDS, check=False)
    done.stderr = support.said(done.stderr)
    return done


def events():
    return json.loads(service.command("poison", "list", "--json"))["events"]


class PoisonTest(rest.RestCase):

    def setUp(self):
        self.client = rest.client_of(service)

    def refuse(self, condition):
        """Has the database refuse rows of staff from now on, until `accept`."""
        service.postgres.psql(f"ALTER TABLE read.staff ADD CONSTRAINT refused CHECK ({condition}) NOT VALID")

    def accept(self):
        service.postgres.psql("ALTER TABLE read.staff DROP CONSTRAINT IF EXISTS refused")

    def onboard(self, email, status=201):
        answer = self.client.post(STAFF, {"firstName": "Ada", "lastName": "Byron", "email": email})
        self.assertEqual(answer.status, status, str(answer))
        return answer.headers.get("Location")

    def stopped(self):
        """The event that stops the read model, once it does."""
        event, = support.wait_until(lambda: [each for each in events() if each["state"] == "stopped"], support.READY_SECONDS,
                                    "the read model stands still")
        return event

    def fails(self, *arguments, code=1):
        done = run(*arguments)
        self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
        self.assertRegex(done.stderr, r"\Aworkforce: [^\n]+\n\Z")
        return done.stderr

    def place(self, event):
        return [event["projection"], str(event["partition"]), str(event["position"])]

    def test_skipped_event_is_decided_on_and_told_until_a_rebuild(self):
        self.addCleanup(self.accept)
        person = self.onboard("ada@poison.test")
        service.wait_projected()
        self.refuse("email NOT LIKE 'lady@%'")
        self.check(self.client.patch(person, {"email": "lady@poison.test"}), 200)
        event = self.stopped()
        self.assertEqual((event["projection"], event["eventType"], event["aggregate"]),
                         ("staff", "staff.updated", person.removeprefix("/api/")))
        self.assertRegex(event["eventId"], "^[0-9a-f-]{36}$")
        self.assertIn("refused", event["error"])
        self.assertNotIn("poison.test", json.dumps(event), "nothing personal of the row")
        support.wait_until(lambda: not ready(), support.READY_SECONDS, "the status names it")
        self.assertTrue(service.is_ready(), "the process reads and writes all the same")
        self.assertRegex(service.command("poison", "list"),
                         rf"(?m)^staff +{event['partition']} +{event['position']} +stopped +{event['eventId']} +staff.updated")

        self.assertIn("still can't fold", self.fails("poison", "retry", *self.place(event)))
        self.assertIn("--reason", self.fails("poison", "skip", *self.place(event), code=2))
        self.assertIn("PROJECTION", self.fails("poison", "skip", "--reason", "all of it", code=2))
        self.assertIn("does not stand", self.fails("poison", "skip", "staff", str(event["partition"]), "0", "--reason", "x"))
        self.assertIn("staff", self.fails("poison", "skip", "horses", "0", "0", "--reason", "x", code=2))
        self.assertIn("rebuild staff", service.command("poison", "skip", *self.place(event), "--reason", "a test of skips"))
        support.wait_until(ready, support.READY_SECONDS, "the service is ready")

        skipped, = events()
        self.assertEqual((skipped["state"], skipped["reason"]), ("skipped", "a test of skips"))
        self.assertTrue(skipped["decidedBy"] and skipped["decidedAt"])
        self.check(self.client.patch(person, {"lastName": "Lovelace"}), 200)
        service.wait_projected()
        row = self.check(self.client.get(person), 200)
        self.assertEqual((row["lastName"], row["email"]), ("Lovelace", "ada@poison.test"), "what can be shown")
        status = json.loads(service.command("status", "--json"))
        self.assertEqual([(each["position"], each["reason"]) for each in status["skipped"]], [(event["position"], "a test of skips")])
        self.assertIn("run `workforce rebuild staff`", service.command("status"))

        service.stop()
        service.start()
        self.client.close()
        self.onboard("lady@poison.test", 409)  # hers, which her row does not tell
        self.onboard("ada@poison.test")
        self.assertIn("read models lack skipped events", service.tail(10_000))

        self.accept()
        service.command("rebuild", "staff")
        self.assertEqual(events(), [])
        self.assertEqual(json.loads(service.command("status", "--json"))["skipped"], [])
        self.assertEqual(self.check(self.client.get(person), 200)["email"], "lady@poison.test")
        history = json.loads(service.command("poison", "list", "--history", "--json"))["decisions"]
        self.assertEqual([(each["decision"], each["reason"]) for each in history if each["position"] == event["position"]],
                         [("retried", ""), ("skipped", "a test of skips")])

    def test_erasure_is_retried_and_never_skipped(self):
        self.addCleanup(self.accept)
        person = self.onboard("forgotten@poison.test").removeprefix("/api/")
        service.wait_projected()
        self.refuse("NOT erased")
        erased = run("erase", person, "--reason", "a test of skips")
        self.assertEqual(erased.returncode, 1)
        self.assertIn("read models may still show them", erased.stderr)
        event = self.stopped()
        self.assertEqual(event["eventType"], "staff.erased")
        self.assertIn("can't skip staff.erased", self.fails("poison", "skip", *self.place(event), "--reason", "x"))
        self.accept()
        self.assertIn("goes on", service.command("poison", "retry", *self.place(event)))
        self.assertEqual([each for each in events() if each["position"] == event["position"]], [])
        self.assertIn("does not stand", self.fails("poison", "retry", *self.place(event)))
