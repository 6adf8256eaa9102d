# Timesheets from the client's side: a day of work from clock-in to approval, overtime of a week, what stops a shift from losing its
# logs, who sees and may what, what subscribers and the dashboard hear, and what is left once a person is forgotten.

import datetime
import json
import secrets
import zoneinfo

import mcp
import people
import rest
import webhooks

TIMESHEETS, STAFF = "/api/timesheets", "/api/staff"
FIELDS = {"id", "organizationId", "staffId", "facilityId", "shiftId", "date", "clockIn", "clockOut", "breaks", "workedMinutes",
          "overtimeMinutes", "rate", "grossAmount", "status", "rejectionReason", "approvedBy", "approvedAt", "payrollRunId", "notes",
          "createdAt", "updatedAt"}
service = receiving = owner = None
here = there = 0


def setUpModule():
    global service, receiving, owner, here, there
    service, receiving, _ = webhooks.start()
    owner = rest.client_of(service)
    here, there = service.demo["facilityIds"]


def hire(*facilities, rate=20):
    made = owner.post(STAFF, {"firstName": "Ada", "lastName": "Byron", "facilityIds": list(facilities), "hourlyRate": rate,
                              "email": f"{secrets.token_hex(6)}@example.test"})
    assert made.status == 201, str(made)
    return made.body["id"]


def log(staff, begins, ends, **fields):
    answer = owner.post(TIMESHEETS, {"staffId": staff, "facilityId": here, "clockIn": begins, "clockOut": ends} | fields)
    assert answer.status == 201, str(answer)
    return answer.body


def where(timesheet):
    return f"{TIMESHEETS}/{timesheet['id']}"


def types_of(timesheet):
    """The types of its events, in order."""
    lines = service.command("tap", "--from", "start", "--until-idle", "--aggregate", f"timesheet/{timesheet['id']}").splitlines()
    return [json.loads(line)["type"] for line in lines]


def running_shift(*staff):
    """A shift that began a moment ago, with these people."""
    zone = owner.get(f"/api/facilities/{here}").body["timezone"]
    begins = datetime.datetime.now(datetime.timezone.utc).astimezone(zoneinfo.ZoneInfo(zone)) - datetime.timedelta(minutes=5)
    ends = begins + datetime.timedelta(hours=8)
    made = owner.post("/api/shifts", {"facilityId": here, "title": "Now", "date": str(begins.date()), "rate": 30,
                                      "startTime": begins.strftime("%H:%M"), "endTime": ends.strftime("%H:%M"),
                                      "requiredWorkers": max(len(staff), 1), "assignedStaffIds": list(staff)})
    assert made.status == 201, str(made)
    return made.body


