# The dashboard's pages of leads, messages, agents and administration, and of what developers try out: as a browser gets them, and what
# their forms do.

import json
import re
import secrets
import unittest

import oauth
import people
import support
import test_dashboard_pages as dashboard
import test_docs_pages
from test_dashboard_pages import Page, Person

PAGES = ["/leads", "/messages", "/agents", "/agents/runs", "/agents/guardrails", "/admin", "/admin/facilities", "/admin/users", "/admin/audit",
         "/developers/usage", "/developers/events", "/developers/sandbox"]
PLAN = [{"id": "look", "tool": "facilities_list", "arguments": {}}]
RUN_SECONDS = 60
service = owner = admin = None


def setUpModule():
    global service, owner, admin
    dashboard.setUpModule()
    service, owner = dashboard.service, dashboard.owner
    admin = Person(role="admin")


def unique(text):
    return f"{text} {secrets.token_hex(3)}"


class WorkCase(dashboard.DashboardCase):

    def place(self, person, path, action, **fields):
        """Where the page is that a form leads to, and the page."""
        answer = person.send_form(person.open(path), action, **fields)
        self.assertEqual(answer.status, 303, str(answer))
        where = answer.headers["Location"]
        return where.split("?")[0], Page(person.follow(answer).text)


class AccessTest(WorkCase):

    def test_pages_are_for_who_may(self):
        for path in PAGES:
            self.assertEqual(oauth.Browser(service).get(path).status, 303, path)
            self.assertEqual(Page(admin.get(path).text).active, [], path)
        staff = Person(role="staff", staffId=self.hire()["id"])
        self.assertEqual({path: staff.get(path).status for path in PAGES}, {path: 200 if path == "/messages" else 403 for path in PAGES})
        self.assertIn("You can answer those who wrote to you.", staff.open("/messages").text)
        menu = [link for link in staff.open("/messages").links if link in PAGES]
        self.assertEqual(menu, ["/messages"])
        self.assertEqual([link for link in admin.open("/dashboard").links if link in PAGES], ["/leads", "/messages", "/agents", "/admin"])

    def test_what_is_not_there(self):
        for path in ("/leads/999999", "/messages/999999", "/agents/999999", "/agents/runs/999999", "/agents/guardrails/999999",
                     "/admin/organizations/1", "/admin/facilities/999999", "/admin/users/999999"):
            self.assertEqual(admin.get(path).status, 404, path)


class LeadsTest(WorkCase):

    def test_a_lead_from_beginning_to_end(self):
        name = unique("Florence <b>")
        path, page = self.place(admin, "/leads", "/leads", name=name, company="Clinic", email="f@clinic.test", source="web", score="40",
                                estimatedValue="1200.50", tags="warm\r\nnorth\r\n", notes="Rings\r\ntwice")
        self.assertIn("The lead is added.", page.text)
        self.assertIn(name, page.text)
        lead = self.check(admin.get("/api/crm/leads", q=name), 200)["data"][0]
        self.assertEqual((path, lead["tags"], lead["notes"], lead["estimatedValue"], lead["ownerUserId"]),
                         (f"/leads/{lead['id']}", ["warm", "north"], "Rings\ntwice", 1200.5, admin.user["id"]))
        shown = self.refused(admin, path, path, status="lost", name=name, company="", source="web", score="many")
        self.assertIn("score must be an integer", shown)
        shown = self.refused(admin, path, path, status="lost", name=name, company="Kept as typed", source="web", score="5")
        self.assertIn("lostReason", shown)
        self.assertIn('value="Kept as typed"', shown)
        page = admin.press(path, path, status="lost", lostReason="Too dear", name=name, company="", source="web", score="5", tags="", notes="",
                           ownerUserId="")
        self.assertIn("Too dear", page.text)
        lead = self.check(admin.get(f"/api/crm/leads/{lead['id']}"), 200)
        self.assertEqual((lead["status"], lead["company"], lead["tags"], lead["score"], lead["ownerUserId"]), ("lost", "", [], 5, None))
        page = admin.press(path, f"{path}/delete")
        self.assertIn("The lead is deleted.", page.text)
        self.assertEqual(admin.get(path).status, 404)

    def test_a_list_is_narrowed_and_has_pages(self):
        tag = unique("Many")
        for number in range(51):
            self.check(owner.post("/api/crm/leads", {"name": f"{tag} {number}", "status": "contacted" if number else "won"}), 201)
        query = f"/leads?q={tag.replace(' ', '+')}"
        first = admin.open(query)
        more, = (link for link in first.links if "cursor=" in link)
        rows = lambda page: [link for link in page.links if link.startswith("/leads/")]
        self.assertEqual((len(rows(first)), len(rows(admin.open(more)))), (50, 1))
        self.assertEqual(len(rows(admin.open(query + "&status=won"))), 1)
        self.assertIn("There are none.", admin.open(query + "&status=lost").text)
        self.assertIn("q must", admin.open("/leads?q=x").text)
        viewer = Person(role="viewer")
        self.assertEqual([action for action in viewer.open(rows(first)[0]).forms if action.startswith("/leads")], [])


