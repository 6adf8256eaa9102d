# The dashboard's pages of people and money: staff, their credentials, their timesheets, and payroll.

import datetime
import re
import secrets

import people
import support
import test_dashboard_pages as dashboard
import test_docs_pages
from test_dashboard_pages import Page, Person

PAGES = ["/staff", "/credentials", "/timesheets", "/payroll"]
ENDS_NOTHING = '<button type="submit" disabled hidden>'  # the first button of a form, which the Enter key would press
ZONE = "Europe/Rome"
PAID_SECONDS = 60
service = owner = ward = None


def setUpModule():
    global service, owner, ward
    dashboard.setUpModule()
    service, owner = dashboard.service, dashboard.owner
    ward = dashboard.make_ward(ZONE)


def names_of(page, prefix):
    """The paths that the page leads to below that one."""
    return [link for link in page.links if link.startswith(prefix + "/")]


class PeopleCase(dashboard.DashboardCase):

    def hired(self, **fields):
        return self.hire(**{"facilityIds": [ward["id"]], "hourlyRate": 20} | fields)

    def credential(self, person, **fields):
        return self.check(owner.post("/api/credentials", {"staffId": person["id"], "type": "license", "name": "Registered Nurse",
                                                          "number": "RN-1234567", "expiresOn": "2031-12-31"} | fields), 201)

    def log(self, person, day="2026-03-02", begins="08:00", ends="16:00"):
        """A submitted log at the ward, of times in UTC."""
        return self.check(owner.post("/api/timesheets", {"staffId": person["id"], "facilityId": ward["id"], "clockIn": f"{day}T{begins}:00Z",
                                                         "clockOut": f"{day}T{ends}:00Z"}), 201)

    def approved(self, person, day):
        return self.check(owner.post(f"/api/timesheets/{self.log(person, day)['id']}/approve"), 200)

    def made_by(self, person, path, action, **fields):
        """The page of what a form makes, and its id."""
        answer = person.send_form(person.open(path), action, **fields)
        self.assertEqual(answer.status, 303, str(answer))
        where = answer.headers["Location"].split("?")[0]
        return Page(person.follow(answer).text), int(where.rsplit("/", 1)[1])

    def offered(self, person, path):
        """The ends of the actions of a page's forms."""
        return {action.removeprefix(path) for action in person.open(path).forms if action.startswith(path)}


