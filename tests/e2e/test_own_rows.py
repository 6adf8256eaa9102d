# Who sees rows of their own alone: people of the role staff, by token and by cookie, against what the customer's owner sees.

import time
from datetime import datetime, timedelta, timezone

import people
import rest
import support

SHIFTS, STAFF = "/api/shifts", "/api/staff"
ABSENT = 9_000_000_000  # an id that nothing has
service = owner = operator = None
here = there = 0  # facilities
mara = colleague = elsewhere = None  # staff members: of the one facility twice, and of the other
token = cookie = None  # clients of Mara, who works here
called_off = set()  # shifts that were cancelled while Mara was on them
unlinked = None  # a client of a user without a staff record and without facilities


def setUpModule():
    global service, owner, operator, here, there, mara, colleague, elsewhere, token, cookie, unlinked
    service = rest.start_service()
    owner, operator = people.owner_of(service), people.operator_of(service)
    here, there = service.demo["facilityIds"]
    mara, colleague, elsewhere = member("Mara", here), member("Cole", here), member("Elsa", there)
    account = people.make_user(service, role="staff", staffId=mara, facilityIds=[here])
    nobody = people.make_user(service, role="staff")
    token, cookie = people.take_token(service, account["email"]), people.sign_in(service, account["email"])
    unlinked = people.take_token(service, nobody["email"])
    make_shifts()
    service.wait_projected()


def made(answer):
    """The body of a success; a set-up that fails must not go unseen."""
    assert answer.status in (200, 201), str(answer)
    return answer.body


def member(name, *facilities):
    body = people.person(firstName=name, facilityIds=list(facilities))
    return made(owner.post(STAFF, {field: body[field] for field in ("firstName", "lastName", "email", "facilityIds")}))["id"]


def make_shifts():
    """In either facility, of each state: Mara's, a colleague's, both's, nobody's."""
    first = datetime.now(timezone.utc).date() + timedelta(days=30)
    for n, (facility, staff, workers, verb) in enumerate((
            (here, [mara], 1, None), (there, [mara], 1, None), (here, [mara], 3, None), (here, [mara, colleague], 2, None),
            (here, [colleague], 1, None), (there, [elsewhere], 1, None), (here, [colleague], 2, None), (there, [elsewhere], 2, None),
            (here, [], 1, None), (there, [], 1, None), (here, [], 2, "cancel"), (here, [mara], 1, "cancel"),
            (here, [colleague, mara], 4, None), (here, [], 1, "delete"), (here, [mara], 1, "delete"))):
        # A day of its own each, so that nobody is on two at a time; urgency and texts go through all that there is.
        body = {"facilityId": facility, "title": f"Watch {n}", "date": str(first + timedelta(days=2 * n)), "startTime": "08:00",
                "endTime": "12:00", "requiredWorkers": workers, "urgency": ("low", "medium", "high", "critical")[n % 4],
                "department": ("Bar", "Hall")[n % 2]}
        shift = made(owner.post(SHIFTS, body))["id"]
        if staff:
            made(owner.post(f"{SHIFTS}/{shift}/assign", {"staffIds": staff, "override": True, "overrideComment": "Set up"}))
        if verb == "cancel":
            made(owner.post(f"{SHIFTS}/{shift}/cancel", {"reason": "not wanted"}))
            called_off.update([shift] if mara in staff else [])
        if verb == "delete":
            made(owner.delete(f"{SHIFTS}/{shift}"))


def every(client, path, limit=200, **query):
    return [row for page in rest.pages(client, path, limit=limit, **query) for row in page]


def is_seen(shift):
    """By Mara."""
    return (mara in shift["assignedStaffIds"] or shift["id"] in called_off
            or (shift["status"] == "open" and shift["facilityId"] == here))


