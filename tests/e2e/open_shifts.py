# What suites of claims and offers share: an installation, people who sign in, and open shifts.

import secrets
import zoneinfo
from datetime import datetime, timedelta

import people
import rest
import support

STAFF, SHIFTS = "/api/staff", "/api/shifts"
EXPIRY_SECONDS = 150  # the jobs come once a minute


class OpenShiftCase(rest.RestCase, support.ServiceCase):
    """Mixed into suites; it has no tests of its own."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.owner = rest.client_of(cls.service)
        cls.here, cls.there = cls.service.demo["facilityIds"]
        cls.days = iter(range(1, 1000))

    def hire(self, *facilities):
        return self.check(self.owner.post(STAFF, {"firstName": "Ada", "lastName": "Byron", "facilityIds": list(facilities or [self.here]),
                                                  "email": f"{secrets.token_hex(6)}@example.test"}), 201)["id"]

    def user(self, **fields):
        """A client with the token of a new user."""
        return people.take_token(self.service, people.make_user(self.service, **fields)["email"])

    def member(self, *facilities):
        """A staff member, and a client of theirs."""
        staff = self.hire(*facilities)
        return staff, self.user(role="staff", staffId=staff, facilityIds=list(facilities or [self.here]))

    def shift(self, *staff, facility=None, workers=1, date=None, **fields):
        """An open shift of a day of its own."""
        when = date or f"{2031 + (day := next(self.days)) // 300}-{1 + day % 300 // 25:02}-{1 + day % 25:02}"
        return self.check(self.owner.post(SHIFTS, {"facilityId": facility or self.here, "title": "Ward", "date": when, "startTime": "08:00",
                                                   "endTime": "16:00", "requiredWorkers": workers, "assignedStaffIds": list(staff)} | fields),
                          201)

    def soon(self):
        """Date and times of a shift that begins within two minutes, and not at once."""
        zone = zoneinfo.ZoneInfo(self.check(self.owner.get(f"/api/facilities/{self.here}"), 200)["timezone"])
        begin = datetime.now(zone) + timedelta(seconds=90)
        end = begin + timedelta(hours=1)
        return {"date": str(begin.date()), "startTime": begin.strftime("%H:%M"), "endTime": end.strftime("%H:%M")}

    def assigned(self, shift):
        """Who is on it, and how they came."""
        rows = self.check(self.owner.get(f"{SHIFTS}/{shift['id']}/assignments"), 200)["data"]
        return [(row["staffId"], row["source"]) for row in rows]

    def restart(self, *clients):
        """The service forgets what was in memory."""
        self.service.stop()
        self.service.start()
        for client in (self.owner, *clients):
            client.close()

    def listed(self, client, path, **query):
        return [row["id"] for page in rest.pages(client, path, limit=200, **query) for row in page]
