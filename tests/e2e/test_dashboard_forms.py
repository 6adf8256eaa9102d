# Forms of the dashboard: shifts are posted and places changed, people clock in and out and read what they were told; and the Enter key,
# which presses the first button of a form, ends and refuses nothing.

import datetime
import html.parser
import re
import secrets
import zoneinfo

import people
import support
import test_dashboard_pages as dashboard
import test_docs_pages
from test_dashboard_pages import Page, Person

ZONE = "Europe/Rome"
CLOCKS = zoneinfo.ZoneInfo(ZONE)
TEMPLATES = (support.PROJECT_ROOT / "operations/dashboard", support.PROJECT_ROOT / "operations/pages")
# How buttons begin that take something away; "Take … off" does so by its end.
ENDS = re.compile(r"(Cancel|Deactivate|Decline|Delete|Deny|Disable|Empty|End|Expire|Refuse|Reject|Remove|Revoke|Void|Withdraw)\b|Take\b.*\b(away|back|off)$")
KEPT_BY_ENTER = ("hidden", "submit", "button")  # sorts of inputs in which the Enter key does nothing of a form's
service = owner = ward = None


def setUpModule():
    global service, owner, ward
    dashboard.setUpModule()
    service, owner = dashboard.service, dashboard.owner
    ward = dashboard.make_ward(ZONE)


def now(**before):
    return datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(**before)


class FormReader(html.parser.HTMLParser):
    """The forms of a page in their order: whether the Enter key sends one from some field, and its buttons, each with whether it is on."""

    def __init__(self, text):
        super().__init__()
        self.forms, self._in_button = [], False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if tag == "form":
            self.forms.append({"action": given.get("action"), "typed": False, "buttons": []})
        elif self.forms and tag == "input" and given.get("type", "text") not in KEPT_BY_ENTER:
            self.forms[-1]["typed"] = True
        elif self.forms and tag == "button" and given.get("type", "submit") == "submit":
            self.forms[-1]["buttons"].append(["", "disabled" not in given])
            self._in_button = True

    def handle_endtag(self, tag):
        self._in_button = self._in_button and tag != "button"

    def handle_data(self, data):
        if self._in_button:
            self.forms[-1]["buttons"][-1][0] += data


def ended_by_enter(text):
    """The forms whose first button, which the Enter key presses, takes something away, as (action, button)."""
    found = []
    for form in FormReader(text).forms:
        if not form["buttons"] or not (form["typed"] or len(form["buttons"]) > 1):
            continue
        said, is_on = form["buttons"][0]
        if is_on and ENDS.match(" ".join(said.split())):
            found.append((form["action"], said))
    return found


def template_text(path, depth=3):
    """A template with the parts that it includes, as if each condition held."""
    def part(found):
        name = found.group(1)
        names = (name, name.removesuffix("_part"))
        file = next((each for each in (path.parent / f"{name}.html" for name in names) if each.exists()), None)
        return template_text(file, depth - 1) if file and depth else ""
    return re.sub(r"\{\{\{?[^{}>]*\}?\}\}", "", re.sub(r"\{\{>\s*(\w+)\s*\}\}", part, path.read_text()))


class FormCase(dashboard.DashboardCase):

    def crew(self, **fields):
        """A staff member with a session, and who they are."""
        who = self.hire(**{"facilityIds": [ward["id"]]} | fields)
        return Person(role="staff", staffId=who["id"]), who

    def at_ward(self, **fields):
        return self.shift(**{"facilityId": ward["id"]} | fields)

    def on(self, shift):
        return self.check(owner.get(f"/api/shifts/{shift['id']}"), 200)["assignedStaffIds"]