class OwnRowsTest(rest.RestCase):

    def test_shifts_are_ones_own_and_open_ones_where_one_works(self):
        rows = every(owner, SHIFTS)
        seen = [row for row in rows if is_seen(row)]
        self.assertTrue(any(row["facilityId"] == there for row in seen), "one's own elsewhere")
        self.assertTrue(any(colleague in row["assignedStaffIds"] and mara not in row["assignedStaffIds"] for row in seen),
                        "an open one that a colleague is on")
        self.assertLess(len(seen), len(rows) - 4)
        self.assertEqual({row["id"] for row in seen if row["status"] == "cancelled"}, called_off)
        self.assertEqual(len(called_off), 1)
        for client in (token, cookie):
            self.assertEqual(every(client, SHIFTS), seen, "as others see them, in the same order")
            for row in rows:
                answer, assignments = client.get(f"{SHIFTS}/{row['id']}"), client.get(f"{SHIFTS}/{row['id']}/assignments")
                if is_seen(row):
                    self.assertEqual(self.check(answer, 200), row)
                    self.assertEqual([each["staffId"] for each in self.check(assignments, 200)["data"]], row["assignedStaffIds"])
                    continue
                self.check_refused(answer, 404, "NOT_FOUND")
                self.check_refused(assignments, 404, "NOT_FOUND")
        self.check_refused(token.get(f"{SHIFTS}/{ABSENT}"), 404, "NOT_FOUND")

    def test_one_acknowledges_ones_own_shifts(self):
        def acknowledged(shift):
            service.wait_projected()  # somebody else wrote it
            rows = self.check(owner.get(f"{SHIFTS}/{shift['id']}/assignments"), 200)["data"]
            return {row["staffId"]: row["acknowledgedAt"] for row in rows}
        mine, shared = (next(row for row in every(owner, SHIFTS) if sorted(row["assignedStaffIds"]) == staff)
                        for staff in ([mara], sorted([mara, colleague])))
        answer = self.check(token.post(f"{SHIFTS}/{mine['id']}/acknowledge"), 200)
        self.assertEqual((answer["id"], answer["assignedStaffIds"]), (mine["id"], [mara]))
        first = acknowledged(mine)
        self.assertIsNotNone(first[mara])
        self.check(cookie.post(f"{SHIFTS}/{mine['id']}/acknowledge"), 200)
        self.assertEqual(acknowledged(mine), first, "once is enough")
        self.check(cookie.post(f"{SHIFTS}/{shared['id']}/acknowledge"), 200)
        both = acknowledged(shared)
        self.assertEqual((both[mara] is None, both[colleague]), (False, None))
        others = next(row for row in every(owner, SHIFTS) if row["assignedStaffIds"] == [colleague] and row["status"] == "open")
        for shift in (others["id"], *called_off, ABSENT):
            self.check_refused(token.post(f"{SHIFTS}/{shift}/acknowledge"), 404, "NOT_FOUND")

    def test_scope_says_what_the_list_was_taken_from(self):
        self.assertEqual(self.check(token.get(SHIFTS), 200)["scope"], {"orgUnitId": service.demo["organizationId"]})
        self.assertEqual(self.check(token.get(SHIFTS, facilityId=here), 200)["scope"], {"facilityId": here})
        for path in (SHIFTS, STAFF):
            self.check_refused(token.get(path, facilityId=there), 403, "FACILITY_SCOPE_VIOLATION")
            self.check_refused(token.get(path, orgUnitId=1), 403, "ORG_SCOPE_VIOLATION")

    def test_without_a_staff_record_nothing_is_ones_own(self):
        self.assertEqual(every(unlinked, STAFF), [])
        self.check_refused(unlinked.get(f"{STAFF}/{mara}"), 404, "NOT_FOUND")
        expected = [row["id"] for row in every(owner, SHIFTS) if row["status"] == "open"]
        self.assertEqual([row["id"] for row in every(unlinked, SHIFTS)], expected, "open ones of every facility")

    def test_nothing_else_opens(self):
        for answer in (token.get("/api/users"), token.get("/api/organizations"), token.get("/api/dashboard/stats"),
                       token.patch(f"{STAFF}/{mara}", {"phone": "+1 555 0199"}), token.post(SHIFTS, {"title": "Mine"}),
                       token.post(f"{SHIFTS}/{every(token, SHIFTS)[0]['id']}/assign", {"staffId": mara})):
            self.check_refused(answer, 403, "FORBIDDEN")
        for path in (SHIFTS, STAFF):
            self.check_refused(token.get(path, {"Service-Sandbox": "true"}), 403, "FORBIDDEN")

    def test_the_caller_is_told_what_it_may_do_with_its_own(self):
        told = self.check(token.get(people.ME), 200)["permissions"]
        self.assertLessEqual({"staff.view", "shifts.view", "facilities.view"}, set(told))
        self.assertFalse({"staff.edit", "shifts.assign", "users.view"} & set(told))

    def test_the_demo_has_somebody_of_the_role(self):
        user = service.demo["users"]["staff"]
        demo = people.sign_in(service, user["email"], user["password"])
        own = every(demo, STAFF)
        self.assertEqual([(row["firstName"], row["lastName"], row["email"]) for row in own], [("Mara", "Lindqvist", user["email"])])
        rows = [row for row in every(owner, SHIFTS) if row["status"] == "open" or own[0]["id"] in row["assignedStaffIds"]]
        self.assertEqual(every(demo, SHIFTS), rows)


