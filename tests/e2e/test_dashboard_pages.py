# The dashboard: pages for people who signed in, as a browser gets them, and what their forms do.

import datetime
import html.parser
import re
import secrets
from urllib.parse import urlencode

import approvals
import oauth
import people
import rest
import support
import test_docs_pages

PAGES = ["/dashboard", "/schedule", "/requests", "/approvals", "/developers", "/me"]
POLICY = {"default-src": "'none'", "form-action": "'self'", "frame-ancestors": "'none'", "base-uri": "'none'"}
service = owner = None


def setUpModule():
    global service, owner
    service = rest.start_service({"WORKFORCE_WEBHOOKS_ALLOW_INSECURE_TARGETS": "true"})
    owner = rest.client_of(service)


class Page(html.parser.HTMLParser):
    """A page's forms by their actions, each with its hidden fields; its links; and what a reader sees."""

    def __init__(self, text):
        super().__init__()
        self.forms, self.links, self.text, self.active = {}, [], "", []
        self._form, self._tag = None, None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self._tag = tag
        self.active += [name for name in given if name.startswith("on") or name == "style"] + ([tag] if tag == "script" else [])
        if tag == "form":
            self._form = self.forms.setdefault(given["action"], {})
        elif tag == "input" and self._form is not None and given.get("type") == "hidden":
            self._form[given["name"]] = given.get("value", "")
        elif tag == "a":
            self.links.append(given["href"])

    def handle_endtag(self, tag):
        self._tag = None
        if tag == "form":
            self._form = None

    def handle_data(self, data):
        self.text += "" if self._tag == "style" else data


class Person(oauth.Browser):
    """Somebody with a session in a browser, of the demo customer where no other client makes them."""

    def __init__(self, client=None, **fields):
        super().__init__(service)
        self.user = people.make_user(service, client, **fields)
        self.cookie = people.sign_in(service, self.user["email"]).cookie

    def open(self, path, status=200):
        service.wait_projected()  # what others did
        answer = self.get(path)
        assert answer.status == status, str(answer)
        return Page(answer.text)

    def send_form(self, page, action, headers=None, **fields):
        """The answer to a form of the page."""
        raw = urlencode(page.forms[action] | fields).encode()
        return self.send("POST", action, headers=oauth.FORM | {"Origin": self.origin, "Sec-Fetch-Site": "same-origin"} | (headers or {}), raw=raw)

    def press(self, path, action, **fields):
        """The page that a form of the page at that path leads to, or is answered with."""
        answer = self.send_form(self.open(path), action, **fields)
        assert answer.status in (200, 303), str(answer)
        return Page(answer.text if answer.status == 200 else self.follow(answer).text)


def secrets_in(answer):
    """The secrets of keys that a page shows, whole."""
    return [word for word in Page(answer.text).text.split() if word.startswith("svc_live_") and len(word) > 20]


def operator():
    """An administrator of the installation, who manages keys."""
    return Person(people.operator_of(service), role="admin")


def make_ward(zone):
    """A facility with clocks of its own."""
    made = owner.post("/api/facilities", {"name": f"Ward of {zone} {secrets.token_hex(3)}", "timezone": zone})
    assert made.status == 201, str(made)
    return made.body


class DashboardCase(rest.RestCase):

    def shift(self, **fields):
        return self.check(owner.post("/api/shifts", {"facilityId": service.demo["facilityIds"][0], "title": f"Ward {secrets.token_hex(3)}",
                                                     "date": "2031-03-05", "startTime": "08:00", "endTime": "16:00"} | fields), 201)

    def hire(self, **fields):
        return self.check(owner.post("/api/staff", {"firstName": "Mary", "lastName": f"Seacole {secrets.token_hex(3)}",
                                                    "email": f"{secrets.token_hex(6)}@example.test"} | fields), 201)

    def refused(self, person, path, action, expected=400, **fields):
        """The page that a form is answered with that is refused, as it came."""
        answer = person.send_form(person.open(path), action, **fields)
        self.assertEqual(answer.status, expected, str(answer))
        self.assertIn('role="alert"', answer.text)
        return answer.text