class AccessTest(PeopleCase):

    def test_the_menu_has_what_the_role_may(self):
        menus = {role: [link for link in Person(role=role).open("/dashboard").links if link in PAGES]
                 for role in ("admin", "scheduler", "payroll_manager", "viewer", "sales_rep")}
        self.assertEqual(menus, {"admin": PAGES, "scheduler": PAGES[:3], "payroll_manager": ["/staff", "/timesheets", "/payroll"],
                                 "viewer": PAGES[:3], "sales_rep": []})
        self.assertEqual(Person(role="sales_rep").get("/staff").status, 403)

    def test_pages_are_safe_and_what_is_not_there_is_told_so(self):
        person = Person(role="admin")
        for path in PAGES:
            self.assertEqual(person.open(path).active, [])
            self.assertEqual(person.get(f"{path}/999999").status, 404, path)
            self.assertEqual(service_answer(path).status, 303)

    def test_a_form_is_shown_to_those_who_may(self):
        who = self.hired()
        credential, log = self.credential(who), self.log(who)
        draft = self.check(owner.post("/api/payroll/runs", {"periodStart": "2025-01-01", "periodEnd": "2025-01-02", "type": "off_cycle"}), 201)
        viewer, payer = Person(role="viewer"), Person(role="payroll_manager")
        for path in ("/staff", f"/staff/{who['id']}", f"/credentials/{credential['id']}", f"/timesheets/{log['id']}", "/timesheets"):
            self.assertEqual([action for action in viewer.open(path).forms if action not in ("/logout", path)], [], path)
        self.assertEqual(viewer.get("/payroll").status, 403)
        self.assertIn(f"/payroll/{draft['id']}/delete", payer.open(f"/payroll/{draft['id']}").forms)
        self.assertEqual(payer.get("/credentials").status, 403)
        page = payer.open(f"/staff/{who['id']}")
        self.assertNotIn(f"/staff/{who['id']}", page.forms)
        self.assertIn(f"/staff/{who['id']}/timesheets", page.forms)
        self.assertNotIn("Credentials", page.text, "what one may not see is left out")

    def test_who_sees_their_own_sees_no_others(self):
        who, other = self.hired(), self.hired()
        self.credential(who), self.credential(other), self.log(who), self.log(other)
        nurse = Person(role="staff", staffId=who["id"])
        self.assertEqual(names_of(nurse.open("/staff"), "/staff"), [f"/staff/{who['id']}"])
        self.assertEqual(nurse.get(f"/staff/{other['id']}").status, 404)
        for path in ("/credentials", "/timesheets"):
            self.assertIn(who["lastName"], nurse.open(path).text)
            self.assertNotIn(other["lastName"], nurse.open(path).text)
        self.assertIn("/timesheets", nurse.open("/payroll").links)

    def test_who_is_bound_to_a_facility_sees_its_people(self):
        here, elsewhere = self.hired(), self.hired(facilityIds=[service.demo["facilityIds"][0]])
        bound = Person(role="facility_admin", facilityIds=[ward["id"]])
        text = bound.open("/staff").text
        self.assertIn(here["lastName"], text)
        self.assertNotIn(elsewhere["lastName"], text)
        both = self.hired(facilityIds=[ward["id"], service.demo["facilityIds"][0]])
        bound.press(f"/staff/{both['id']}", f"/staff/{both['id']}", firstName="Grace", lastName="Hopper", email=both["email"],
                    employmentType="contract", **{f"facilityIds:{ward['id']}": "on"})
        changed = self.check(owner.get(f"/api/staff/{both['id']}"), 200)
        self.assertEqual((changed["firstName"], changed["employmentType"]), ("Grace", "contract"))
        self.assertEqual(set(changed["facilityIds"]), set(both["facilityIds"]), "what the form did not show stays")


def service_answer(path):
    """The page as somebody gets it who has not signed in."""
    return people.client_of(service).get(path)


class StalePageTest(PeopleCase):
    """What was changed since a page was loaded is neither overwritten nor approved by it."""

    def test_a_change_meanwhile_is_kept(self):
        admin, who = Person(role="admin"), self.hired()
        path = f"/staff/{who['id']}"
        page = admin.open(path)
        self.check(owner.patch(f"/api/staff/{who['id']}", {"hourlyRate": 77.5}), 200)
        fields = {"firstName": "Grace", "lastName": who["lastName"], "email": who["email"], "hourlyRate": "20"}
        refused = admin.send_form(page, path, **fields)
        self.assertEqual(refused.status, 412, str(refused))
        self.assertIn("This was changed since the page was loaded", refused.text)
        row = self.check(owner.get(f"/api/staff/{who['id']}"), 200)
        self.assertEqual((row["firstName"], row["hourlyRate"]), (who["firstName"], 77.5))
        self.assertEqual(admin.send_form(Page(refused.text), path, **fields).status, 303, "once it was looked at")
        service.wait_projected()
        self.assertEqual(self.check(owner.get(f"/api/staff/{who['id']}"), 200)["hourlyRate"], 20)

    def test_another_amount_is_not_approved(self):
        payer, who = Person(role="payroll_manager"), self.hired()
        draft = self.check(owner.post("/api/payroll/runs", {"periodStart": "2024-01-01", "periodEnd": "2024-01-02", "type": "off_cycle", "adjustments": [
            {"staffId": who["id"], "kind": "bonus", "amount": 10}]}), 201)
        path = f"/payroll/{draft['id']}"
        page = payer.open(path)
        self.check(owner.patch(f"/api/payroll/runs/{draft['id']}", {"adjustments": [{"staffId": who["id"], "kind": "bonus", "amount": 9000}]}), 200)
        self.assertEqual(payer.send_form(page, f"{path}/decide", decision="approve").status, 412)
        self.assertEqual(self.check(owner.get(f"/api/payroll/runs/{draft['id']}"), 200)["status"], "draft")


