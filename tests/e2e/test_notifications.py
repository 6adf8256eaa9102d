# What users are told, from the client's side: each thing once whatever ends the process, by whom it is seen, and how it is read.

import datetime
import json
import secrets

import people
import rest
import support

PATH = people.NOTIFICATIONS
UNREAD, READ_ALL = f"{PATH}/unread-count", f"{PATH}/read-all"
NAME = "notifications"  # of the reactor
ABSENT = 9_000_000_000
DONE_SECONDS = 120
service = owner = None
here = there = 0


def setUpModule():
    global service, owner, here, there
    service = rest.start_service()
    owner = rest.client_of(service)
    here, there = service.demo["facilityIds"]


def onboard(client=None, **fields):
    made = (client or owner).post("/api/staff", {"firstName": "Ada", "lastName": "Told",
                                                 "email": f"{secrets.token_hex(8)}@example.test", **fields})
    assert made.status == 201, str(made)
    return made.body["id"]


def post_shift(staff, day=1, client=None, workers=1):
    """A shift that so many days from now on the staff members are assigned to."""
    date = datetime.date.today() + datetime.timedelta(days=day)
    made = (client or owner).post("/api/shifts", {
        "facilityId": here, "title": f"Shift {secrets.token_hex(4)}", "date": str(date), "startTime": "08:00", "endTime": "12:00",
        "requiredWorkers": max(workers, len(staff)), "assignedStaffIds": staff})
    assert made.status == 201, str(made)
    return made.body


class Worker:
    """A new staff member, and a client of the user who is them."""

    def __init__(self, **fields):
        self.staff = onboard()
        self.user = people.make_user(service, **({"role": "staff", "staffId": self.staff} | fields))
        self.client = people.sign_in(service, self.user["email"])

    def told(self, count=1, **query):
        return people.told(self.client, count, **query)

    def unread(self):
        answer = self.client.get(UNREAD)
        assert answer.status == 200, str(answer)
        return answer.body["count"]


def key_of(user, scopes):
    """A client with a key that is bound to the user, or to nobody."""
    bound = ["--user", str(user)] if user else []
    made = json.loads(service.command("keys", "create", "--name", "suite", "--organization",
                                      str(service.demo["organizationId"]), "--scopes", ",".join(scopes), *bound))
    rest.wait_for_key(service, made["id"])
    return owner.with_key(made["key"])


def settle():
    """Returns once the reactor has nothing left to do and what it did is shown."""
    heads = service.heads()

    def done():
        folded = dict(service.postgres.psql(f"SELECT partition, position FROM reactor.checkpoint WHERE projection = '{NAME}'"))
        return all(int(folded[partition]) >= head for partition, head in heads.items()) and \
            service.postgres.value("SELECT count(*) FROM reactor.notification_work") == "0"
    support.wait_until(done, DONE_SECONDS, "all notifications are made")
    service.wait_projected()