class AccessTest(DashboardCase):

    def test_nobody_is_sent_to_sign_in_and_comes_back(self):
        for path in [*PAGES, "/schedule?from=2031-03-03&facilityId=1", "/schedule/shifts/1"]:
            browser = oauth.Browser(service)
            answer = browser.get(path)
            self.assertEqual((answer.status, answer.headers["Cache-Control"]), (303, "no-store"), str(answer))
            self.assertTrue(answer.headers["Location"].startswith("/login?return_to="), str(answer))
            form = oauth.Form(browser.follow(answer).text)
            self.assertEqual(form.fields["return_to"], path)
        who = people.make_user(service, role="admin")
        browser = oauth.Browser(service)
        form = oauth.Form(browser.follow(browser.get("/approvals")).text)
        signed = browser.submit(form, name=who["email"], password=people.PASSWORD)
        self.assertEqual((signed.status, signed.headers["Location"]), (303, "/approvals"))
        self.assertEqual(browser.follow(signed).status, 200)

    def test_a_key_is_no_person(self):
        self.assertEqual(owner.get("/approvals").status, 403)

    def test_nobody_is_sent_to_and_fro(self):
        """/login looks at the cookie alone: what else is presented leads there from no page."""
        person = Person(role="viewer")
        for headers, query in (({"Authorization": "Basic YTpi"}, ""), ({}, "?access_token=x"), ({}, "?api_key=x")):
            answer = person.get("/dashboard" + query, headers)
            self.assertEqual((answer.status, answer.headers["Location"]), (401, None), f"{headers} {query}")

    def test_what_is_not_there_is_told_so(self):
        person = Person(role="admin")
        for path in ("/schedule/shifts/999999", "/developers/webhooks/999999"):
            self.assertEqual(person.get(path).status, 404, path)

    def test_nobody_else_says_that_something_is_done(self):
        person = Person(role="scheduler")
        self.assertNotIn("The swap is decided.", person.open("/requests?done=pages.decide_swap").text)
        self.assertNotIn("The swap is decided.", person.open("/requests?done=pages.decide_swap.AAAA").text)

    def test_pages_are_safe_to_show(self):
        person = operator()
        for path in PAGES:
            answer = person.get(path)
            self.assertEqual((answer.status, answer.headers["Content-Type"]), (200, "text/html; charset=utf-8"), str(answer))
            policy = dict(part.split(" ", 1) for part in answer.headers["Content-Security-Policy"].split("; "))
            self.assertTrue(policy.pop("style-src").startswith("'sha256-"))
            self.assertEqual(policy, POLICY)
            self.assertEqual((answer.headers["Cache-Control"], answer.headers["X-Frame-Options"]), ("no-store", "DENY"))
            self.assertEqual(Page(answer.text).active, [])

    def test_the_menu_marks_the_section_of_a_page(self):
        shift, person = self.shift(), Person(role="admin")
        marks = {path: re.findall(r'<a href="([^"]*)" aria-current="(\w+)"', person.get(path).text.partition("</nav>")[0])
                 for path in ("/schedule", f"/schedule/shifts/{shift['id']}", "/developers/usage", "/me")}
        self.assertEqual(list(marks.values()), [[("/schedule", "page")], [("/schedule", "true")], [("/developers", "true")], [("/me", "page")]])

    def test_the_menu_has_what_the_role_may(self):
        menus = {role: [link for link in Person(role=role).open("/dashboard").links if link in PAGES] for role in ("admin", "scheduler", "staff")}
        self.assertEqual(menus["admin"], PAGES)
        self.assertEqual(menus["staff"], ["/dashboard", "/schedule", "/me"])
        self.assertEqual(Person(role="staff").get("/developers").status, 403)
        self.assertNotIn("/developers/keys", Person(role="admin").open("/developers").forms, "only the installation's own manage keys")

    def test_a_form_of_elsewhere_does_nothing(self):
        person, other = operator(), operator()
        page = person.open("/developers")
        for headers in ({"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://evil.test"}):
            self.assertEqual(person.send_form(page, "/developers/keys", headers, name="x", type="live").status, 403)
        stolen = other.send_form(page, "/developers/keys", name="x", type="live", **{"allow:staff:read": "on"})
        self.assertEqual(stolen.status, 403, "a seal is of its session")
        self.assertIn("once more", stolen.text)
        self.assertEqual(secrets_in(stolen), [])

    def test_signing_out_ends_the_session(self):
        person = Person(role="viewer")
        answer = person.send_form(person.open("/dashboard"), "/logout")
        self.assertEqual((answer.status, answer.headers["Location"]), (303, "/login"))
        self.assertIsNone(person.cookie)
        self.assertEqual(person.get("/dashboard").status, 303)

    def test_texts_of_others_are_shown_as_texts(self):
        title = f"<script>alert(1)</script>{secrets.token_hex(3)}"
        made = self.shift(title=title, date="2031-05-07")
        person = Person(role="scheduler")
        for path in ("/schedule?from=2031-05-05", f"/schedule/shifts/{made['id']}"):
            page = person.open(path)
            self.assertEqual(page.active, [])
            self.assertIn(title, page.text)