class DayTest(webhooks.WebhookCase):

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.service, cls.receiving, cls.owner = service, receiving, owner

    def test_a_day_of_work(self):
        """A nurse clocks in and out by telephone, the manager approves, a subscriber hears of it."""
        hook = self.subscribe(events=["timesheet_approved"])
        person = hire(here)
        nurse = people.sign_in(service, people.make_user(service, role="staff", staffId=person)["email"])
        shift = running_shift(person)
        made = nurse.post(f"{TIMESHEETS}/clock-in", {"shiftId": shift["id"], "notes": "Came by bus"})
        opened = self.check(made, 201)
        self.assertEqual(set(opened), FIELDS)
        self.assertEqual(made.headers["Location"], where(opened))
        self.assertEqual((opened["status"], opened["staffId"], opened["facilityId"], opened["clockOut"], opened["notes"]),
                         ("open", person, here, None, "Came by bus"))
        service.wait_projected()
        self.assertEqual(self.check(owner.get(f"/api/shifts/{shift['id']}"), 200)["status"], "in_progress")
        details = self.check_refused(nurse.post(f"{TIMESHEETS}/clock-in", {"shiftId": shift["id"]}), 409, "ALREADY_CLOCKED_IN")
        self.assertEqual(details, {"timesheetId": opened["id"]})
        earlier = str(webhooks.moment(opened["clockIn"]) - datetime.timedelta(hours=2))
        moved = self.check(nurse.patch(where(opened), {"clockIn": earlier.replace(" ", "T")}), 200)
        self.assertEqual(moved["status"], "open")
        submitted = self.check(nurse.post(f"{where(opened)}/clock-out", {}), 200)
        self.assertEqual((submitted["status"], submitted["rate"]), ("submitted", 30), "the shift's rate, which it has")
        self.assertIn(submitted["workedMinutes"], range(120, 130))
        self.check_refused(nurse.patch(where(opened), {"notes": "Later"}), 409, "INVALID_STATE_TRANSITION")
        self.check_refused(nurse.post(f"{where(opened)}/approve"), 403, "FORBIDDEN")

        approved = self.check(owner.post(f"{where(opened)}/approve"), 200)
        self.assertEqual(approved["grossAmount"], round(approved["workedMinutes"] * 30 / 60, 2))
        self.assertEqual(self.check(owner.get(where(opened)), 200), approved)
        told = json.loads(self.arrived(hook)[0].body)
        self.assertEqual(told["data"], {"timesheetId": opened["id"], "shiftId": shift["id"], "staffId": person, "facilityId": here,
                                        "date": approved["date"], "workedMinutes": approved["workedMinutes"], "overtimeMinutes": 0,
                                        "approvedBy": approved["approvedBy"], "approvedAt": approved["approvedAt"]})
        self.assertEqual(types_of(opened), [f"timesheet.{verb}" for verb in ("opened", "edited", "submitted", "approved")])

    def test_the_dashboard_counts_hours_and_revenue(self):
        self.check(owner.patch(f"/api/facilities/{here}", {"billMarkupPercent": 12.5}), 200)
        before = self.check(owner.get("/api/dashboard/stats"), 200)
        now = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
        made = log(hire(here, rate=40), (now - datetime.timedelta(minutes=90)).isoformat(), now.isoformat())
        after = self.check(owner.get("/api/dashboard/stats"), 200)
        self.assertAlmostEqual(after["monthlyHours"] - before["monthlyHours"], 1.5, places=2)
        self.assertEqual(after["monthlyRevenue"], before["monthlyRevenue"], "submitted work is not billed yet")
        self.check(owner.post(f"{where(made)}/approve"), 200)
        billed = self.check(owner.get("/api/dashboard/stats"), 200)
        self.assertAlmostEqual(billed["monthlyRevenue"] - before["monthlyRevenue"], 67.5, places=2, msg="60, and 12.5 % on top")