class StaffTest(PeopleCase):

    def test_a_person_is_added_changed_and_deactivated(self):
        admin, unique = Person(role="admin"), secrets.token_hex(4)
        fields = {"firstName": "Rosa", "lastName": f"Alvarez {unique}", "email": f"{unique}@example.test", "employmentType": "part_time",
                  "hourlyRate": "38.5", "skills": "wound care, advanced\r\ntriage", "emergencyContact.name": "Ada", f"facilityIds:{ward['id']}": "on"}
        page, made = self.made_by(admin, "/staff", "/staff", **fields)
        self.assertIn("The person is added.", page.text)
        self.assertIn("38.50", page.text)
        row = self.check(owner.get(f"/api/staff/{made}"), 200)
        self.assertEqual((row["employmentType"], row["hourlyRate"], row["skills"], row["emergencyContact"]["name"], row["facilityIds"]),
                         ("part_time", 38.5, ["wound care, advanced", "triage"], "Ada", [ward["id"]]))
        self.assertIn(f"/staff/{made}", admin.open(f"/staff?q={unique}&employmentType=part_time&facilityId={ward['id']}").links)
        self.assertNotIn(f"/staff/{made}", admin.open(f"/staff?q={unique}&employmentType=contract").links)
        path = f"/staff/{made}"
        admin.press(path, path, **fields | {"phone": "+39 6 1234", "skills": "", "maxWeeklyHours": "30"})
        row = self.check(owner.get(f"/api/staff/{made}"), 200)
        self.assertEqual((row["phone"], row["skills"], row["maxWeeklyHours"], row["hourlyRate"]), ("+39 6 1234", [], 30, 38.5))
        shift = self.shift(facilityId=ward["id"], assignedStaffIds=[made])
        self.assertIn("shift", self.refused(admin, path, f"{path}/deactivate", 409))
        self.assertIn("not active", admin.press(path, f"{path}/deactivate", force="on").text)
        self.assertEqual(self.check(owner.get(f"/api/shifts/{shift['id']}"), 200)["assignedStaffIds"], [])
        self.assertNotIn(path, admin.open(f"/staff?q={unique}").links)
        self.assertIn(path, admin.open(f"/staff?q={unique}&isActive=false").links)
        self.assertNotIn(f"{path}/deactivate", admin.open(path).forms)
        self.assertIn("active again", admin.press(path, f"{path}/reactivate").text)

    def test_when_a_person_can_work(self):
        admin, who = Person(role="admin"), self.hired()
        path = f"/staff/{who['id']}"
        action = f"{path}/availability"
        self.assertIn("at any time", admin.open(path).text)
        night = {"blocks.0.weekday": "1", "blocks.0.from": "22:00", "blocks.0.to": "06:00"}
        page = admin.press(path, action, **night | {"blocks.1.weekday": "", "blocks.1.from": "", "blocks.1.to": ""})
        self.assertIn("Monday, 22:00 to 06:00", page.text)
        said = self.check(owner.get(f"/api/staff/{who['id']}/availability"), 200)["blocks"]
        self.assertEqual(said, [{"weekday": 1, "from": "22:00", "to": "06:00"}])
        self.assertIn("blocks[0].weekday", self.refused(admin, path, action, 400, **night | {"blocks.0.weekday": ""}))
        stale = admin.open(path)
        self.check(owner.patch(f"/api/staff/{who['id']}", {"phone": "+39 6 1234"}), 200)
        self.assertEqual(admin.send_form(stale, action, **night).status, 412)
        self.assertIn("at any time", admin.press(path, action, **{"blocks.0.weekday": "", "blocks.0.from": "", "blocks.0.to": ""}).text)
        self.assertNotIn(action, Person(role="viewer").open(path).forms)

    def test_a_place_that_is_out_of_use_can_be_taken_off(self):
        admin, gone = Person(role="admin"), dashboard.make_ward(ZONE)
        who = self.hired(facilityIds=[gone["id"], ward["id"]])
        self.check(owner.delete(f"/api/facilities/{gone['id']}"), 200)
        path = f"/staff/{who['id']}"
        page = admin.open(path)
        self.assertIn(f"{gone['name']} (out of use)", page.text)
        self.assertEqual([name for name in page.forms[path] if name.startswith("facilityIds:")], [], "nothing is sent that is not shown")
        fields = {"firstName": who["firstName"], "lastName": who["lastName"], "email": who["email"], "employmentType": who["employmentType"]}
        admin.press(path, path, **fields, **{f"facilityIds:{ward['id']}": "2"})
        self.assertEqual(self.check(owner.get(f"/api/staff/{who['id']}"), 200)["facilityIds"], [ward["id"]])
        self.assertNotIn("out of use", admin.open(path).text)

    def test_a_form_that_is_sent_as_it_was_shown_changes_nothing(self):
        places = [dashboard.make_ward(ZONE)["id"] for _ in range(3)]
        places = [places[2], places[0], places[1]]
        admin, who = Person(role="admin"), self.hired(facilityIds=places)
        path = f"/staff/{who['id']}"
        service.wait_projected()
        text = admin.get(path).text
        ticked = dict(re.findall(r'name="(facilityIds:\d+)" value="(\w+)" checked', text))
        before = owner.get(f"/api/staff/{who['id']}")
        fields = {name: str(who[name]) for name in ("firstName", "lastName", "email", "employmentType", "hourlyRate")}
        self.assertEqual(admin.send_form(Page(text), path, **fields, **ticked).status, 303)
        after = owner.get(f"/api/staff/{who['id']}")
        self.assertEqual((after.body["facilityIds"], after.headers["ETag"]), (places, before.headers["ETag"]))

    def test_what_is_wrong_is_said_and_what_was_typed_stays(self):
        admin, who = Person(role="admin"), self.hired()
        typed = {"firstName": "Rosa", "lastName": "Alvarez", "email": "nowhere", "employmentType": "contract", "hourlyRate": "much"}
        text = self.refused(admin, "/staff", "/staff", 400, **typed)
        self.assertRegex(text, r'role="alert">2 fields are not valid: .*email.*hourlyRate')
        self.assertIn('value="nowhere"', text)
        self.assertIn('<option value="contract" selected>', text)
        text = self.refused(admin, "/staff", "/staff", 409, **typed | {"email": who["email"], "hourlyRate": ""})
        self.assertIn("Alvarez", text)
        self.assertIn("can’t be shown", admin.open("/staff?q=x").text.replace("'", "’"), "a filter that means nothing")

    def test_a_long_list_has_pages(self):
        rows = "\n".join(f"Number,{index:02},{secrets.token_hex(6)}@example.test,Counter" for index in range(52))
        raw = f"firstName,lastName,email,specialty\n{rows}\n".encode()
        self.check(owner.send("POST", "/api/staff/import", headers={"Content-Type": "text/csv"}, raw=raw), 200)
        viewer = Person(role="viewer")
        first = viewer.open("/staff?specialty=Counter")
        more, = (link for link in first.links if "cursor=" in link)
        self.assertIn("specialty=Counter", more)
        second = viewer.open(more)
        found = names_of(first, "/staff"), names_of(second, "/staff")
        self.assertEqual(([len(each) for each in found], len({*found[0], *found[1]})), ([50, 2], 52))
        self.assertEqual([link for link in second.links if "cursor=" in link], [])