class ScheduleTest(DashboardCase):

    def test_a_place_that_is_out_of_use_has_its_name(self):
        gone = make_ward("Europe/Rome")
        self.shift(facilityId=gone["id"], date="2024-03-06")
        self.check(owner.delete(f"/api/facilities/{gone['id']}"), 200)
        text = Person(role="scheduler").open("/schedule?from=2024-03-06").text
        self.assertIn(f"{gone['name']} (Europe/Rome)", text)
        self.assertNotIn(f"Facility {gone['id']}", text)

    def test_a_week_and_its_shifts(self):
        made = self.shift(date="2031-03-09")
        person = Person(role="scheduler")
        page = person.open("/schedule?from=2031-03-05")
        self.assertIn("2031-03-03 to 2031-03-09", page.text)
        self.assertIn(f"/schedule/shifts/{made['id']}", page.links)
        self.assertIn("/schedule?from=2031-02-24", page.links)
        self.assertIn("/schedule?from=2031-03-10", page.links)
        elsewhere = person.open(f"/schedule?from=2031-03-05&facilityId={service.demo['facilityIds'][1]}")
        self.assertNotIn(made["title"], elsewhere.text)

    def test_a_person_is_assigned_and_taken_off(self):
        made, who = self.shift(), self.hire(facilityIds=[service.demo["facilityIds"][0]])
        person, path = Person(role="scheduler"), f"/schedule/shifts/{made['id']}"
        page = person.press(path, f"{path}/assign", staffId=who["id"])
        self.assertIn("The person is on the shift.", page.text)
        self.assertIn(who["lastName"], page.text)
        self.assertEqual(self.check(owner.get(f"/api/shifts/{made['id']}"), 200)["assignedStaffIds"], [who["id"]])
        page = person.press(path, f"{path}/unassign", staffId=who["id"])
        self.assertEqual(self.check(owner.get(f"/api/shifts/{made['id']}"), 200)["assignedStaffIds"], [])
        page = person.press(path, f"{path}/cancel", reason="The ward is closed")
        self.assertIn("The ward is closed", page.text)
        self.assertNotIn(f"{path}/cancel", page.forms)

    def test_a_refusal_is_told_on_the_page(self):
        made, who = self.shift(date="2031-03-06"), self.hire(facilityIds=[service.demo["facilityIds"][0]])
        self.shift(date="2031-03-06", assignedStaffIds=[who["id"]])
        person, path = Person(role="scheduler"), f"/schedule/shifts/{made['id']}"
        refused = person.send_form(person.open(path), f"{path}/assign", staffId=who["id"])
        self.assertEqual(refused.status, 409)
        self.assertIn('role="alert"', refused.text)
        self.assertIn(made["title"], refused.text)
        viewer = Person(role="viewer")
        self.assertEqual([action for action in viewer.open(path).forms if action.startswith("/schedule")], [])