class MessagesTest(WorkCase):

    def test_people_write_to_each_other(self):
        other, subject = Person(role="scheduler"), unique("Tuesday")
        self.refused(admin, "/messages", "/messages", body="To nobody")
        path, page = self.place(admin, "/messages", "/messages", **{f"to.userIds:{other.user['id']}": "on"}, subject=subject,
                                body="Can you come?\r\nBring tea.")
        self.assertIn("Can you come?\nBring tea.", page.text)
        self.assertIn("You", page.text)
        page = other.open(path)
        self.assertIn("1 unread", page.text)
        self.assertNotIn(f"{path}/read", other.press(path, f"{path}/read").forms)
        other.press(path, path, body="Yes")
        page = admin.open(path)
        self.assertIn("Yes", page.text)
        back, = (action for action in page.forms if "/retract/" in action)
        self.assertNotIn("Can you come?", admin.press(path, back).text)
        late = admin.send_form(page, back)
        self.assertIn("Taken back.", Page(admin.follow(late).text).text, "again it changes nothing")
        self.assertIn(path, admin.open(f"/messages?q={subject.split()[1]}").links)
        self.assertEqual(Person(role="manager").get(path).status, 404)
        self.assertIn("body", self.refused(admin, path, path, body="x" * 4001))


class AgentsTest(WorkCase):

    def build(self, **fields):
        path, page = self.place(admin, "/agents", "/agents", **{"name": unique("Poster"), "executor": "scripted", "allowedTools": "facilities_*"} | fields)
        self.assertIn("The agent is built.", page.text)
        return path

    def validate(self, path, plan):
        """The answer to the second button of the plan's form."""
        page = admin.open(path)
        page.forms[f"{path}/plan/validate"] = page.forms[f"{path}/plan"]
        self.assertIn(f'formaction="{path}/plan/validate"', admin.get(path).text)
        return admin.send_form(page, f"{path}/plan/validate", plan=plan)

    def test_a_plan_is_looked_through_saved_and_carried_out(self):
        path = self.build()
        wrong = json.dumps([{"id": "pay", "tool": "no_such_tool", "arguments": {"text": "as typed"}}])
        answer = self.validate(path, wrong)
        self.assertEqual(answer.status, 200)
        self.assertIn("plan[0].tool", answer.text)
        self.assertIn("as typed", answer.text)
        self.assertIn("is no JSON", self.refused(admin, path, f"{path}/plan", plan="[{"))
        self.assertIn("plan[0].tool", self.refused(admin, path, f"{path}/plan", plan=wrong))
        agent = int(path.rsplit("/", 1)[1])
        self.assertEqual(self.check(admin.get(f"/api/agents/{agent}"), 200)["plan"], [])
        answer = self.validate(path, json.dumps(PLAN))
        self.assertIn("Nothing is wrong with it.", answer.text)
        self.assertIn("The plan is saved.", admin.press(path, f"{path}/plan", plan=json.dumps(PLAN)).text)
        run, page = self.place(admin, path, f"{path}/runs", input='{"who": "Ada"}')
        self.assertTrue(run.startswith("/agents/runs/"), run)
        support.wait_until(lambda: "completed" in admin.open(run).text, RUN_SECONDS, "the run ends")
        page = admin.open(run)
        self.assertIn("look: facilities_list, ok", page.text)
        self.assertIn('"who": "Ada"', page.text)
        self.assertNotIn(f"{run}/cancel", page.forms)
        self.assertIn(run, admin.open(f"/agents/runs?agentId={agent}&status=completed").links)
        self.assertNotIn(run, admin.open(f"/agents/runs?agentId={agent}&status=failed").links)
        self.assertIn("Deactivate", admin.open(path).text)
        self.assertNotIn(f"{path}/runs", admin.press(path, f"{path}/deactivate").forms)
        self.assertIn(f"{path}/runs", admin.press(path, f"{path}/reactivate").forms)

    def test_what_changes_an_agent(self):
        path = self.build()
        fields = {"name": unique("Renamed"), "executor": "scripted", "allowedTools": "shifts_*\nfacilities_*", "approvalMode": "always",
                  "modelTier": "basic", "limits.maxSteps": "7"}
        page = admin.press(path, path, **fields)
        self.assertIn("The agent is changed.", page.text)
        made = self.check(admin.get(f"/api{path}"), 200)
        self.assertEqual((made["name"], made["allowedTools"], made["approvalMode"], made["limits"]["maxSteps"], made["limits"]["maxToolCalls"]),
                         (fields["name"], ["shifts_*", "facilities_*"], "always", 7, 50))
        self.assertIn("limits.maxSteps", self.refused(admin, path, path, **fields | {"limits.maxSteps": "5000"}))
        manager = Person(role="manager").open(path)
        self.assertEqual([action for action in manager.forms if action.startswith(path)], [f"{path}/runs"], "who may not build starts runs alone")

    def test_triggers(self):
        path = self.build()
        self.assertIn("cron", self.refused(admin, path, f"{path}/triggers", name="Never", type="schedule", cron="every day"))
        admin.press(path, f"{path}/plan", plan=json.dumps(PLAN))
        page = admin.press(path, f"{path}/triggers", name="Mornings", type="schedule", cron="0 6 * * 1-5", timezone="UTC")
        self.assertIn("Mornings: enabled", page.text)
        self.assertIn("Failures in a row: 0", page.text)
        toggle, = (action for action in page.forms if action.endswith("/toggle"))
        page = admin.press(path, toggle, enable="false")
        self.assertIn("Mornings: disabled", page.text)
        self.assertIn("Mornings: enabled", admin.press(path, toggle, enable="true").text)
        run, page = self.place(admin, path, toggle.replace("toggle", "run"))
        self.assertIn("The run is queued.", page.text)
        self.assertIn(run, admin.open(path).links)
        self.assertNotIn("Mornings: ", admin.press(path, toggle.replace("toggle", "delete")).text)

    def test_guardrails(self):
        name = unique("No night work")
        fields = {"name": name, "effect": "block", "tools": "shifts_create", "isEnabled": "true"}
        self.assertIn("tools", self.refused(admin, "/agents/guardrails", "/agents/guardrails", **fields | {"tools": "no_such_*"}))
        path, page = self.place(admin, "/agents/guardrails", "/agents/guardrails", **fields, **{"roles:viewer": "on", "roles:staff": "on"},
                                conditions='[{"path": "arguments.startTime", "op": "eq", "value": "22:00"}]')
        self.assertIn("shifts_create", page.text)
        made, = self.check(admin.get("/api/guardrails", q=name), 200)["data"]
        self.assertEqual((path, sorted(made["roles"]), made["conditions"][0]["value"]), (f"/agents/guardrails/{made['id']}", ["staff", "viewer"], "22:00"))
        page = admin.press(path, path, **fields | {"isEnabled": "false", "tools": "shifts_*", "channels:mcp": "on", "conditions": ""})
        made = self.check(admin.get(f"/api/guardrails/{made['id']}"), 200)
        self.assertEqual((made["isEnabled"], made["tools"], made["channels"], made["roles"], made["conditions"]),
                         (False, ["shifts_*"], ["mcp"], [], []))
        self.assertIn("The guardrail is deleted.", admin.press(path, f"{path}/delete").text)
        self.assertNotIn("Add a guardrail", Person(role="viewer").open("/agents/guardrails").text)