class CredentialTest(PeopleCase):

    def test_a_credential_from_beginning_to_end(self):
        admin, who = Person(role="admin"), self.hired()
        path = f"/staff/{who['id']}"
        page = admin.press(path, f"{path}/credentials", type="license", name="Registered Nurse", number="RN-0000017", expiresOn="2031-12-31")
        self.assertIn("The credential is added.", page.text)
        own, = names_of(page, "/credentials")
        number = own.rsplit("/", 1)[1]
        self.assertIn(own, admin.open(f"/credentials?status=pending&type=license&staffId={who['id']}").links)
        self.assertIn(f"Only of Mary {who['lastName']}", admin.open(f"/credentials?staffId={who['id']}").text)
        self.assertEqual(names_of(admin.open(f"/credentials?status=verified&staffId={who['id']}"), "/credentials"), [])
        self.assertIn("RN-0000017", admin.open(own).text)
        self.assertEqual(self.offered(admin, own), {"", "/decide", "/ask-registry"})
        self.assertIn("pending", admin.press(own, own, name="Registered Nurse", number="RN-0000018", expiresOn="").text)
        row = self.check(owner.get(f"/api/credentials/{number}"), 200)
        self.assertEqual((row["number"], row["expiresOn"], row["status"]), ("RN-0000018", None, "pending"))
        self.assertIn("reason", self.refused(admin, own, f"{own}/decide", 400, decision="reject", reason=""))
        page = admin.press(own, f"{own}/decide", decision="reject", reason="The name differs")
        self.assertIn("The name differs", page.text)
        self.assertIn("verified", admin.press(own, f"{own}/decide", decision="verify").text)
        asked = admin.press(own, f"{own}/ask-registry")
        self.assertIn("The registry answered.", asked.text)
        self.assertIn("expired", admin.press(own, f"{own}/decide", decision="expire", reason="Withdrawn").text)
        page = admin.press(own, f"{own}/decide", decision="revoke", reason="For good")
        self.assertIn("revoked", page.text)
        self.assertEqual(self.offered(admin, own), set(), "nothing changes it any more")

    def test_the_enter_key_ends_nothing(self):
        """A form that takes something away has no box, from which browsers send it, and before its text a button that does nothing."""
        admin, who = Person(role="admin"), self.hired()
        credential, log = self.credential(who), self.log(who)
        service.wait_projected()
        for path, count in ((f"/credentials/{credential['id']}", 3), (f"/timesheets/{log['id']}", 2), (f"/staff/{who['id']}", 1)):
            ending = [form for form in re.findall(r'<form method="post".*?</form>', admin.get(path).text, re.S)
                      if re.search(r'value="(reject|expire|revoke|void)"|/deactivate"', form)]
            self.assertEqual(len(ending), count, path)
            for form in ending:
                self.assertNotIn('type="checkbox"', form)
                if 'type="text"' in form:
                    self.assertLess(form.index(ENDS_NOTHING), form.index('type="text"'))