class NewShiftTest(FormCase):

    FIELDS = {"date": "2031-08-07", "startTime": "22:00", "endTime": "06:00", "requiredWorkers": "2", "urgency": "high", "specialty": "Nurse",
              "department": "", "notes": "Bring the keys"}

    def test_a_shift_is_posted(self):
        person, title, week = Person(role="scheduler"), f"Night {secrets.token_hex(3)}", "/schedule?from=2031-08-04"
        page, fields = person.open(week), self.FIELDS | {"title": title, "facilityId": str(ward["id"])}
        made = person.send_form(page, "/schedule/shifts", **fields)
        self.assertEqual(made.status, 303, str(made))
        path = made.headers["Location"].split("?")[0]
        self.assertEqual(person.send_form(page, "/schedule/shifts", **fields).headers["Location"].split("?")[0], path, "sent twice it is one")
        shown = Page(person.follow(made).text)
        self.assertIn("The shift is posted.", shown.text)
        self.assertIn(ward["name"], shown.text)
        shift = self.check(owner.get("/api" + path.removeprefix("/schedule")), 200)
        told = {name: shift[name] for name in ("facilityId", "title", "date", "startTime", "endTime", "requiredWorkers", "urgency", "specialty",
                                               "notes", "timezone")}
        self.assertEqual(told, {name: fields.get(name) for name in told} | {"facilityId": ward["id"], "requiredWorkers": 2, "timezone": ZONE})
        self.assertIn(path, person.open(week).links)

    def test_what_is_wrong_is_said_and_the_rest_stays(self):
        person, title = Person(role="scheduler"), f"Night {secrets.token_hex(3)}"
        for wrong in ({"endTime": "22:00"}, {"requiredWorkers": "0"}, {"requiredWorkers": "many"}, {"date": "tomorrow"}, {"title": ""}):
            fields = self.FIELDS | {"title": title, "facilityId": str(ward["id"])} | wrong
            text = self.refused(person, "/schedule?from=2031-08-04", "/schedule/shifts", 400, **fields)
            self.assertIn("2031-08-04 to 2031-08-10", Page(text).text)
            self.assertIn(f'value="{fields["notes"]}"', text)
            self.assertIn("<option selected>high</option>", text)
        self.assertEqual(self.check(owner.get("/api/shifts", q=title), 200)["data"], [])

    def test_others_post_none(self):
        for role in ("viewer", "payroll_manager", "staff"):
            person = Person(role=role)
            page = person.open("/schedule")
            self.assertEqual([action for action in page.forms if action.startswith("/schedule/")], [], role)
            page.forms["/schedule/shifts"] = page.forms["/logout"]
            fields = self.FIELDS | {"title": "x", "facilityId": str(ward["id"])}
            self.assertEqual(person.send_form(page, "/schedule/shifts", **fields).status, 403, role)

    def test_a_template_posts_its_shifts(self):
        title, quay = f"Weekly {secrets.token_hex(3)}", self.check(owner.post("/api/facilities", {"name": f"Quay {secrets.token_hex(3)}"}), 201)
        template = self.check(owner.post("/api/shift-templates", {"facilityId": ward["id"], "title": title, "weekdays": [1, 3],
                                                                  "startTime": "07:00", "endTime": "15:00"}), 201)
        person, week = Person(role="scheduler"), "/schedule?from=2031-09-01"
        fields = {"template": str(template["id"]), "first": "2031-09-01", "last": "2031-09-14"}
        self.assertIn(f"{title}, 07:00–15:00, {ward['name']}", person.open(week).text)
        page = person.press(week, "/schedule/templates", **fields)
        self.assertIn("Shifts posted: 4. Days that had theirs already: 0.", page.text)
        self.assertIn("2031-09-01 to 2031-09-07", page.text)
        rows = self.check(owner.get("/api/shifts", templateId=template["id"]), 200)["data"]
        self.assertEqual([row["date"] for row in rows], ["2031-09-01", "2031-09-03", "2031-09-08", "2031-09-10"])
        self.assertIn(f"/schedule/shifts/{rows[0]['id']}", page.links)
        self.assertIn("Shifts posted: 0. Days that had theirs already: 4.", person.press(week, "/schedule/templates", **fields).text)
        self.refused(person, week, "/schedule/templates", 400, **fields | {"last": "2031-08-01"})
        self.assertNotIn("/schedule/templates", person.open(f"{week}&facilityId={quay['id']}").forms, "there is none")