class AdminTest(WorkCase):

    def test_a_user_is_invited_changed_and_deactivated(self):
        email = f"{secrets.token_hex(5)}@people.example.test"
        fields = {"firstName": "Ida", "lastName": unique("Wells"), "email": email, "role": "scheduler"}
        self.assertIn("email", self.refused(admin, "/admin/users", "/admin/users", **fields | {"email": "nobody"}))
        path, page = self.place(admin, "/admin/users", "/admin/users", **fields)
        self.assertIn("invited", page.text)
        people.links(service, email, "invite")
        facility = service.demo["facilityIds"][0]
        admin.press(path, path, **fields | {"role": "facility_admin"}, **{f"facilityIds:{facility}": "on"})
        user = self.check(admin.get(f"/api/users/{path.rsplit('/', 1)[1]}"), 200)
        self.assertEqual((user["role"], user["facilityIds"]), ("facility_admin", [facility]))
        self.assertNotIn('value="super_admin"', admin.get(path).text.split("<dl", 1)[1], "nobody is offered a role above their own")
        self.refused(admin, path, path, 403, **fields | {"role": "super_admin"})
        self.assertIn("A mail with a link", admin.press(path, f"{path}/invite").text)
        page = admin.press(path, f"{path}/deactivate")
        self.assertIn("deactivated", page.text)
        self.assertNotIn(path, page.forms)
        admin.press(path, f"{path}/reactivate")
        self.assertIn(path, admin.open(f"/admin/users?role=facility_admin&q={fields['lastName'].split()[1]}").links)
        self.assertNotIn(f"{admin.user['id']}/deactivate", " ".join(admin.open(f"/admin/users/{admin.user['id']}").forms))
        viewer = Person(role="viewer").open(path)
        self.assertEqual([action for action in viewer.forms if action.startswith("/admin")], [])

    def test_facilities_and_the_organization(self):
        name = unique("Saint Mary's")
        path, page = self.place(admin, "/admin/facilities", "/admin/facilities", name=name, timezone="Europe/Berlin", departments="Ward A\nWard B",
                                **{"address.city": "Bonn"})
        self.assertIn("Bonn", page.text)
        facility = self.check(admin.get(f"/api/facilities/{path.rsplit('/', 1)[1]}"), 200)
        self.assertEqual((facility["name"], facility["departments"]), (name, ["Ward A", "Ward B"]))
        self.refused(admin, "/admin/facilities", "/admin/facilities", 409, name=name)
        self.assertIn("timezone", self.refused(admin, path, path, name=name, timezone="Mars/Base"))
        admin.press(path, path, **{"name": name, "timezone": "Europe/Berlin", "schedulingRules.minRest": "block", "autoStart": "false"})
        facility = self.check(admin.get(f"/api/facilities/{facility['id']}"), 200)
        self.assertEqual((facility["schedulingRules"]["minRest"], facility["autoStart"], facility["schedulingRules"]["timeOff"]), ("block", False, "block"))
        self.assertIn("The facility is out of use.", admin.press(path, f"{path}/deactivate").text)
        organization = f"/admin/organizations/{service.demo['organizationId']}"
        self.assertIn(organization, admin.open("/admin").links)
        self.assertNotIn(organization, admin.open(organization).forms, "customers' own settings are the installation's to change")

    def test_what_operators_see(self):
        operator, name = dashboard.operator(), unique("Charité")
        path, _ = self.place(operator, "/admin", "/admin/organizations", name=name, currency="EUR", timezone="Europe/Berlin")
        self.assertIn("settings.triggerFailureLimit", self.refused(operator, path, path, **{"name": name, "settings.triggerFailureLimit": "900"}))
        operator.press(path, path, **{"name": name, "timezone": "UTC", "currency": "EUR", "settings.triggerFailureLimit": "9",
                                      "settings.forbidSameCredentialApproval": "true", "billingCustomerRef": "42"})
        made = self.check(operator.get(f"/api{path.removeprefix('/admin')}"), 200)
        self.assertEqual((made["settings"]["triggerFailureLimit"], made["settings"]["forbidSameCredentialApproval"], made["billingCustomerRef"]), (9, True, "42"))
        made_at, page = self.place(operator, "/admin/users", "/admin/users", orgUnitId=str(made["id"]), firstName="Rudolf", lastName="Virchow",
                                   email=f"{secrets.token_hex(5)}@people.example.test", role="admin")
        self.assertIn(name, page.text)
        self.assertIn("firstName", self.refused(operator, made_at, made_at, firstName="", lastName="x"))
        self.assertIn("It is done.", operator.press(path, f"{path}/switch", decision="close").text)
        self.assertIn("/admin/billing", operator.open("/admin").links)
        self.assertEqual(operator.get("/admin/billing?status=dead").status, 200)
        self.assertNotIn("/admin/billing", admin.open("/admin").links)
        self.assertIn("Only operators", admin.open("/admin/billing").text)

    def test_the_audit_log_is_narrowed(self):
        who = people.make_user(service, admin, role="viewer")
        self.check(admin.patch(f"/api/users/{who['id']}", {"role": "scheduler"}), 200)
        page = admin.open(f"/admin/audit?resource=user:{who['id']}&action=USER_UPDATED")
        self.assertIn("role: viewer → scheduler", page.text)
        self.assertNotIn("USER_CREATED", page.text)
        self.assertIn("USER_CREATED", admin.open(f"/admin/audit?resource=user:{who['id']}&actorId={admin.user['id']}").text)
        self.assertIn("There are none.", admin.open(f"/admin/audit?resource=user:{who['id']}&to=2001-01-01").text)
        self.assertIn("from", admin.open("/admin/audit?from=yesterday").text)