class TimesheetTest(PeopleCase):

    def test_work_is_recorded_by_the_clocks_of_its_place(self):
        manager, who = Person(role="manager"), self.hired()
        path = f"/staff/{who['id']}"
        page = manager.press(path, f"{path}/timesheets", place=f"facility:{ward['id']} {ZONE}", clockIn="2026-02-02T08:00",
                             clockOut="2026-02-02T16:30", notes="Covered for Ada",
                             **{"breaks.0.start": "2026-02-02T12:00", "breaks.0.end": "2026-02-02T12:30"})
        log, = names_of(page, "/timesheets")
        row = self.check(owner.get(f"/api{log}"), 200)
        self.assertEqual((row["clockIn"], row["clockOut"], row["workedMinutes"], row["status"]),
                         ("2026-02-02T07:00:00.000Z", "2026-02-02T15:30:00.000Z", 480, "submitted"))
        self.assertEqual(row["breaks"], [{"start": "2026-02-02T11:00:00.000Z", "end": "2026-02-02T11:30:00.000Z", "paid": False}])
        page = manager.open(log)
        for text in (f"2026-02-02 08:00 to 2026-02-02 16:30 ({ZONE})", "8.00", "160.00", "Covered for Ada", ward["name"], who["lastName"]):
            self.assertIn(text, page.text)
        text = self.refused(manager, path, f"{path}/timesheets", 400, place=f"facility:{ward['id']} {ZONE}", clockIn="2026-02-03T08:00",
                            clockOut="2026-02-03T07:00")
        self.assertIn("clockOut must be after clockIn", text)
        self.assertIn('value="2026-02-03T07:00"', text)
        self.assertIn("Another log", self.refused(manager, path, f"{path}/timesheets", 409, place=f"facility:{ward['id']} {ZONE}",
                                                  clockIn="2026-02-02T09:00", clockOut="2026-02-02T10:00"))
        self.assertIn("place", self.refused(manager, path, f"{path}/timesheets", 400, place="nowhere", clockIn="2026-02-03T08:00"))
        self.assertIn("clockIn", self.refused(manager, path, f"{path}/timesheets", 400, place=f"facility:{ward['id']} {ZONE}",
                                              clockIn="yesterday"))

    def test_a_timesheet_is_corrected_and_decided(self):
        manager, who = Person(role="manager"), self.hired()
        begins = "2026-03-02T07:00:17.250Z"  # its seconds are nobody's to lose
        made = self.check(owner.post("/api/timesheets", {"staffId": who["id"], "facilityId": ward["id"], "clockIn": begins,
                                                         "clockOut": "2026-03-02T15:00:00Z"}), 201)
        path = f"/timesheets/{made['id']}"
        self.assertEqual(self.offered(manager, path), {"", "/decide"})
        manager.press(path, path, clockIn="2026-03-02T08:00", clockOut="2026-03-02T17:00", notes="Late")
        row = self.check(owner.get(f"/api{path}"), 200)
        self.assertEqual((row["clockIn"], row["clockOut"], row["notes"]), (begins, "2026-03-02T16:00:00.000Z", "Late"))
        page = manager.press(path, f"{path}/decide", decision="reject", reason="Where was the break?")
        self.assertIn("Where was the break?", page.text)
        manager.press(path, path, clockIn="2026-03-02T08:00", clockOut="2026-03-02T17:00",
                      **{"breaks.0.start": "2026-03-02T12:00", "breaks.0.end": "2026-03-02T13:00"})
        self.assertIn("2026-03-02 12:00 to 2026-03-02 13:00, not paid", manager.open(path).text)
        page = manager.press(path, f"{path}/decide", decision="approve")
        self.assertIn("Approved at", page.text)
        self.assertNotIn(path, page.forms, "what is approved is not changed")
        page = manager.press(path, f"{path}/decide", decision="unapprove")
        self.assertIn("submitted", page.text)
        page = manager.press(path, f"{path}/decide", decision="void")
        self.assertEqual(self.offered(manager, path), set())
        self.assertEqual(self.check(owner.get(f"/api{path}"), 200)["status"], "void")

    def test_several_are_approved_at_once(self):
        who = self.hired()
        manager = Person(role="manager", staffId=self.hired()["id"])
        own = self.log({"id": manager.user["staffId"]}, "2026-03-03")
        first, second, other = (self.log(who, day) for day in ("2026-03-03", "2026-03-04", "2026-03-05"))
        page = manager.open(f"/timesheets?status=submitted&facilityId={ward['id']}&from=2026-03-03&to=2026-03-05")
        self.assertLessEqual({f"/timesheets/{log['id']}" for log in (first, second, other, own)}, set(page.links))
        self.check(owner.post(f"/api/timesheets/{second['id']}/void"), 200)
        answer = manager.send_form(page, "/timesheets", **{f"pick:{log['id']}": "on" for log in (first, second, own)})
        self.assertEqual(answer.status, 200, str(answer))
        for log in (second, own):
            self.assertIn(f"Timesheet {log['id']} was not approved", answer.text)
        statuses = [self.check(owner.get(f"/api/timesheets/{log['id']}"), 200)["status"] for log in (first, second, other, own)]
        self.assertEqual(statuses, ["approved", "void", "submitted", "submitted"])
        self.assertNotIn(f"pick:{own['id']}", manager.get("/timesheets").text, "nobody is offered their own")
        self.assertNotIn("Approve", manager.open(f"/timesheets/{own['id']}").text)
        self.refused(manager, "/timesheets", "/timesheets", 400)

    def test_who_works_clocks_in_and_out(self):
        who = self.hired()
        nurse, path = Person(role="staff", staffId=who["id"]), f"/staff/{who['id']}"
        page = nurse.press(path, f"{path}/clock-in", place=f"facility:{ward['id']} {ZONE}")
        log, = names_of(page, "/timesheets")
        self.assertEqual(self.offered(nurse, log), {"", "/decide"})
        page = nurse.press(log, f"{log}/decide", decision="clock_out")
        self.assertIn("submitted", page.text)
        self.assertEqual(self.offered(nurse, log), set(), "one's own is changed while it is open")