class SwapTest(FormCase):

    def test_people_change_places(self):
        _, one = self.crew()
        _, two = self.crew(specialty="Porter")
        here = self.at_ward(date="2031-10-06", specialty="Surgeon", assignedStaffIds=[one["id"]])
        there = self.at_ward(date="2031-10-08", assignedStaffIds=[two["id"]])
        person, path = Person(role="scheduler"), f"/schedule/shifts/{here['id']}"
        self.assertIn(f"{path}?swap={one['id']}#swap", person.open(path).links)
        self.assertNotIn(f"{path}/swap", person.open(path).forms, "whoever looks says first who changes places")
        asked = f"{path}?swap={one['id']}"
        self.assertNotIn(f'value="{there["id"]}:{two["id"]}"', person.get(f"{asked}&day=2031-10-09").text)
        shown = person.get(asked).text
        self.assertIn(f'<option value="{there["id"]}:{two["id"]}">Mary {two["lastName"]}</option>', shown)
        self.assertIn(f'<optgroup label="2031-10-08, 08:00–16:00, {there["title"]}">', shown)
        page = person.press(asked, f"{path}/swap", other=f"{there['id']}:{two['id']}")
        self.assertIn("They have changed places.", page.text)
        self.assertIn("SPECIALTY_MISMATCH: ", page.text, "a rule that flags is told")
        self.assertEqual((self.on(here), self.on(there)), ([two["id"]], [one["id"]]))

    def test_a_swap_that_a_rule_blocks_is_refused_in_words(self):
        (_, one), (_, two) = self.crew(), self.crew()
        here, there = self.at_ward(date="2031-10-13", assignedStaffIds=[one["id"]]), self.at_ward(date="2031-10-14", assignedStaffIds=[two["id"]])
        self.at_ward(date="2031-10-13", assignedStaffIds=[two["id"]])
        person, path = Person(role="scheduler"), f"/schedule/shifts/{here['id']}"
        fields = {"other": f"{there['id']}:{two['id']}"}
        text = self.refused(person, f"{path}?swap={one['id']}&day=2031-10-12", f"{path}/swap", 409, **fields)
        self.assertIn('id="day" name="day" value="2031-10-12"', text, "the form stays as it was")
        self.assertEqual((self.on(here), self.on(there)), ([one["id"]], [two["id"]]))
        self.refused(person, f"{path}?swap={one['id']}", f"{path}/swap", 400, other="somebody")
        self.refused(person, f"{path}?swap={one['id']}", f"{path}/swap", 404, other=f"{there['id']}:999999")

    def test_who_may_not_has_no_form(self):
        (_, one), (_, two) = self.crew(), self.crew()
        here = self.at_ward(date="2031-10-20", assignedStaffIds=[one["id"]])
        self.at_ward(date="2031-10-21", assignedStaffIds=[two["id"]])
        path = f"/schedule/shifts/{here['id']}"
        page = Person(role="viewer").open(f"{path}?swap={one['id']}")
        self.assertNotIn(f"{path}/swap", page.forms)
        self.assertEqual([link for link in page.links if "swap" in link], [])
        person = Person(role="scheduler")
        self.assertIn(f"{path}/swap", person.open(f"{path}?swap={one['id']}").forms)
        for who in (two["id"], 999999, "x"):
            self.assertNotIn(f"{path}/swap", person.open(f"{path}?swap={who}").forms, "nobody of this shift")
        self.check(owner.post(f"/api/shifts/{here['id']}/cancel", {"reason": "Snow"}), 200)
        self.assertNotIn(f"{path}/swap", person.open(f"{path}?swap={one['id']}").forms)

    def test_a_rule_that_blocks_is_passed_with_a_reason(self):
        quay = self.check(owner.post("/api/facilities", {"name": f"Quay {secrets.token_hex(3)}"}), 201)["id"]
        who = self.hire(facilityIds=[quay])
        self.shift(facilityId=quay, date="2031-11-03", assignedStaffIds=[who["id"]])
        made = self.shift(facilityId=quay, date="2031-11-03")
        path = f"/schedule/shifts/{made['id']}"
        button = f"Pass the rules for Mary {who['lastName']}"
        scheduler = Person(role="scheduler", facilityIds=[quay]).open(path).text
        self.assertIn(f"Mary {who['lastName']}", scheduler)
        self.assertNotIn(button, scheduler)
        self.assertNotIn(f"Assign Mary {who['lastName']}", scheduler, "they have no right to pass the rule")
        manager = Person(role="manager", facilityIds=[quay])
        self.assertIn(button, manager.open(path).text)
        manager.press(path, f"{path}/assign", staffId=who["id"], override="on", comment="Nobody else can come")
        self.assertEqual(self.on(made), [who["id"]])
        row, = self.check(owner.get(f"/api/shifts/{made['id']}/assignments"), 200)["data"]
        self.assertEqual([(each["rule"], each["comment"]) for each in row["overrides"]], [("doubleBooking", "Nobody else can come")])