class NotificationsTest(rest.RestCase):

    def test_a_notification_lives(self):
        worker = Worker()
        shift = post_shift([worker.staff])
        told, = worker.told()
        self.assertEqual((told["userId"], told["organizationId"], told["type"], told["title"], told["resource"], told["isRead"],
                          told["readAt"]),
                         (worker.user["id"], service.demo["organizationId"], "shift_assigned", "You are assigned to a shift",
                          f"shift:{shift['id']}", False, None))
        self.assertEqual(told["body"], f"{shift['title']} on {shift['date']}, from 08:00 to 12:00.")
        self.assertEqual(worker.unread(), 1)
        read = worker.client.post(f"{PATH}/{told['id']}/read")
        self.assertEqual(self.check(read, 200), told | {"isRead": True, "readAt": read.body["readAt"],
                                                        "updatedAt": read.body["updatedAt"]})
        self.assertIsNotNone(read.body["readAt"])
        again = worker.client.post(f"{PATH}/{told['id']}/read")
        self.assertEqual((self.check(again, 200), again.headers["ETag"]), (read.body, read.headers["ETag"]))
        self.assertEqual(worker.unread(), 0)
        self.assertEqual(self.check(worker.client.get(PATH), 200)["data"], [read.body])
        self.assertEqual(self.check(worker.client.get(PATH, unread="true"), 200)["data"], [])
        events = [json.loads(line) for line in service.command("tap", "--from", "start", "--until-idle", "--aggregate",
                                                               f"notification/{told['id']}").splitlines()]
        self.assertEqual([event["type"] for event in events], ["notification.created", "notification.read"])
        cause, = [json.loads(line) for line in service.command("tap", "--from", "start", "--until-idle", "--type",
                                                               "shift.staff_assigned", "--aggregate",
                                                               f"shift/{shift['id']}").splitlines()]
        self.assertEqual((events[0]["causationid"], events[0]["correlationid"]), (cause["id"], cause["requestid"]))

    def test_who_is_on_a_shift_hears_of_its_end(self):
        first, second, third = Worker(), Worker(), Worker()
        shift = post_shift([worker.staff for worker in (first, second, third)], 2)
        self.check(owner.post(f"/api/shifts/{shift['id']}/unassign", {"staffId": third.staff}), 200)
        self.check(owner.post(f"/api/shifts/{shift['id']}/cancel", {"reason": "Ada is ill"}), 200)
        for worker in (first, second):
            newest, _ = worker.told(2)
            self.assertEqual((newest["type"], newest["resource"]), ("shift_cancelled", f"shift:{shift['id']}"))
            self.assertNotIn("Ada", newest["title"] + newest["body"])
        self.check(owner.delete(f"/api/shifts/{post_shift([first.staff], 3)['id']}"), 200)
        self.assertEqual([each["type"] for each in first.told(4)],
                         ["shift_cancelled", "shift_assigned", "shift_cancelled", "shift_assigned"])
        settle()
        self.assertEqual([each["type"] for each in third.told()], ["shift_assigned"])

    def test_all_are_read_at_once(self):
        worker, other = Worker(), Worker()
        today = datetime.date.today()
        for staff, days in ((worker.staff, range(20, 120)), (worker.staff, range(120, 220)), (worker.staff, range(220, 223)),
                            (other.staff, range(20, 21))):
            made = owner.post("/api/shifts", {"shifts": [
                {"facilityId": here, "title": "Many", "date": str(today + datetime.timedelta(days=day)), "startTime": "08:00",
                 "endTime": "10:00", "assignedStaffIds": [staff]} for day in days]})
            self.assertEqual(made.status, 201, str(made))
        support.wait_until(lambda: worker.unread() == 203, DONE_SECONDS, "all are told")
        other.told()
        key = {"Idempotency-Key": secrets.token_hex(8)}
        self.assertEqual(self.check(worker.client.post(READ_ALL, {}, key), 200), {"count": 203})
        self.assertEqual((worker.unread(), other.unread()), (0, 1))
        self.assertEqual(self.check(worker.client.post(READ_ALL), 200), {"count": 0})
        again = worker.client.post(READ_ALL, {}, key)
        self.assertEqual((self.check(again, 200), again.headers["Idempotency-Replayed"]), ({"count": 203}, "true"))

    def test_nobody_else_sees_or_reads_it(self):
        worker, other = Worker(), Worker(role="admin")
        post_shift([worker.staff], 4)
        told, = worker.told()
        admin = key_of(service.demo["users"]["customerAdmin"]["id"], ["notifications:read", "notifications:write"])
        for client in (other.client, people.operator_of(service), admin):
            self.check_refused(client.post(f"{PATH}/{told['id']}/read"), 404, "NOT_FOUND")
            self.assertNotIn(told["id"], [row["id"] for page in rest.pages(client, PATH, limit=200) for row in page])
            self.check(client.post(READ_ALL), 200)
        operator = people.operator_of(service)
        customer = service.demo["organizationId"]
        self.assertEqual(self.check(operator.get(PATH, orgUnitId=customer), 200)["data"], [])
        self.assertEqual(self.check(operator.get(UNREAD, orgUnitId=customer), 200), {"count": 0})
        self.assertEqual(self.check(operator.post(READ_ALL, orgUnitId=customer), 200), {"count": 0})
        self.assertEqual(self.check(operator.get(PATH), 200)["scope"], {"orgUnitId": 1}, "their own")
        self.check_refused(worker.client.post(f"{PATH}/{ABSENT}/read"), 404, "NOT_FOUND")
        strange = other.client.get(PATH, userId=worker.user["id"])
        self.assertIn("userId", strange.headers["Service-Warnings"])
        self.assertEqual(self.check(strange, 200)["data"], [])
        self.assertEqual(worker.unread(), 1)

    def test_keys(self):
        worker = Worker()
        post_shift([worker.staff], 5)
        told, = worker.told()
        reader = key_of(worker.user["id"], ["notifications:read"])
        self.assertEqual(self.check(reader.get(PATH), 200)["data"], [told])
        self.assertEqual(self.check(reader.get(UNREAD), 200), {"count": 1})
        nobody = key_of(None, ["notifications:read", "notifications:write"])
        for answer in (nobody.get(PATH), nobody.get(UNREAD), nobody.post(f"{PATH}/{told['id']}/read"), nobody.post(READ_ALL)):
            self.check_refused(answer, 403, "FORBIDDEN")
            self.assertIn("no user", answer.body["error"]["message"])
        writer = key_of(worker.user["id"], ["notifications:write"])
        self.assertTrue(self.check(writer.post(f"{PATH}/{told['id']}/read"), 200)["isRead"])

    def test_who_is_bound_to_a_facility_is_told_of_others(self):
        worker = Worker(facilityIds=[there])
        post_shift([worker.staff], 6)
        told, = worker.told()
        self.assertEqual(worker.unread(), 1)
        self.check(worker.client.post(f"{PATH}/{told['id']}/read"), 200)

    def test_the_sandbox_is_apart(self):
        worker = Worker(role="admin")
        post_shift([worker.staff], 7)
        told, = worker.told()
        aside = {"Service-Sandbox": "true"}
        self.assertEqual(self.check(worker.client.get(PATH, aside), 200)["data"], [])
        self.assertEqual(self.check(worker.client.get(UNREAD, aside), 200), {"count": 0})
        self.check_refused(worker.client.post(f"{PATH}/{told['id']}/read", headers=aside), 404, "NOT_FOUND")
        self.assertEqual(self.check(worker.client.post(READ_ALL, headers=aside), 200), {"count": 0})
        self.assertEqual(worker.unread(), 1)
        sandbox = rest.client_of(service, "test")
        before = service.postgres.value("SELECT count(*) FROM read.notification")
        post_shift([onboard(sandbox, facilityIds=[here])], 8, sandbox)
        settle()
        self.assertEqual(service.postgres.value("SELECT count(*) FROM read.notification"), before)


