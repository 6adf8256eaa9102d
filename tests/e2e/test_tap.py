# The stream for analysts, while the service serves: what comes, in which order, and what stays sealed.

import itertools
import json
import signal
import subprocess
import threading

import rest
import support

service = live = sandbox = None
numbers = itertools.count()
SECONDS = 120


def setUpModule():
    global service, live, sandbox
    service = rest.start_service()
    live = rest.client_of(service)
    sandbox = rest.client_of(service, rest.make_key(service, ["staff:read", "staff:write"], kind="test", facility=service.demo["facilityIds"][0])[1])


def user_name():
    return subprocess.run(["id", "-un"], capture_output=True, text=True, check=True).stdout.strip()


class TapCase(rest.RestCase):

    def run_tap(self, *arguments, **settings):
        env = service.env | {f"WORKFORCE_{name.upper()}": str(value) for name, value in settings.items()}
        done = subprocess.run([support.binary(), "tap", *map(str, arguments)], env=env, text=True, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=SECONDS, check=False)
        done.stderr = support.said(done.stderr)
        return done

    def events(self, *arguments, **settings):
        """What is there by now."""
        done = self.run_tap("--until-idle", *arguments, **settings)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def start_tap(self, *arguments):
        """A tap that follows, and a list that its lines come into."""
        process = subprocess.Popen([support.binary(), "tap", *map(str, arguments)], env=service.env, text=True,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        lines = []
        reader = threading.Thread(target=lambda: lines.extend(iter(process.stdout.readline, "")))
        reader.start()

        def end():
            process.kill()
            process.wait()
            reader.join()
            process.stdout.close()
            process.stderr.close()

        self.addCleanup(end)
        return process, lines

    def person(self, client=None):
        body = {"firstName": "Ottilie", "lastName": "Bergengruen", "email": f"tap{next(numbers)}@example.test"}
        return self.check((client or live).post("/api/staff", body), 201)["id"]


class FilterTest(TapCase):

    def test_everything_is_the_log_itself(self):
        self.person()
        done = self.run_tap("--from", "start", "--until-idle")
        by_partition = {}
        for line in done.stdout.splitlines():
            event = json.loads(line)
            position = int(event["position"])
            found = service.postgres.psql(f"SELECT partition FROM log.event WHERE body = $b${line}$b$")
            self.assertEqual(len(found), 1, line)
            by_partition.setdefault(found[0][0], []).append(position)
        for partition, positions in by_partition.items():
            self.assertEqual(positions, list(range(len(positions))), f"partition {partition} is in order, without a gap")
        self.assertEqual(str(sum(map(len, by_partition.values()))), service.postgres.value("SELECT count(*) FROM log.event"))

    def test_filters(self):
        made, tried = self.person(), self.person(sandbox)
        facility = self.check(live.post("/api/facilities", {"name": f"Tapped {next(numbers)}", "timezone": "UTC"}), 201)["id"]
        everything = self.events("--from", "start")

        def check(arguments, wanted):
            found = self.events("--from", "start", *arguments)
            self.assertEqual(sorted(event["id"] for event in found),
                             sorted(event["id"] for event in everything if wanted(event)), arguments)
            return found

        self.assertTrue(check(["--type", "staff.*"], lambda e: e["type"].startswith("staff.")))
        self.assertTrue(check(["--type", "staff.onboarded", "--type", "facility.*"],
                              lambda e: e["type"] == "staff.onboarded" or e["type"].startswith("facility.")))
        self.assertEqual(check(["--type", "user.erased"], lambda e: False), [])
        self.assertTrue(check(["--aggregate", f"facility/{facility}"], lambda e: e["subject"] == f"facility/{facility}"))
        self.assertTrue(check(["--aggregate", "facility"], lambda e: e["subject"].startswith("facility/")))
        organization = str(service.demo["organizationId"])
        self.assertTrue(check(["--organization", organization], lambda e: e.get("orgid") == organization))
        self.assertTrue(check(["--sandbox"], lambda e: e.get("sandbox", False)))
        self.assertTrue(check(["--live", "--type", "staff.*"],
                              lambda e: not e.get("sandbox", False) and e["type"].startswith("staff.")))
        subjects = {event["subject"] for event in check(["--sandbox", "--type", "staff.*"],
                                                        lambda e: e.get("sandbox", False) and e["type"].startswith("staff."))}
        self.assertIn(f"staff/{tried}", subjects)
        self.assertNotIn(f"staff/{made}", subjects)
        self.assertNotEqual(self.run_tap("--sandbox", "--live").returncode, 0)

    def test_from_where(self):
        mark = f"staff/{self.person()}"
        after = f"staff/{self.person()}"
        (event,) = self.events("--from", "start", "--aggregate", mark)
        partition = service.postgres.value(f"SELECT partition FROM log.event WHERE body LIKE '%\"id\":\"{event['id']}\"%'")
        by_time = [each["subject"] for each in self.events("--from", event["time"], "--type", "staff.onboarded")]
        self.assertEqual(by_time[:2], [mark, after])
        by_position = self.events("--from", f"{partition}:{event['position']}")
        self.assertEqual(by_position[0], event)
        self.assertEqual([int(each["position"]) - int(event["position"]) for each in by_position], list(range(len(by_position))))
        self.assertEqual(self.events("--from", f"{partition}:{int(by_position[-1]['position']) + 1}"), [])
        self.assertEqual(self.events(), [], "from the end on there is nothing yet")
        other = (int(partition) + 1) % 4
        both = self.events("--from", f"{partition}:{event['position']}", "--from", f"{other}:0")
        self.assertEqual(len(both), len(by_position) + len(self.events("--from", "start", "--partition", other)))
        for wrong, code in (("yesterday", 2), ("9:0", 1), ("1:x", 2)):
            done = self.run_tap("--from", wrong, "--until-idle")
            self.assertEqual((done.returncode, done.stdout), (code, ""), wrong)
            self.assertRegex(done.stderr, r"\Aworkforce: [^\n]+\n\Z")


    def test_a_type_that_there_is_not(self):
        for wrong, near in (("*.exploded", ""), ("staff.onborded", "did you mean staff.onboarded"), ("horse.*", "")):
            done = self.run_tap("--type", wrong, "--until-idle")
            self.assertEqual((done.returncode, done.stdout), (2, ""), wrong)
            self.assertIn(f"no event type '{wrong}'", done.stderr)
            self.assertIn(near, done.stderr)

    def test_a_position_past_the_head_is_said(self):
        done = self.run_tap("--from", "0:999999", "--until-idle")
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        said = json.loads(done.stderr)
        self.assertEqual((said["partition"], said["from"]), (0, 999999), said)
        self.assertLess(said["head"], 999999)


class FollowTest(TapCase):

    def test_events_come_when_they_are_there(self):
        process, lines = self.start_tap("--type", "staff.onboarded", "--from", "start")
        # Its first lines show that it follows by now.
        for _ in range(3):
            subject = f"staff/{self.person()}"
            support.wait_until(lambda: any(json.loads(line)["subject"] == subject for line in list(lines)), 30, f"{subject} comes")
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(30), 0)

    def test_it_goes_on_when_the_database_comes_back(self):
        process, lines = self.start_tap("--type", "staff.onboarded", "--from", "start")
        self.person()
        support.wait_until(lambda: list(lines), 60, "a first line")
        service.postgres.kill9()
        service.postgres.start()
        support.wait_until(service.ready, 60, "the service is ready again")
        subject = support.wait_until(lambda: live.post("/api/staff", {"firstName": "A", "lastName": "B",
            "email": f"tap{next(numbers)}@example.test"}).body.get("id"), 60, "a write")
        support.wait_until(lambda: any(json.loads(line)["subject"] == f"staff/{subject}" for line in list(lines)), 60, "it comes")
        process.terminate()
        self.assertEqual(process.wait(30), 0)

    def test_a_reader_that_leaves_ends_it(self):
        self.person()
        tap = subprocess.Popen([support.binary(), "tap", "--from", "start"], env=service.env, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(tap.stderr.close)
        self.addCleanup(tap.kill)
        tap.stdout.readline()
        tap.stdout.close()
        self.person()  # something to write
        self.assertEqual(tap.wait(60), 0, tap.stderr.read())


class PersonalTest(TapCase):

    def test_sealed_unless_asked_for_and_allowed(self):
        subject = f"staff/{self.person()}"
        asked = ("--from", "start", "--aggregate", subject)
        (event,) = self.events(*asked)
        self.assertEqual(list(event["data"]["lastName"]), ["sealed"])
        for settings in ({}, {"personal_readers": "someone-else"}):
            done = self.run_tap("--until-idle", "--personal", *asked, **settings)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertRegex(done.stderr, r"\Aworkforce: [^\n]*personal_readers[^\n]*\n\Z")
        done = self.run_tap("--until-idle", "--personal", *asked, "--personal-readers", user_name())
        self.assertEqual((done.returncode, done.stdout), (1, ""), "who names himself is not named")

        done = self.run_tap("--until-idle", "--personal", *asked, personal_readers=user_name())
        self.assertEqual(done.returncode, 0, done.stderr)
        opened = json.loads(done.stdout)
        self.assertEqual((opened["data"]["firstName"], opened["data"]["lastName"]), ("Ottilie", "Bergengruen"))
        self.assertEqual({name: value for name, value in opened.items() if name != "data"},
                         {name: value for name, value in event.items() if name != "data"})
        self.assertEqual(done.stderr.count("personal data is opened"), 1)
        self.assertIn(user_name(), done.stderr)

        service.postgres.psql(f"UPDATE vault.person_key SET sealed_key = NULL, destroyed_at = now() WHERE person = '{subject}'")
        (erased,) = self.events("--personal", *asked, personal_readers=user_name())
        self.assertEqual((erased["data"]["firstName"], erased["data"]["email"], erased["data"]["workHistory"]), ("", "", []))

    def test_answers_open_for_their_organization(self):
        body = {"name": f"Answered {next(numbers)}", "timezone": "UTC"}
        self.check(live.post("/api/facilities", body, headers={"Idempotency-Key": f"tap-{body['name']}"}), 201)
        answers = self.events("--from", "start", "--type", "command.answered", "--personal", personal_readers=user_name())
        told = [answer["data"]["body"] for answer in answers]
        self.assertIn(body["name"], [json.loads(each).get("name") for each in told if each])