class RequestsTest(DashboardCase):

    def crew(self):
        """A staff member with a session, and who they are."""
        who = self.hire(facilityIds=[service.demo["facilityIds"][0]])
        return Person(role="staff", staffId=who["id"]), who

    def test_a_claim_is_asked_for_and_approved(self):
        made, (nurse, who) = self.shift(date="2030-01-07"), self.crew()
        page = nurse.press("/me", f"/me/shifts/{made['id']}/claim")
        self.assertIn(f"{made['title']}: pending", page.text)
        planner = Person(role="scheduler")
        action, = (action for action in planner.open("/requests").forms if action.startswith(f"/requests/shifts/{made['id']}/"))
        self.assertIn(who["lastName"], planner.open("/requests").text)
        page = planner.press("/requests", action, decision="yes")
        self.assertIn("The claim is decided.", page.text)
        self.assertNotIn(action, page.forms)
        self.assertEqual(self.check(owner.get(f"/api/shifts/{made['id']}"), 200)["assignedStaffIds"], [who["id"]])
        self.assertIn(f"{made['title']}: approved", nurse.open("/me").text)

    def test_a_claim_is_refused_and_one_withdrawn(self):
        first, second, (nurse, _) = self.shift(date="2030-01-08"), self.shift(date="2030-01-09"), self.crew()
        for made in (first, second):
            nurse.press("/me", f"/me/shifts/{made['id']}/claim")
        planner = Person(role="scheduler")
        action, = (action for action in planner.open("/requests").forms if action.startswith(f"/requests/shifts/{first['id']}/"))
        planner.press("/requests", action, decision="no", reason="Somebody else comes")
        self.assertIn("declined (Somebody else comes)", nurse.open("/me").text)
        action, = (action for action in nurse.open("/me").forms if action.endswith("/withdraw"))
        self.assertIn(f"{second['title']}: withdrawn", nurse.press("/me", action).text)

    def test_an_offer_is_accepted_and_one_withdrawn(self):
        made, (nurse, who) = self.shift(date="2030-01-10"), self.crew()
        planner, path = Person(role="scheduler"), f"/schedule/shifts/{made['id']}"
        page = planner.press(path, f"{path}/offer", staffId=who["id"])
        self.assertIn("offered", page.text)
        offer = self.check(owner.get("/api/shift-offers", shiftId=made["id"]), 200)["data"][0]["id"]
        page = nurse.press("/me", f"/me/offers/{offer}", decision="accept")
        self.assertEqual(self.check(owner.get(f"/api/shifts/{made['id']}"), 200)["assignedStaffIds"], [who["id"]])
        other, (_, another) = self.shift(date="2030-01-11"), self.crew()
        path = f"/schedule/shifts/{other['id']}"
        planner.press(path, f"{path}/offer", staffId=another["id"])
        offer = self.check(owner.get("/api/shift-offers", shiftId=other["id"]), 200)["data"][0]["id"]
        self.assertIn("withdrawn", planner.press(path, f"{path}/withdraw-offer", offerId=offer).text)

    def test_people_change_places(self):
        (nurse, one), (colleague, two) = self.crew(), self.crew()
        mine = self.shift(date="2030-01-14", assignedStaffIds=[one["id"]])
        other = self.shift(date="2030-01-15", assignedStaffIds=[two["id"]])
        swap = self.check(owner.post("/api/shift-swaps", {"staffId": one["id"], "shiftId": mine["id"], "otherStaffId": two["id"],
                                                          "otherShiftId": other["id"]}), 201)["id"]
        self.assertIn(f"/me/swaps/{swap}", nurse.open("/me").forms)
        colleague.press("/me", f"/me/swaps/{swap}", decision="accept")
        page = Person(role="scheduler").press("/requests", f"/requests/swaps/{swap}", decision="yes")
        self.assertIn("The swap is decided.", page.text)
        self.assertEqual(self.check(owner.get(f"/api/shifts/{mine['id']}"), 200)["assignedStaffIds"], [two["id"]])

    def test_time_off_is_decided(self):
        nurse, who = self.crew()
        nurse.press("/me", "/me/time-off", type="vacation", startDate="2030-02-04", endDate="2030-02-05")
        off = self.check(owner.get("/api/time-off", staffId=who["id"]), 200)["data"][0]["id"]
        page = Person(role="scheduler").press("/requests", f"/requests/time-off/{off}", decision="no", reason="Too many are away")
        self.assertIn("The time off is decided.", page.text)
        self.assertIn("declined (Too many are away)", nurse.open("/me").text)