class PayrollTest(PeopleCase):

    def test_a_run_from_draft_to_paid(self):
        payer, first, second = Person(role="payroll_manager"), self.hired(), self.hired()
        logs = [self.approved(who, "2024-05-06") for who in (first, second)]
        page, run = self.made_by(payer, "/payroll", "/payroll", periodStart="2024-05-06", periodEnd="2024-05-07", type="off_cycle",
                                 facilityId=str(ward["id"]))
        path = f"/payroll/{run}"
        for text in ("draft", "320.00 USD", "16.00", "160.00", first["lastName"], second["lastName"], ward["name"], "Its timesheets (2)"):
            self.assertIn(text, page.text)
        self.assertIn(path, payer.open("/payroll?status=draft&from=2024-05-01&to=2024-05-31").links)
        self.assertNotIn(path, payer.open("/payroll?status=paid").links)
        self.assertEqual(len(names_of(payer.open(f"/timesheets?payrollRunId={run}"), "/timesheets")), len(logs))
        period = {"periodStart": "2024-05-06", "periodEnd": "2024-05-07", "payDate": "2024-05-31"}
        gift = {"adjustments.0.staffId": str(first["id"]), "adjustments.0.kind": "bonus", "adjustments.0.amount": "12.34",
                "adjustments.0.note": "Well done"}
        self.assertIn("332.34 USD", payer.press(path, path, **period, **gift).text)
        self.assertIn("amount", self.refused(payer, path, path, 400, **period, **gift | {"adjustments.0.amount": "some"}))
        extra = {f"adjustments.1.{name.rsplit('.', 1)[1]}": value for name, value in gift.items()} | {"adjustments.1.kind": "deduction"}
        self.assertIn("320.00 USD", payer.press(path, path, **period, **gift, **extra).text)
        emptied = {name: "" for name in extra if not name.endswith("kind")}
        self.assertIn("332.34 USD", payer.press(path, path, **period, **gift, **extra | emptied).text)
        self.approved(first, "2024-05-07")
        self.assertIn("492.34 USD", payer.press(path, f"{path}/refill").text)
        page = payer.press(path, f"{path}/decide", decision="approve")
        self.assertRegex(page.text, "processing|paid")
        self.assertNotIn(f"{path}/delete", page.forms)
        support.wait_until(lambda: owner.get(f"/api/payroll/runs/{run}").body["status"] == "paid", PAID_SECONDS, "the provider pays it")
        page = payer.open(path)
        self.assertEqual([action for action in page.forms if action.startswith(path)], [])
        self.assertIn("332.34 USD", page.text, "what the one gets")
        nurse = Person(role="staff", staffId=first["id"])
        own = nurse.open("/payroll")
        self.assertIn("332.34 USD", own.text)
        self.assertNotIn(second["lastName"], own.text)
        self.assertEqual(nurse.get(path).status, 403)

    def test_drafts_are_cancelled_and_deleted(self):
        payer = Person(role="admin")
        page, run = self.made_by(payer, "/payroll", "/payroll", periodStart="2024-06-03", periodEnd="2024-06-04", type="off_cycle")
        self.assertNotIn("Approve", page.text, "there is nothing to pay")
        self.assertIn("deleted", payer.press(f"/payroll/{run}", f"/payroll/{run}/delete").text)
        self.assertEqual(payer.get(f"/payroll/{run}").status, 404)
        _, run = self.made_by(payer, "/payroll", "/payroll", periodStart="2024-06-03", periodEnd="2024-06-04", type="off_cycle")
        self.assertIn("cancelled", payer.press(f"/payroll/{run}", f"/payroll/{run}/decide", decision="cancel").text)
        self.assertEqual([action for action in payer.open(f"/payroll/{run}").forms if action != "/logout"], [])
        text = self.refused(payer, "/payroll", "/payroll", 400, periodStart="2024-06-03", periodEnd="2024-06-02", type="regular")
        self.assertIn("periodEnd", text)