class ClockTest(FormCase):

    def of(self, who):
        row, = self.check(owner.get("/api/timesheets", staffId=who["id"]), 200)["data"]
        return row

    def starting(self, who, minutes):
        """A shift of four hours at the ward that begins so many minutes from now."""
        begins = datetime.datetime.now(CLOCKS) + datetime.timedelta(minutes=minutes)
        ends = begins + datetime.timedelta(hours=4)
        return self.at_ward(date=str(begins.date()), startTime=f"{begins:%H:%M}", endTime=f"{ends:%H:%M}", assignedStaffIds=[who["id"]])

    def test_a_shift_is_clocked_in_for_and_out_of(self):
        nurse, who = self.crew()
        soon, later = self.starting(who, 20), self.starting(who, 270)
        page = nurse.open("/me")
        self.assertIn("You are not clocked in.", page.text)
        self.assertIn(f"Clock in for {soon['title']}", page.text)
        self.assertNotIn(f"Clock in for {later['title']}", page.text, "it begins more than an hour from now")
        self.assertNotIn("/me/clock-out", " ".join(page.forms))
        shown = nurse.press("/me", "/me/clock-in", shiftId=soon["id"])
        log = self.of(who)
        self.assertEqual((log["shiftId"], log["status"]), (soon["id"], "open"))
        began = datetime.datetime.fromisoformat(log["clockIn"].replace("Z", "+00:00")).astimezone(CLOCKS)
        self.assertIn(f"You are clocked in since {began:%Y-%m-%d, %H:%M} ({ZONE})", shown.text)
        self.assertIn(soon["title"], shown.text)
        self.assertNotIn("/me/clock-in", shown.forms)
        page = nurse.press("/me", f"/me/clock-out/{log['id']}")
        self.assertIn("You are clocked out.", page.text)
        self.assertIn("You are not clocked in.", page.text)
        log = self.of(who)
        self.assertEqual((log["status"], log["breaks"]), ("submitted", []))

    def test_breaks_are_told_by_the_clocks_of_the_facility(self):
        person = Person(role="manager", staffId=self.hire(facilityIds=[ward["id"]])["id"])
        who = {"id": person.user["staffId"]}
        began = now(hours=3).replace(second=0, microsecond=0)
        log = self.check(owner.post("/api/timesheets", {"staffId": who["id"], "facilityId": ward["id"],
                                                        "clockIn": f"{began:%Y-%m-%dT%H:%M:%SZ}"}), 201)
        action = f"/me/clock-out/{log['id']}"
        self.assertIn(f"at {ward['name']}", person.open("/me").text)
        moments = [began + datetime.timedelta(minutes=minutes) for minutes in (60, 90, 120, 125)]
        times = [f"{moment.astimezone(CLOCKS):%H:%M}" for moment in moments]
        for wrong in ({"start-1": times[0]}, {"start-1": times[1], "end-1": times[0]}, {"start-1": "noon", "end-1": times[1]},
                      {"zone": "Nowhere"}, {"began": "long ago"}):
            self.refused(person, "/me", action, 400, **wrong)
        person.press("/me", action, **{"start-1": times[0], "end-1": times[1], "start-2": times[2], "end-2": times[3], "paid-2": "on"})
        log = self.of(who)
        self.assertEqual(log["status"], "submitted")
        self.assertEqual([(each["start"], each["end"], each["paid"]) for each in log["breaks"]],
                         [(f"{start:%Y-%m-%dT%H:%M:%S}.000Z", f"{end:%Y-%m-%dT%H:%M:%S}.000Z", paid)
                          for start, end, paid in ((*moments[:2], False), (*moments[2:], True))])

    def test_one_clocks_in_without_a_shift(self):
        nurse, who = self.crew()
        shown = nurse.press("/me", "/me/clock-in", facilityId=ward["id"])
        self.assertIn(f"at {ward['name']}", shown.text)
        self.assertEqual((self.of(who)["facilityId"], self.of(who)["shiftId"]), (ward["id"], None))
        page = nurse.open("/me")
        page.forms["/me/clock-in"] = page.forms["/logout"]
        again = nurse.send_form(page, "/me/clock-in", facilityId=str(ward["id"]))
        self.assertEqual(again.status, 409, str(again))
        self.assertIn('role="alert"', again.text)

    def test_who_records_no_time_has_no_clock(self):
        viewer = Person(role="viewer", staffId=self.hire()["id"])
        self.assertNotIn("/me/clock-in", viewer.open("/me").forms)
        self.assertNotIn("Your time", Person(role="scheduler").open("/me").text, "nobody's staff record")

    def test_who_can_not_clock_out_is_not_asked_to_clock_in(self):
        who = self.hire(facilityIds=[ward["id"]])
        planner = Person(role="scheduler", staffId=who["id"])
        page = planner.open("/me")
        self.assertNotIn("/me/clock-in", page.forms)
        self.assertIn("Your role does not keep its own time here", page.text)
        self.check(owner.post("/api/timesheets/clock-in", {"staffId": who["id"], "facilityId": ward["id"]}), 201)
        page = planner.open("/me")
        self.assertIn("You are clocked in since", page.text)
        self.assertIn("Your role does not end it here", page.text)

    def test_nobody_ends_the_time_of_others(self):
        (nurse, who), (other, _) = self.crew(), self.crew()
        nurse.press("/me", "/me/clock-in", facilityId=ward["id"])
        action = f"/me/clock-out/{self.of(who)['id']}"
        page = other.open("/me")
        page.forms[action] = page.forms["/logout"] | {"began": "0", "zone": "UTC"}
        self.assertEqual(other.send_form(page, action).status, 404)
        self.assertEqual(self.of(who)["status"], "open")