class DevelopersTest(WorkCase):

    def test_usage(self):
        facility = service.demo["facilityIds"][0]
        page = admin.open(f"/developers/usage?facilityId={facility}&days=7")
        self.assertIn("Calls", page.text)
        csv, = (link for link in page.links if link.startswith("/api/api-usage/export"))
        self.assertTrue(admin.get(csv).text.startswith("Summary"))
        self.assertIn("days", admin.open(f"/developers/usage?facilityId={facility}&days=900").text)

    def test_the_chart_of_usage(self):
        facility = service.demo["facilityIds"][0]
        where = f"facilityId={facility}&days=2"
        self.shift(facilityId=facility)

        def figures():
            return self.check(admin.get(f"/api/api-usage/timeseries?{where}"), 200)["data"]
        support.wait_until(lambda: figures()[-1]["totalCalls"] > 0, 30, "usage has it")
        text = admin.get(f"/developers/usage?{where}").text
        days = figures()
        self.assertEqual(text.count("<rect "), 2 * len(days))
        row = re.search(rf'<th scope="row">{days[-1]["bucket"][:10]}</th><td>(\d+)</td><td>(\d+)</td>', text)
        self.assertTrue(0 < int(row[1]) <= days[-1]["totalCalls"], row[0])
        self.assertRegex(text, r"at most [1-9]\d* calls a day")

    def test_events(self):
        name = unique("Grace")
        lead = self.check(admin.post("/api/crm/leads", {"name": name, "tags": ["warm"]}), 201)["id"]
        where = "/developers/events?types=lead.*"
        while f"lead:{lead}" not in (page := admin.open(where)).text:
            following, = (link for link in page.links if "after=" in link)
            self.assertNotEqual(following, where, "there is more")
            where = following
        self.assertIn("lead.created", page.text)
        self.assertIn("warm", page.text)
        self.assertNotIn(name, page.text, "personal fields are not told")
        following, = (link for link in page.links if "after=" in link)
        self.assertIn("Nothing more has happened", admin.open(following).text)
        self.assertIn("names no type", admin.open("/developers/events?types=lead.nothing").text)
        self.assertEqual(Person(role="viewer").get("/developers/events").status, 403)

    def test_a_sandbox_is_filled_anew(self):
        facility = str(service.demo["facilityIds"][0])
        self.assertIn("Choose a facility", admin.open("/developers/sandbox").text)
        path = f"/developers/sandbox?facilityId={facility}"
        self.assertNotIn("data set 3", admin.open(path).text)
        answer = admin.send_form(admin.open(path), "/developers/sandbox", facilityId=facility, seed="3")
        self.assertEqual(answer.status, 200, str(answer))
        self.assertIn("The sandbox is filled anew.", answer.text)
        self.assertIn("with the data set 3", admin.open(path).text)

    def test_a_program_is_revoked(self):
        client = oauth.Client(service)
        client.register(client_name="Planner")
        oauth.Browser(service).allow(client.url(scope="staff:read"), admin.user["email"])
        page = admin.open("/developers")
        self.assertIn("Planner", page.text)
        action, = (action for action in page.forms if action.startswith("/developers/grants/"))
        self.assertNotIn("Planner", admin.press("/developers", action).text)


