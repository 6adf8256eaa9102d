# A person's shifts in a calendar program: icalendar reads what such programs get.

import secrets
import unittest
from datetime import datetime, timedelta, timezone
from urllib.parse import urlsplit

import icalendar
import people
import rest

STAFF, SHIFTS = "/api/staff", "/api/shifts"
service = owner = None
here = there = 0
DAY = datetime.now(timezone.utc).date() + timedelta(days=40)


def setUpModule():
    global service, owner, here, there
    service = rest.start_service()
    owner = rest.client_of(service)
    here, there = service.demo["facilityIds"]


def made(path, body):
    answer = owner.post(path, body)
    assert answer.status in (200, 201), str(answer)
    return answer.body


def person(first="Ada", **fields):
    return made(STAFF, {"firstName": first, "lastName": "Feed", "facilityIds": [here],
                        "email": f"{secrets.token_hex(6)}@staff.example.test", **fields})["id"]


def shift(staff, day=0, **fields):
    """A shift that the person is on, so many days from DAY."""
    body = {"facilityId": here, "title": "Night watch", "date": str(DAY + timedelta(days=day)), "startTime": "22:00", "endTime": "06:00"}
    row = made(SHIFTS, body | fields)
    made(f"{SHIFTS}/{row['id']}/assign", {"staffId": staff, "override": True, "overrideComment": "Set up"})
    return row