class NotificationTest(FormCase):

    def test_what_one_is_told_is_read(self):
        nurse, who = self.crew()
        self.assertIn("You were told nothing yet.", nurse.open("/me").text)
        made = [self.at_ward(date=f"2031-12-0{day}", assignedStaffIds=[who["id"]]) for day in (1, 2, 3)]
        rows = people.told(nurse, count=len(made))
        page = nurse.open("/me")
        self.assertIn("Unread: 3", page.text)
        self.assertIn(rows[0]["title"], page.text)
        page = nurse.press("/me", f"/me/notifications/{rows[0]['id']}")
        self.assertIn("Unread: 2", page.text)
        self.assertNotIn(f"/me/notifications/{rows[0]['id']}", page.forms)
        self.assertIn(f"/me/notifications/{rows[1]['id']}", page.forms)
        page = nurse.press("/me", "/me/notifications")
        self.assertIn("All are marked as read.", page.text)
        self.assertEqual([action for action in page.forms if action.startswith("/me/notifications")], [])
        self.assertEqual(self.check(nurse.get("/api/notifications/unread-count"), 200)["count"], 0)


class EnterTest(FormCase):

    def test_the_rule_finds_what_it_has_to(self):
        field, off = '<input type="text" name="reason">', '<button type="submit" disabled hidden>Nothing</button>'
        approve, refuse, take = ('<button type="submit">%s</button>' % text for text in ("Approve", "Refuse", "Take\nher off"))
        for form, is_found in ((field + refuse, True), (refuse + approve, True), (field + take, True), (approve + refuse, False),
                               (off + field + refuse, False), (refuse, False), (field + approve + refuse, False)):
            self.assertEqual(ended_by_enter(f'<form action="/x">{form}</form>'), [("/x", FormReader(f"<form>{form}</form>").forms[0]["buttons"][0][0])]
                             if is_found else [], form)

    def test_it_ends_nothing_on_any_page(self):
        files = [file for folder in TEMPLATES for file in sorted(folder.glob("*.html"))]
        self.assertGreater(sum(len(FormReader(template_text(file)).forms) for file in files), 30)
        for file in files:
            self.assertEqual(ended_by_enter(template_text(file)), [], file.name)

    def test_it_ends_nothing_on_pages_as_they_are_shown(self):
        who = self.hire(facilityIds=[ward["id"]])
        person, made = Person(role="admin", staffId=who["id"]), self.at_ward(date="2031-12-08", assignedStaffIds=[who["id"]])
        person.press("/me", "/me/time-off", type="vacation", startDate="2031-06-02", endDate="2031-06-06")
        nurse, _ = self.crew()
        free = self.shift(facilityId=ward["id"], date=str(datetime.date.today() + datetime.timedelta(days=2)))
        nurse.press("/me", f"/me/shifts/{free['id']}/claim")
        menu = {link for link in person.open("/dashboard").links if link.startswith("/") and link != "/docs"}
        self.assertLessEqual(set(dashboard.PAGES), menu)
        for path in (*sorted(menu), f"/schedule/shifts/{made['id']}", f"/schedule/shifts/{made['id']}?swap={who['id']}"):
            answer = person.get(path)
            self.assertEqual(answer.status, 200, str(answer))
            self.assertEqual(ended_by_enter(answer.text), [], path)