class BrowserTest(WorkCase):

    def test_they_are_accessible_and_ask_nobody_else(self):
        """By the rules of axe-core, narrow and wide, light and dark."""
        operator, other = dashboard.operator(), Person(role="scheduler")
        lead = self.check(admin.post("/api/crm/leads", {"name": "Florence", "notes": "Rings twice", "tags": ["warm"]}), 201)["id"]
        begun = self.check(admin.post("/api/messages", {"to": {"userIds": [other.user["id"]]}, "subject": "Tuesday", "body": "Can you come?"}), 201)
        self.check(other.post(f"/api/conversations/{begun['conversation']['id']}/messages", {"body": "Yes"}), 201)
        agent = self.check(admin.post("/api/agent-builder", {"name": unique("Looker"), "allowedTools": ["facilities_*"], "plan": PLAN}), 201)["id"]
        run = self.check(admin.post(f"/api/agents/{agent}/runs", {}), 200)["id"]
        self.check(admin.post(f"/api/agent-builder/{agent}/triggers", {"name": "Mornings", "type": "schedule", "cron": "0 6 * * *"}), 201)
        guardrail = self.check(admin.post("/api/guardrails", {"name": unique("None"), "effect": "block", "tools": ["payroll_*"]}), 201)["id"]
        facility = service.demo["facilityIds"][0]
        service.wait_projected()
        paths = [*PAGES, f"/leads/{lead}", f"/messages/{begun['conversation']['id']}", f"/agents/{agent}", f"/agents/runs/{run}",
                 f"/agents/guardrails/{guardrail}", f"/admin/users/{other.user['id']}", f"/admin/facilities/{facility}",
                 f"/developers/usage?facilityId={facility}", f"/developers/sandbox?facilityId={facility}"]
        looks = [*test_docs_pages.look(service.demo["baseUrl"], signed_in=paths, cookie=admin.cookie),
                 *test_docs_pages.look(service.demo["baseUrl"], signed_in=["/admin", "/admin/billing", f"/admin/organizations/{service.demo['organizationId']}"],
                                       cookie=operator.cookie)]
        for each in looks:
            with self.subTest(path=each["path"], width=each["width"], theme=each["theme"]):
                self.assertEqual(each["faults"], [])
                self.assertEqual((each["said"], each["elsewhere"]), ([], []))
                self.assertLessEqual(each["wider"], 0, "nobody has to scroll sideways")


if __name__ == "__main__":
    unittest.main()