class CalendarTest(rest.RestCase):

    def share(self, staff, client=None):
        return self.check((client or owner).post(f"{STAFF}/{staff}/calendar-token"), 200)["url"]

    def fetch(self, url):
        """As a calendar program does: without any credential but the address."""
        parts = urlsplit(url)
        self.assertEqual(f"{parts.scheme}://{parts.netloc}", service.demo["baseUrl"])
        return rest.Client(service.demo["baseUrl"]).get(f"{parts.path}?{parts.query}")

    def read(self, url):
        answer = self.fetch(url)
        self.assertEqual((answer.status, answer.headers["Content-Type"]), (200, "text/calendar; charset=utf-8"), str(answer))
        return icalendar.Calendar.from_ical(answer.text)

    def uids(self, url):
        return [str(event["UID"]).split("@", maxsplit=1)[0] for event in self.read(url).events]

    def check_absent(self, url):
        self.check_refused(self.fetch(url), 404, "NOT_FOUND")

    def test_a_program_reads_the_shifts(self):
        ada, ben = person("Ada"), person("Ben")
        notes = "Bring: keys; gloves, and\na lamp \\ torch. " + "Ünïcödé 🙂 " * 20
        first = shift(ada, 0, department="Ward 3", notes=notes)
        shift(ben, 1)
        second = shift(ada, 2, facilityId=there, title="Day")
        url = self.share(ada)
        calendar = self.read(url)
        self.assertEqual(str(calendar["X-WR-CALNAME"]), "Shifts of Ada Feed")
        one, other = calendar.events
        self.assertEqual([str(event["UID"]) for event in (one, other)],
                         [f"shift-{row['id']}@{urlsplit(url).netloc}" for row in (first, second)])
        self.assertEqual((one.start.isoformat(), one.end.isoformat()),
                         (first["startsAt"].replace(".000Z", "+00:00"), first["endsAt"].replace(".000Z", "+00:00")))
        self.assertEqual((str(one["SUMMARY"]), str(one["DESCRIPTION"])), ("Night watch", f"Ward 3\n{notes.strip()}"))
        name = self.check(owner.get(f"/api/facilities/{there}"), 200)["name"]
        self.assertTrue(str(other["LOCATION"]).startswith(name))

    def test_it_follows_the_roster(self):
        ada = person()
        url = self.share(ada)
        self.assertEqual(self.uids(url), [])
        row = shift(ada)["id"]
        service.wait_projected()
        self.assertEqual(self.uids(url), [f"shift-{row}"])
        self.check(owner.patch(f"{SHIFTS}/{row}", {"title": "Late watch"}), 200)
        service.wait_projected()
        self.assertEqual(str(self.read(url).events[0]["SUMMARY"]), "Late watch")
        self.check(owner.post(f"{SHIFTS}/{row}/cancel", {"reason": "not wanted"}), 200)
        service.wait_projected()
        self.assertEqual(self.uids(url), [])

    def test_shifts_of_long_ago_are_left_out(self):
        ada = person()
        days = (datetime.now(timezone.utc).date() - DAY).days
        shift(ada, days - 40)
        recent = shift(ada, days - 20)["id"]
        service.wait_projected()
        self.assertEqual(self.uids(self.share(ada)), [f"shift-{recent}"])

    def test_an_address_opens_one_calendar_until_it_ends(self):
        ada, ben = person("Ada"), person("Ben")
        url = self.share(ada)
        service.wait_projected()
        self.read(url)
        self.check_absent(url.replace(f"/{ada}/", f"/{ben}/"))
        self.check_absent(url[:-1] + ("a" if url[-1] != "a" else "b"))
        self.check_fields(self.fetch(url.split("?", maxsplit=1)[0]), "token")
        later = self.share(ada)
        self.check_absent(url)
        self.read(later)
        for _ in range(2):
            self.check(owner.delete(f"{STAFF}/{ada}/calendar-token"), 204)
            self.check_absent(later)
        stored = service.postgres.psql("SELECT encode(digest, 'escape') FROM auth.calendar_token")
        self.assertNotIn(self.share(ben).partition("token=")[2], stored)

    def test_people_have_their_own(self):
        ada, ben = person("Ada"), person("Ben")
        token = people.take_token(service, people.make_user(service, role="staff", staffId=ada, facilityIds=[here])["email"])
        viewer = people.take_token(service, people.make_user(service, role="viewer")["email"])
        self.read(self.share(ada, token))
        for verb in (token.post, token.delete):
            self.check_refused(verb(f"{STAFF}/{ben}/calendar-token"), 404, "NOT_FOUND")
        self.check_refused(viewer.post(f"{STAFF}/{ada}/calendar-token"), 403, "FORBIDDEN")
        requester = owner.with_key(rest.make_key(service, ["scheduling:request", "shifts:read"])[1])
        self.check_refused(requester.post(f"{STAFF}/{ada}/calendar-token"), 404, "NOT_FOUND")

    def test_who_makes_it_for_somebody_gives_away_what_they_see(self):
        ada = person(facilityIds=[here, there])
        seen, unseen = shift(ada)["id"], shift(ada, 2, facilityId=there)["id"]
        service.wait_projected()
        planner = owner.with_key(rest.make_key(service, ["staff:write", "staff:read", "shifts:read"], facility=here)[1])
        self.assertEqual(self.uids(self.share(ada, planner)), [f"shift-{seen}"])
        token = people.take_token(service, people.make_user(service, role="staff", staffId=ada, facilityIds=[here])["email"])
        self.assertEqual(self.uids(self.share(ada, token)), [f"shift-{seen}", f"shift-{unseen}"])
        blind = owner.with_key(rest.make_key(service, ["staff:write", "staff:read"])[1])
        self.assertEqual(self.check_refused(blind.post(f"{STAFF}/{ada}/calendar-token"), 403, "INSUFFICIENT_SCOPE"),
                         {"permission": "shifts.view"})

    def test_nobody_reads_of_who_left(self):
        ada, ben = person("Ada"), person("Ben")
        gone, erased = self.share(ada), self.share(ben)
        self.check(owner.delete(f"{STAFF}/{ada}"), 200)
        service.wait_projected()
        self.check_absent(gone)
        self.check(owner.post(f"{STAFF}/{ada}/reactivate"), 200)
        service.wait_projected()
        self.read(gone)
        service.command("erase", f"staff/{ben}", "--reason", "asked for")
        service.wait_projected()
        self.check_absent(erased)
        self.assertEqual(service.postgres.value(f"SELECT count(*) FROM auth.calendar_token WHERE staff_id = {ben}"), "0")
        self.check_refused(owner.post(f"{STAFF}/{ben}/calendar-token"), 404, "NOT_FOUND")

    def test_the_sandbox_is_apart(self):
        sandbox = rest.client_of(service, "test")
        live = person()
        self.check_refused(sandbox.post(f"{STAFF}/{live}/calendar-token"), 404, "NOT_FOUND")
        rehearsed = self.check(sandbox.post(STAFF, {"firstName": "San", "lastName": "Box", "email": "san@staff.example.test"}), 201)["id"]
        facility = self.check(sandbox.get("/api/facilities"), 200)["data"][0]["id"]
        body = {"facilityId": facility, "title": "Rehearsal", "date": str(DAY), "startTime": "08:00", "endTime": "10:00",
                "assignedStaffIds": [rehearsed]}
        row = self.check(sandbox.post(SHIFTS, body), 201)["id"]
        url = self.share(rehearsed, sandbox)
        service.wait_projected()
        self.assertEqual(self.uids(url), [f"shift-{row}"])