class BrowserTest(FormCase):

    def test_they_are_accessible_and_fit(self):
        (nurse, who), (_, two) = self.crew(), self.crew()
        person = Person(role="admin", staffId=self.hire(facilityIds=[ward["id"]])["id"])
        made = self.at_ward(date="2032-01-05", requiredWorkers=2, assignedStaffIds=[who["id"]])
        self.at_ward(date="2032-01-05", title="A shift with a long name, as people give them to what they know well", assignedStaffIds=[two["id"]])
        self.check(owner.post("/api/shift-templates", {"facilityId": ward["id"], "title": "Weekly", "weekdays": [1], "startTime": "07:00",
                                                       "endTime": "15:00"}), 201)
        ClockTest.starting(self, who, 10)
        people.told(nurse)
        person.press("/me", "/me/clock-in", facilityId=ward["id"])
        shift = f"/schedule/shifts/{made['id']}"
        looks = [*test_docs_pages.look(service.demo["baseUrl"], signed_in=["/schedule?from=2032-01-05", shift, f"{shift}?swap={who['id']}", "/me"],
                                       cookie=person.cookie),
                 *test_docs_pages.look(service.demo["baseUrl"], signed_in=["/me"], cookie=nurse.cookie)]
        for each in looks:
            with self.subTest(path=each["path"], width=each["width"], theme=each["theme"]):
                self.assertEqual(each["faults"], [])
                self.assertEqual((each["said"], each["elsewhere"]), ([], []))
                self.assertLessEqual(each["wider"], 0, "nobody has to scroll sideways")