class OnceTest(rest.RestCase):
    KILLS, USERS, SHIFTS = 4, 8, 12
    ROUNDS = 5  # at most

    def told(self):
        """How often each user was told of each shift, by the log."""
        lines = service.command("tap", "--from", "start", "--until-idle", "--type", "notification.created").splitlines()
        return [(event["data"]["userId"], event["data"]["resource"]) for event in map(json.loads, lines)]

    def test_a_rebuild_tells_nobody(self):
        worker = Worker()
        post_shift([worker.staff])
        worker.told()
        settle()
        before, rows = self.told(), self.check(worker.client.get(PATH), 200)["data"]
        service.command("rebuild", "--all")
        settle()
        self.assertEqual(self.told(), before)
        self.assertEqual(self.check(worker.client.get(PATH), 200)["data"], rows)

    def post_ahead(self, staff, day):
        """Shifts from that day on that nobody is told of before the next start."""
        service.command("reactors", "pause", NAME, "--reason", "a test")
        shifts = [post_shift(staff, day + number)["id"] for number in range(self.SHIFTS)]
        service.command("reactors", "resume")
        service.kill9()
        owner.close()
        return shifts

    def test_kill_9_in_mid_work(self):
        settle()
        self.addCleanup(service.command, "reactors", "resume")
        staff = [onboard() for _ in range(self.USERS)]
        users = [people.make_user(service, role="staff", staffId=each, password=None)["id"] for each in staff]

        def count():
            return int(service.postgres.value("SELECT count(*) FROM read.notification WHERE user_id IN "
                                              f"({','.join(map(str, users))})"))
        shifts, kills, left = [], 0, 0
        for _ in range(self.ROUNDS):  # one as a rule; where a slow machine kills too late, there is work once more
            shifts += self.post_ahead(staff, 300 + len(shifts))
            wanted, most = self.USERS * len(shifts), kills + self.KILLS
            while kills < most and (before := count()) < wanted:
                service.launch()
                support.wait_until(lambda: count() > before, DONE_SECONDS, f"somebody is told before kill {kills}")  # pylint: disable=cell-var-from-loop
                service.kill9()
                kills += 1
                left += count() < wanted
            service.start()
            if left:
                break
        print(f"killed {kills} times after {count()} of {wanted}, {left} times with work left")
        self.assertGreater(left, 0, "a start finds work that the one before left")
        settle()
        ours = [(user, resource) for user, resource in self.told() if user in users]
        self.assertEqual(sorted(ours), sorted((user, f"shift:{shift}") for user in users for shift in shifts))