class LinkTest(rest.RestCase):
    """What an administrator makes of the link between a user and a staff record holds within a second."""

    def setUp(self):
        self.user = people.make_user(service, role="staff", staffId=colleague, facilityIds=[here])
        self.clients = [people.take_token(service, self.user["email"]), people.sign_in(service, self.user["email"])]

    def check_linked(self, staff):
        """The clients see that person's rows and nobody else's."""
        mine = [row for row in every(owner, SHIFTS) if staff in row["assignedStaffIds"]]
        hers = [row for row in mine if row["status"] != "open"]
        for client in self.clients:
            self.assertEqual([row["id"] for row in every(client, STAFF)], [staff] if staff else [])
            listed = [row for row in every(client, SHIFTS) if row["status"] != "open"]
            self.assertEqual(listed, hers)
            for other in {mara, colleague, elsewhere} - {staff}:
                self.check_refused(client.get(f"{STAFF}/{other}"), 404, "NOT_FOUND")

    def link(self, staff):
        self.check(operator.patch(f"/api/users/{self.user['id']}", {"staffId": staff}), 200)
        time.sleep(1)  # what a look-up is trusted for

    def test_while_read_models_stand_still(self):
        self.check_linked(colleague)
        session = support.Session(service.postgres)
        self.addCleanup(session.close)
        session.execute("BEGIN; SELECT FROM projection.checkpoint WHERE projection = 'user' FOR UPDATE")
        self.link(elsewhere)
        self.check_linked(elsewhere)
        self.link(None)
        self.check_linked(None)
        session.close()
        service.wait_projected()
        self.check_linked(None)
        self.link(colleague)
        self.check_linked(colleague)

    def test_another_role_opens_all_and_closes_it(self):
        self.check(operator.patch(f"/api/users/{self.user['id']}", {"role": "scheduler", "facilityIds": []}), 200)
        time.sleep(1)
        for client in self.clients:
            self.assertEqual(every(client, SHIFTS), every(owner, SHIFTS))
            self.check(client.get(f"{STAFF}/{elsewhere}"), 200)
        self.check(operator.patch(f"/api/users/{self.user['id']}", {"role": "staff"}), 200)
        time.sleep(1)
        self.check_linked(colleague)

    def test_nobody_links_to_whom_they_do_not_see(self):
        bound = people.make_user(service, role="facility_admin", facilityIds=[here])
        admin = people.take_token(service, bound["email"])
        for answer in (admin.patch(f"/api/users/{self.user['id']}", {"staffId": elsewhere}),
                       admin.post("/api/users", people.person(role="staff", facilityIds=[here], staffId=elsewhere))):
            self.check_fields(answer, "staffId")
        self.check(admin.patch(f"/api/users/{self.user['id']}", {"staffId": mara}), 200)