class ApprovalsTest(DashboardCase):

    def test_a_call_is_approved_and_one_rejected(self):
        agent = approvals.Agent(service, ["staff:read", "staff:write"], user=people.make_user(service, role="admin")["id"])
        first, second = self.hire(), self.hire()
        approval, other = (agent.defer(staffId=who["id"]) for who in (first, second))
        person = Person(role="admin")
        page = person.open("/approvals")
        self.assertIn("staff_deactivate", page.text)
        self.assertIn(f'"staffId": {first["id"]}', page.text)
        page = person.press("/approvals", f"/approvals/{approval}", decision="approve")
        self.assertIn("It is decided", page.text)
        self.assertNotIn(f"/approvals/{approval}", page.forms)
        self.assertEqual(self.check(owner.get(f"/api/staff/{first['id']}"), 200)["isActive"], False)
        page = person.press("/approvals", f"/approvals/{other}", decision="reject", reason="She is needed")
        self.assertIn("She is needed", page.text)
        self.assertEqual(self.check(owner.get(f"/api/staff/{second['id']}"), 200)["isActive"], True)
        page.forms[f"/approvals/{approval}"] = page.forms["/logout"]
        late = person.send_form(page, f"/approvals/{approval}", decision="approve")
        self.assertEqual(late.status, 400, "it was decided before")
        self.assertIn('role="alert"', late.text)


class DevelopersTest(DashboardCase):

    def test_a_key_is_made_used_rotated_and_revoked(self):
        person, name = operator(), f"Payroll export {secrets.token_hex(3)}"
        page = person.open("/developers")
        fields = {"name": name, "type": "live", "organization": str(service.demo["organizationId"]),
                  "facility": str(service.demo["facilityIds"][0]), "expires": "2031-12-31", "allow:staff:read": "on"}
        made = person.send_form(page, "/developers/keys", **fields)
        self.assertEqual(made.status, 200, str(made))
        secret, = secrets_in(made)
        again = person.send_form(page, "/developers/keys", **fields)
        self.assertIn(secret, Page(again.text).text, "a form that is sent twice makes one key")
        self.assertNotIn(secret, person.open("/developers").text, "it is shown once")
        service.wait_projected()
        client = people.client_of(service, secret)
        self.check(client.get("/api/staff"), 200)
        self.check_refused(client.get("/api/shifts"), 403, "INSUFFICIENT_SCOPE")
        keys = [action.split("/")[3] for action in person.open("/developers").forms if action.endswith("/rotate")]
        rows = [row for row in self.check(person.get("/api/api-keys", q=name), 200)["data"]]
        self.assertEqual(len(rows), 1)
        key = rows[0]
        self.assertIn(str(key["id"]), keys)
        self.assertEqual((key["facilityId"], key["expiresAt"]), (service.demo["facilityIds"][0], "2031-12-31T23:59:59.999Z"))
        rotated = person.send_form(person.open("/developers"), f"/developers/keys/{key['id']}/rotate")
        second, = secrets_in(rotated)
        self.assertNotEqual(second, secret)
        service.wait_projected()
        page = person.press("/developers", f"/developers/keys/{key['id']}/revoke")
        self.assertIn("The key is revoked.", page.text)
        service.wait_projected()
        entries = self.check(person.get("/api/audit-log", orgUnitId=service.demo["organizationId"], resource=f"api_key:{key['id']}"), 200)["data"]
        self.assertEqual(len(entries), 3, "made, rotated, revoked")
        self.assertEqual({entry["ip"] for entry in entries}, {"127.0.0.1"}, "each tells where it came from")
        self.assertNotIn(f"/developers/keys/{key['id']}/rotate", page.forms)
        support.wait_until(lambda: people.client_of(service, second).get("/api/staff").status == 401, 10, "the key opens nothing")

    def test_what_is_wrong_is_said(self):
        person = operator()
        for wrong in ({"name": ""}, {"expires": "tomorrow"}, {"facility": "x"}, {}):
            fields = {"name": "A key", "type": "live"} | wrong
            refused = person.send_form(person.open("/developers"), "/developers/keys", **fields)
            self.assertEqual(refused.status, 400, f"{wrong}: {refused}")
            self.assertIn('role="alert"', refused.text)