class ScheduleTest(PeopleCase):

    def test_facilities_are_shown_by_name_with_their_zone(self):
        made = self.shift(facilityId=ward["id"], date="2031-09-03")
        person = Person(role="scheduler")
        self.assertIn(f"{ward['name']} ({ZONE})", person.open("/schedule?from=2031-09-01").text)
        self.assertIn(f"({ZONE}), at {ward['name']}", person.open(f"/schedule/shifts/{made['id']}").text)


class BrowserTest(PeopleCase):

    def test_they_are_accessible_and_ask_nobody_else(self):
        """By the rules of axe-core, narrow and wide, light and dark, with what the reader can open opened."""
        self.assertIsNotNone(test_docs_pages.BROWSER, "scripts/packages test installs it")
        who = self.hired(specialty="Nurse", phone="+39 6 1234", emergencyContact={"name": "Ada", "phone": "+1 2", "relationship": "sister"},
                         workHistory=[{"facility": "Scutari", "position": "Nurse", "startDate": "2020-01-01", "endDate": None}])
        credential, log = self.credential(who), self.log(who, "2024-07-01")
        self.approved(who, "2024-07-02")
        run = self.check(owner.post("/api/payroll/runs", {
            "periodStart": "2024-07-01", "periodEnd": "2024-07-03", "type": "off_cycle", "facilityId": ward["id"],
            "adjustments": [{"staffId": who["id"], "kind": "bonus", "amount": 5, "note": "Parking"}]}), 201)
        admin, nurse = Person(role="admin"), Person(role="staff", staffId=who["id"])
        service.wait_projected()
        soon = datetime.date(2031, 3, 3)
        self.shift(facilityId=ward["id"], date=str(soon))
        paths = [*PAGES, f"/staff/{who['id']}", f"/credentials/{credential['id']}", f"/timesheets/{log['id']}", f"/payroll/{run['id']}",
                 f"/schedule?from={soon}"]
        looks = [*test_docs_pages.look(service.demo["baseUrl"], signed_in=paths, cookie=admin.cookie),
                 *test_docs_pages.look(service.demo["baseUrl"], signed_in=[f"/staff/{who['id']}", "/payroll"], cookie=nurse.cookie)]
        for each in looks:
            with self.subTest(path=each["path"], width=each["width"], theme=each["theme"]):
                self.assertEqual(each["faults"], [])
                self.assertEqual((each["said"], each["elsewhere"]), ([], []))
                self.assertLessEqual(each["wider"], 0, "nobody has to scroll sideways")
