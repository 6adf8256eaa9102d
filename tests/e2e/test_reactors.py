# Mails to assigned persons, from the outside: one for each assignment whatever ends the process, none for a rebuild, and
# nothing that waits for a reactor that stands still.

import datetime
import json
import secrets

import rest
import support
from kafka_cluster import OnKafka, by_default

NAME = "shift_mail"
SENT_SECONDS = 60


class ReactorsTest(support.ServiceCase, rest.RestCase):
    KILLS = 20 if support.LONG else 6
    STAFF, SHIFTS = 100, 45 if support.LONG else 14  # for each kill a hundred mails that were sent, and a hundred that it left claimed
    ROUNDS = 5  # at most

    def setUp(self):
        self.client = rest.client_of(self.service)
        self.facility = self.service.demo["facilityIds"][0]

    def onboard(self, client=None):
        email = f"{secrets.token_hex(8)}@example.test"
        made = (client or self.client).post("/api/staff", {"firstName": "Ada", "lastName": "Mail", "email": email})
        return self.check(made, 201)

    def post_shift(self, day=1, workers=1, client=None):
        date = datetime.date.today() + datetime.timedelta(days=day)
        made = (client or self.client).post("/api/shifts", {
            "facilityId": self.facility, "title": f"Shift {secrets.token_hex(4)}", "date": str(date), "startTime": "08:00",
            "endTime": "12:00", "requiredWorkers": workers})
        return self.check(made, 201)

    def assign(self, shift, *staff, client=None):
        answer = (client or self.client).post(f"/api/shifts/{shift['id']}/assign", {"staffIds": [one["id"] for one in staff]})
        return self.check(answer, 200)

    def outbox(self):
        return json.loads(self.service.command("outbox", "--json", "--limit", "10000"))["mails"]

    def sent(self):
        return int(self.postgres.value("SELECT count(*) FROM ops.outbox"))

    def left(self):
        return int(self.postgres.value("SELECT count(*) FROM reactor.shift_mail_work"))

    def assignments(self):
        """The ids of all events that somebody is to hear of."""
        lines = self.service.command("tap", "--from", "start", "--until-idle", "--type", "shift.staff_assigned").splitlines()
        return {event["id"] for event in map(json.loads, lines) if not event.get("sandbox")}

    def standings(self):
        listed = json.loads(self.service.command("reactors", "--json"))["reactors"]
        return [each for each in listed if each["name"] == NAME]

    def wait_sent(self):
        """Returns the mails once there is one for each assignment and nothing is left to do."""
        wanted = len(self.assignments())
        support.wait_until(lambda: self.sent() >= wanted and self.left() == 0, SENT_SECONDS, "all mails are sent")
        return self.outbox()

    def pause(self):
        self.service.command("reactors", "pause", NAME, "--reason", "a test")
        self.addCleanup(self.service.command, "reactors", "resume")

    def test_a_mail_says_who_is_assigned_to_what(self):
        ada, shift = self.onboard(), self.post_shift()
        self.assign(shift, ada)
        mail, = [each for each in self.wait_sent() if each["person"] == f"staff/{ada['id']}"]
        self.assertEqual((mail["to"], mail["organizationId"]), (ada["email"], self.service.demo["organizationId"]))
        self.assertIn(shift["title"], mail["subject"])
        self.assertIn(shift["date"], mail["text"])
        self.assertEqual(support.clear_text_hits(self.postgres, "ops.outbox", [ada["email"], shift["title"]]), [])
        self.service.command("erase", f"staff/{ada['id']}", "--reason", "asked for")
        mail, = [each for each in self.outbox() if each["person"] == f"staff/{ada['id']}"]
        self.assertEqual((mail["erased"], mail["to"], mail["text"]), (True, "", ""))

    def test_the_sandbox_sends_nothing(self):
        scopes = ["staff:read", "staff:write", "shifts:read", "shifts:write", "shifts:assign"]
        key = rest.make_key(self.service, scopes, kind="test", facility=self.facility)[1]
        sandbox = rest.client_of(self.service, key)
        before = self.wait_sent()
        staff = self.onboard(sandbox)
        self.assign(self.post_shift(client=sandbox), staff, client=sandbox)
        self.assign(self.post_shift(), self.onboard())  # after it in the same partition
        after = self.wait_sent()
        self.assertEqual(len(after), len(before) + 1)
        self.assertNotIn(f"staff/{staff['id']}", [mail["person"] for mail in after])

    def test_a_rebuild_sends_nothing(self):
        self.assign(self.post_shift(), self.onboard())
        before = self.wait_sent()
        self.service.command("rebuild", "--all")
        self.assign(self.post_shift(), self.onboard())  # folded after what a rebuild could have made
        self.assertEqual(len(self.wait_sent()), len(before) + 1)

    def test_one_that_stands_still_is_named_and_holds_up_nobody(self):
        self.wait_sent()
        self.pause()
        before = self.sent()
        shift = self.post_shift()
        self.assign(shift, self.onboard())
        read = self.client.get(f"/api/shifts/{shift['id']}")
        self.assertEqual(self.check(read, 200)["status"], "assigned")
        self.assertNotIn("Service-Stale", read.headers)

        def checks():
            return self.service.standing()

        def named_and_ready():
            answer = checks()
            return answer if answer["checks"]["reactors"].get("detail") and self.service.ready() else None
        named = support.wait_until(named_and_ready, 30, "/statusz names the reactor, which does not fail the process")
        self.assertEqual(named["status"], "degraded")
        self.assertFalse(named["checks"]["reactors"]["ok"])
        self.assertIn(NAME, named["checks"]["reactors"]["detail"])
        self.assertIn("a test", named["checks"]["reactors"]["detail"])
        standings = self.standings()
        self.assertTrue(all(each["paused"] for each in standings))
        self.assertGreater(sum(each["lag"] for each in standings), 0)
        self.assertGreater(support.wait_until(lambda: self.service.metrics()["workforce_reactor_lag_events"], 30,
                                              "metrics tell the lag"), 0)
        self.assertEqual(self.sent(), before)
        self.service.command("reactors", "resume", NAME)
        self.assertEqual(len(self.wait_sent()), before + 1)
        support.wait_until(lambda: checks()["checks"]["reactors"]["ok"], 30, "/statusz is content again")

    def test_an_event_that_it_can_not_take(self):
        self.wait_sent()
        self.service.expected_faults = {support.STOPPED}
        self.postgres.psql("ALTER TABLE reactor.shift_mail_work ADD CONSTRAINT refused CHECK (staff_id < 0) NOT VALID")
        self.assign(self.post_shift(), self.onboard())
        poison = support.wait_until(lambda: json.loads(self.service.command("poison", "list", "--json"))["events"], 30,
                                    "the reactor stands still")
        self.assertEqual([(each["projection"], each["eventType"]) for each in poison], [(NAME, "shift.staff_assigned")])
        self.postgres.psql("ALTER TABLE reactor.shift_mail_work DROP CONSTRAINT refused")
        self.assertIn("goes on", self.service.command("poison", "retry", NAME, poison[0]["partition"], poison[0]["position"]))
        self.wait_sent()

    def kill9(self):
        """Returns once PostgreSQL has ended what the process had begun, which may take effect until then."""
        self.service.kill9()
        others = "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
        support.wait_until(lambda: self.postgres.value(others) == "0", 30, "sessions of the killed process end")

    def assign_ahead(self, staff, day):
        """Assigns all of them to shifts from that day on, of which no mail is sent before the next start."""
        self.pause()
        for number in range(self.SHIFTS):
            self.assign(self.post_shift(day + number, self.STAFF), *staff)
        self.service.command("reactors", "resume")
        self.kill9()
        self.client.close()

    def test_kill_9_in_mid_work(self):
        self.wait_sent()
        staff = [self.onboard() for _ in range(self.STAFF)]
        # So that a kill meets work: a statement of a hundred mails takes no time otherwise.
        self.postgres.psql(
            "CREATE FUNCTION rest() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.1); RETURN NULL; END';"
            "CREATE TRIGGER rest BEFORE INSERT ON ops.outbox FOR EACH STATEMENT EXECUTE FUNCTION rest()")
        self.addCleanup(self.postgres.psql, "DROP TRIGGER IF EXISTS rest ON ops.outbox; DROP FUNCTION IF EXISTS rest")
        rounds = kills = left = 0
        while not left and rounds < self.ROUNDS:  # one as a rule; where a slow machine kills too late, there is work once more
            if rounds:
                self.service.start()
            self.assign_ahead(staff, 2 + rounds * self.SHIFTS)
            rounds += 1
            wanted, most = len(self.assignments()), kills + self.KILLS
            while kills < most and (before := self.sent()) < wanted:
                self.service.forget_killed()
                self.service.launch()
                support.wait_until(lambda: self.sent() > before, SENT_SECONDS, f"mails are sent before kill {kills}")  # pylint: disable=cell-var-from-loop
                self.kill9()
                kills += 1
                left += self.sent() < wanted
        print(f"killed {kills} times, {left} times with mails left, {self.left()} now")
        self.assertGreater(left, 0, "a start finds work that the one before left")
        self.postgres.psql("DROP TRIGGER rest ON ops.outbox; DROP FUNCTION rest")
        self.service.start()
        mails = self.wait_sent()
        self.assertEqual(sorted(mail["id"] for mail in mails), sorted(self.assignments()))
        ours = {f"staff/{one['id']}" for one in staff}
        self.assertEqual(len([mail for mail in mails if mail["person"] in ours]), self.STAFF * self.SHIFTS * rounds)


@by_default("test_a_rebuild_sends_nothing", "test_an_event_that_it_can_not_take", "test_kill_9_in_mid_work")
class ReactorsOnKafkaTest(OnKafka, ReactorsTest):
    KILLS = 3
    SHIFTS = 8