class WebhookTest(DashboardCase):

    def test_a_subscription_from_beginning_to_end(self):
        """Nobody listens at its address: a test fails, and says so."""
        person, name = Person(role="admin"), f"Payroll {secrets.token_hex(3)}"
        fields = {"name": name, "url": "http://127.0.0.1:9/", "tell:staff_onboarded": "on"}
        made = person.send_form(person.open("/developers"), "/developers/webhooks", **fields)
        self.assertEqual(made.status, 200, str(made))
        self.assertEqual(len([word for word in Page(made.text).text.split() if word.startswith("whsec_")]), 1)
        row, = self.check(person.get("/api/webhooks", q=name), 200)["data"]
        self.assertEqual((row["url"], row["events"]), (fields["url"], ["staff_onboarded"]))
        path = f"/developers/webhooks/{row['id']}"
        self.assertIn(path, person.open("/developers").links)
        tested = person.send_form(person.open(path), f"{path}/test")
        self.assertEqual(tested.status, 200, str(tested))
        self.assertIn("It was not delivered", tested.text)
        self.assertEqual([action for action in person.open(path).forms if action.endswith("/redeliver")], [], "no event stands behind a test")
        self.hire()
        action = support.wait_until(
            lambda: next((action for action in person.open(path).forms if action.endswith("/redeliver")), None), 30, "an event was sent")
        page = person.press(path, action)
        self.assertIn("It is sent once more.", page.text)
        rotated = person.send_form(page, f"{path}/rotate")
        self.assertIn("whsec_", Page(rotated.text).text)
        page = person.press(path, f"{path}/delete")
        self.assertIn("The subscription is ended.", page.text)
        self.assertNotIn(path, page.links)
        wrong = person.send_form(person.open("/developers"), "/developers/webhooks", name=name, url="nowhere")
        self.assertEqual(wrong.status, 400)
        self.assertIn('role="alert"', wrong.text)