class RulesTest(rest.RestCase):

    def test_overtime_of_a_week(self):
        person = hire(here)
        limit = self.check(owner.get(f"/api/organizations/{service.demo['organizationId']}"), 200)["settings"]["overtimeWeeklyMinutes"]
        days = [log(person, f"2026-03-{day:02}T06:00:00Z", f"2026-03-{day:02}T16:00:00Z") for day in range(2, 7)]
        read = [self.check(owner.get(where(each)), 200) for each in days]
        self.assertEqual([each["overtimeMinutes"] for each in read], [0, 0, 0, 0, 3000 - limit])
        self.assertEqual(read[-1]["grossAmount"], round(20 * (600 - read[-1]["overtimeMinutes"] + 1.5 * read[-1]["overtimeMinutes"]) / 60, 2))
        self.check(owner.post(f"{where(days[0])}/void"), 200)
        self.assertEqual(self.check(owner.get(where(days[-1])), 200)["overtimeMinutes"], max(2400 - limit, 0))
        results = self.check(owner.post(f"{TIMESHEETS}/approve", {"ids": [each["id"] for each in days] + [9_000_000_000]}), 200)["results"]
        self.assertEqual([each["status"] for each in results], ["error"] + 4 * ["approved"] + ["error"])
        self.assertEqual([results[0]["error"]["code"], results[-1]["error"]["code"]], ["INVALID_STATE_TRANSITION", "NOT_FOUND"])

    def test_a_shift_keeps_whom_it_has_logs_of(self):
        person, other = hire(here), hire(here)
        shift = running_shift(person)
        made = self.check(owner.post(TIMESHEETS, {"staffId": person, "shiftId": shift["id"], "clockIn": "2026-01-05T08:00:00Z",
                                                  "clockOut": "2026-01-05T16:00:00Z"}), 201)
        path = f"/api/shifts/{shift['id']}"
        for refused in (owner.post(f"{path}/unassign", {"staffId": person}), owner.delete(path),
                        owner.post(f"{path}/assign", {"staffIds": [other], "mode": "replace"})):
            self.assertEqual(self.check_refused(refused, 409, "TIMESHEET_EXISTS"), {"timesheetId": made["id"]})
        self.check(owner.post(f"{where(made)}/void"), 200)
        self.check(owner.post(f"{path}/unassign", {"staffId": person}), 200)

    def test_bad_input_names_its_fields(self):
        person = hire(here)
        self.check_fields(owner.post(TIMESHEETS, {"staffId": person}), "clockIn")
        self.check_fields(owner.post(TIMESHEETS, {"staffId": person, "facilityId": here, "clockIn": "soon", "clockOut": "later"}),
                          "clockIn", "clockOut")
        day = {"staffId": person, "facilityId": here, "clockIn": "2026-02-02T08:00:00Z"}
        self.check_fields(owner.post(TIMESHEETS, day | {"clockOut": "2026-02-02T08:00:00Z"}), "clockOut")
        self.check_fields(owner.post(TIMESHEETS, day | {"clockOut": "2026-02-03T08:01:00Z"}), "clockOut")
        made = log(person, "2026-02-02T08:00:00Z", "2026-02-02T16:00:00Z")
        self.check_fields(owner.patch(where(made), {"clockOut": None}), "clockOut")
        for minutes in (0, -1, 1441):
            ends = datetime.datetime(2026, 2, 2, 8, tzinfo=datetime.timezone.utc) + datetime.timedelta(minutes=minutes)
            self.check_fields(owner.patch(where(made), {"clockOut": ends.isoformat()}), "clockOut")
        self.check_fields(owner.patch(where(made), {"facilityId": there, "staffId": person + 1}), "facilityId", "staffId")
        rest_of = {"start": "2026-02-02T07:00:00Z", "end": "2026-02-02T06:00:00Z"}
        self.check_fields(owner.post(TIMESHEETS, day | {"clockOut": "2026-02-02T08:00:00Z", "breaks": [rest_of]}), "clockOut", "breaks")
        self.check_fields(owner.post(f"{where(made)}/reject", {}), "reason")
        self.check_fields(owner.post(f"{TIMESHEETS}/approve", {"ids": [made["id"], 0, -1]}), "ids[1]", "ids[2]")

    def test_a_day_before_the_calendar_stops_no_read_model(self):
        place = self.check(owner.post("/api/facilities", {"name": secrets.token_hex(8), "timezone": "America/New_York"}), 201)["id"]
        person = hire(place)
        first = {"staffId": person, "facilityId": place, "clockIn": "0001-01-01T00:00:00Z"}
        self.check_fields(owner.post(TIMESHEETS, first), "clockIn")
        self.check_fields(owner.post(TIMESHEETS, first | {"clockOut": "0001-01-01T04:00:00Z"}), "clockIn")
        made = log(person, "2026-02-02T08:00:00Z", "2026-02-02T16:00:00Z", facilityId=place)
        self.check_fields(owner.patch(where(made), {"clockIn": first["clockIn"], "clockOut": "0001-01-01T04:00:00Z"}), "clockIn")
        self.check(owner.get(where(made)), 200)

    def test_a_tool_lists_them(self):
        person = hire(here)
        rows = [log(person, f"2026-04-{day:02}T08:00:00Z", f"2026-04-{day:02}T12:00:00Z") for day in (1, 2)]
        self.check(owner.post(f"{where(rows[1])}/approve"), 200)
        told = mcp.client_of(service).call("timesheets_list", {"staffId": person, "status": ["submitted"]})
        self.assertEqual([row["id"] for row in told.content["data"]], [rows[0]["id"]])

    def test_one_logs_no_work_of_others(self):
        person, other = hire(here), hire(here)
        nurse = people.sign_in(service, people.make_user(service, role="staff", staffId=person)["email"])
        work = {"facilityId": here, "clockIn": "2026-05-05T08:00:00Z"}
        self.check_refused(nurse.post(TIMESHEETS, {"staffId": other, **work}), 404, "NOT_FOUND")
        self.assertEqual(self.check(nurse.post(TIMESHEETS, work), 201)["staffId"], person)

    def test_a_forgotten_person_leaves_hours(self):
        person = hire(here)
        made = log(person, "2026-06-01T08:00:00Z", "2026-06-01T12:00:00Z", notes="Met Wilhelmina Quasthoff")
        service.command("erase", f"staff/{person}", "--reason", "asked for")
        kept = self.check(owner.get(where(made)), 200)
        self.assertEqual((kept["notes"], kept["workedMinutes"], kept["grossAmount"]), ("", 240, 80))