class OwnTest(DashboardCase):

    def test_programs_and_sessions(self):
        person = Person(role="scheduler")
        client = oauth.Client(service)
        client.register(client_name="Planner")
        browser = oauth.Browser(service)
        browser.allow(client.url(scope="staff:read"), person.user["email"])
        page = person.open("/me")
        self.assertIn("Planner", page.text)
        action, = (action for action in page.forms if action.startswith("/me/programs/"))
        self.assertNotIn("Planner", person.press("/me", action).text)
        action, = (action for action in page.forms if action.startswith("/me/sessions/"))
        self.assertIn("The session is ended.", person.press("/me", action).text)
        support.wait_until(lambda: browser.get("/dashboard").status == 303, 10, "the other session is no more")

    def test_own_shifts_and_time_off(self):
        who = self.hire(facilityIds=[service.demo["facilityIds"][0]])
        person = Person(role="staff", staffId=who["id"])
        made = self.shift(assignedStaffIds=[who["id"]])
        page = person.press("/me", f"/me/shifts/{made['id']}/acknowledge")
        self.assertIn(made["title"], page.text)
        assigned = self.check(owner.get(f"/api/shifts/{made['id']}/assignments"), 200)["data"]
        self.assertIsNotNone(assigned[0]["acknowledgedAt"])
        page = person.press("/me", "/me/time-off", type="vacation", startDate="2031-06-02", endDate="2031-06-06", note="A wedding")
        self.assertIn("vacation, 2031-06-02 to 2031-06-06: pending", page.text)
        off = self.check(owner.get("/api/time-off", staffId=who["id"]), 200)["data"][0]
        page = person.press("/me", f"/me/time-off/{off['id']}/cancel")
        self.assertIn("cancelled", page.text)
        block = {"blocks.0.weekday": "7", "blocks.0.from": "08:00", "blocks.0.to": "12:00"}
        stale = person.open("/me")
        self.assertIn("Sunday, 08:00 to 12:00", person.press("/me", "/me/availability", **block).text)
        self.assertEqual(person.send_form(stale, "/me/availability", **block).status, 412)
        self.assertEqual(self.check(owner.get(f"/api/staff/{who['id']}/availability"), 200)["blocks"][0]["weekday"], 7)
        shared = person.send_form(person.open("/me"), "/me/calendar")
        url = next(word for word in Page(shared.text).text.split() if "calendar.ics?token=" in word)
        calendar = people.client_of(service).get(oauth.path_of(url))
        self.assertIn("BEGIN:VCALENDAR", calendar.text)
        nobody = Person(role="viewer").open("/me")
        self.assertIn("No staff record", nobody.text)


class BrowserTest(DashboardCase):

    def test_they_are_accessible_and_ask_nobody_else(self):
        """By the rules of axe-core, narrow and wide, light and dark."""
        who = self.hire(facilityIds=[service.demo["facilityIds"][0]])
        person = Person(role="admin", staffId=who["id"])
        made, other = self.shift(assignedStaffIds=[who["id"]]), self.shift(date="2031-03-07", urgency="critical")
        agent = approvals.Agent(service, ["staff:read", "staff:write"], user=people.make_user(service, role="admin")["id"])
        agent.defer(staffId=self.hire()["id"])
        rejected = agent.defer(staffId=self.hire()["id"])
        person.press("/approvals", f"/approvals/{rejected}", decision="reject", reason="No")
        person.press("/me", "/me/time-off", type="vacation", startDate="2031-06-02", endDate="2031-06-06")
        admin = operator()
        free = self.shift(date=str(datetime.date.today() + datetime.timedelta(days=2)))
        nurse = Person(role="staff", staffId=self.hire(facilityIds=[service.demo["facilityIds"][0]])["id"])
        nurse.press("/me", f"/me/shifts/{free['id']}/claim")
        person.press(f"/schedule/shifts/{other['id']}", f"/schedule/shifts/{other['id']}/offer", staffId=self.hire()["id"])
        paths = [*PAGES, "/schedule?from=2031-03-05", *(f"/schedule/shifts/{shift['id']}" for shift in (made, other))]
        looks = [*test_docs_pages.look(service.demo["baseUrl"], signed_in=paths, cookie=person.cookie),
                 *test_docs_pages.look(service.demo["baseUrl"], signed_in=["/developers"], cookie=admin.cookie),
                 *test_docs_pages.look(service.demo["baseUrl"], signed_in=["/me"], cookie=nurse.cookie)]
        for each in looks:
            with self.subTest(path=each["path"], width=each["width"], theme=each["theme"]):
                self.assertEqual(each["faults"], [])
                self.assertEqual((each["said"], each["elsewhere"]), ([], []))
                self.assertLessEqual(each["wider"], 0, "nobody has to scroll sideways")
