# Shift templates from the client's side: patterns and the shifts that they make, once for each day whatever comes between, by the clocks
# of the facility; who sees and may what, the sandbox, and that a rebuild gives the same.

import datetime
import secrets

import people
import rest
import support
from kafka_cluster import OnKafka

TEMPLATES, SHIFTS, FACILITIES = "/api/shift-templates", "/api/shifts", "/api/facilities"
FIELDS = {"id", "organizationId", "facilityId", "title", "weekdays", "startTime", "endTime", "department", "specialty", "requiredWorkers",
          "urgency", "rate", "notes", "breaks", "isActive", "createdAt", "updatedAt"}
OF_SHIFT = FIELDS - {"id", "weekdays", "isActive", "createdAt", "updatedAt"}
RACES = 6


class TemplateCase(rest.RestCase, support.ServiceCase):

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.owner = rest.client_of(cls.service)
        cls.here, cls.there = cls.service.demo["facilityIds"]
        cls.berlin = cls.check(cls(), cls.owner.post(FACILITIES, {"name": "Quay", "timezone": "Europe/Berlin"}), 201)["id"]

    def template(self, *weekdays, client=None, **fields):
        body = {"facilityId": self.berlin, "title": "Night", "weekdays": weekdays or [1, 3], "startTime": "22:00", "endTime": "06:00"} | fields
        return self.check((client or self.owner).post(TEMPLATES, body), 201)

    def ask(self, template, first, last=None, client=None):
        return (client or self.owner).post(f"{TEMPLATES}/{template['id']}/generate", {"from": first, "to": last or first})

    def generate(self, template, first, last=None, client=None):
        return self.check(self.ask(template, first, last, client), 200)

    def dates(self, template):
        """Of the shifts that the template has made and that are there, in their order."""
        return [row["date"] for page in rest.pages(self.owner, SHIFTS, limit=200, templateId=template["id"]) for row in page]

    def restart(self):
        """The service forgets what was in memory."""
        self.service.stop()
        self.service.start()
        self.owner.close()

    def key(self, *scopes, **fields):
        return self.owner.with_key(rest.make_key(self.service, list(scopes), **fields)[1])


class OfBothEngines:
    """What the writer decides, whatever was folded."""

    def test_a_template_makes_each_shift_once(self):
        body = {"department": "ICU", "specialty": "icu", "requiredWorkers": 2, "urgency": "high", "rate": 41.5, "notes": "South entrance",
                "breaks": [{"minutes": 30, "paid": True}]}
        template = self.template(3, 1, **body)
        self.assertEqual(set(template), FIELDS)
        self.assertEqual((template["weekdays"], template["isActive"]), ([1, 3], True))
        made = self.generate(template, "2031-03-03", "2031-03-12")  # from a Monday on
        self.assertEqual((made["created"], made["existing"]), (4, 0))
        self.assertEqual([shift["date"] for shift in made["data"]], ["2031-03-03", "2031-03-05", "2031-03-10", "2031-03-12"])
        for shift in made["data"]:
            self.assertEqual({name: shift[name] for name in OF_SHIFT}, {name: template[name] for name in OF_SHIFT})
            self.assertEqual((shift["templateId"], shift["status"], shift["openSpots"], shift["externalId"]), (template["id"], "open", 2, ""))
            self.assertEqual(self.check(self.owner.get(f"{SHIFTS}/{shift['id']}"), 200), shift)
        self.assertEqual(self.generate(template, "2031-03-03", "2031-03-12"), {"data": [], "created": 0, "existing": 4})
        # One that was deleted, and one that was moved, count as there: also where memory has lost what it knew.
        self.check(self.owner.delete(f"{SHIFTS}/{made['data'][0]['id']}"), 200)
        self.check(self.owner.patch(f"{SHIFTS}/{made['data'][1]['id']}", {"date": "2031-03-06"}), 200)
        self.restart()
        again = self.generate(template, "2031-03-01", "2031-03-17")
        self.assertEqual((again["created"], again["existing"]), (1, 4))
        self.assertEqual([shift["date"] for shift in again["data"]], ["2031-03-17"])
        self.service.wait_projected()
        self.assertEqual(self.dates(template), ["2031-03-06", "2031-03-10", "2031-03-12", "2031-03-17"])

    def test_generations_that_race_make_each_day_once(self):
        template, monday = self.template(1), datetime.date(2032, 1, 5)
        for number in range(RACES):
            days = [str(monday + datetime.timedelta(weeks=number * 4 + week)) for week in range(4)]
            answers = people.at_once([lambda: self.ask(template, days[0], days[-1]), lambda: self.ask(template, days[1], days[-1])])
            made = [self.check(answer, 200) for answer in answers]
            self.assertEqual(sorted(shift["date"] for one in made for shift in one["data"]), days, number)
            self.assertEqual([one["created"] + one["existing"] for one in made], [4, 3])

    def test_a_retry_gets_the_first_answer(self):
        template, key = self.template(2), {"Idempotency-Key": secrets.token_hex(8)}
        body = {"from": "2031-05-06", "to": "2031-05-06"}
        first, again = (self.owner.post(f"{TEMPLATES}/{template['id']}/generate", body, key) for _ in "12")
        self.assertEqual(self.check(first, 200)["created"], 1)
        self.assertEqual((again.body, again.headers["Idempotency-Replayed"]), (first.body, "true"))


class ShiftTemplatesTest(OfBothEngines, TemplateCase):

    def test_days_on_which_the_clocks_change(self):
        """A night has an hour less, and a time that the clocks skip is refused as it is for one shift."""
        nights = self.generate(self.template(6, 7), "2031-03-29", "2031-03-30")["data"]
        self.assertEqual([(shift["startsAt"], shift["endsAt"]) for shift in nights],
                         [("2031-03-29T21:00:00.000Z", "2031-03-30T04:00:00.000Z"), ("2031-03-30T20:00:00.000Z", "2031-03-31T04:00:00.000Z")])
        skipped = {"startTime": "02:15", "endTime": "03:00"}
        template = self.template(7, **skipped)
        refused = self.ask(template, "2031-03-23", "2031-04-06")
        self.check_fields(refused, "endTime")
        self.assertIn(" on 2031-03-30", refused.text)
        self.check_fields(self.owner.post(SHIFTS, {"facilityId": self.berlin, "title": "Night", "date": "2031-03-30"} | skipped), "endTime")
        self.assertEqual(self.dates(template), [], "all of them or none")
        self.assertEqual(self.generate(template, "2031-03-31", "2031-04-06")["created"], 1)

    def test_what_a_template_becomes(self):
        template = self.template(1)
        where = f"{TEMPLATES}/{template['id']}"
        made = self.generate(template, "2031-06-02")["data"][0]
        changed = self.check(self.owner.patch(where, {"weekdays": [5, 2], "title": "Late", "startTime": "20:00"}), 200)
        self.assertEqual((changed["weekdays"], changed["title"], changed["endTime"]), ([2, 5], "Late", "06:00"))
        self.assertEqual(self.check(self.owner.get(f"{SHIFTS}/{made['id']}"), 200), made, "what it made stays")
        late = self.generate(template, "2031-06-02", "2031-06-08")
        self.assertEqual([(shift["date"], shift["title"]) for shift in late["data"]], [("2031-06-03", "Late"), ("2031-06-06", "Late")])
        self.check_fields(self.owner.patch(where, {"facilityId": self.here}), "facilityId")
        self.check_fields(self.owner.patch(where, {"startTime": "06:00"}), "endTime")
        self.check(self.owner.patch(where, {"isActive": False}), 200)
        self.check_refused(self.ask(template, "2031-06-09", "2031-06-15"), 409, "INVALID_STATE_TRANSITION")
        self.service.wait_projected()
        for query, there in (({}, False), ({"isActive": "false"}, True), ({"isActive": "any", "q": "late"}, True)):
            self.assertEqual(template["id"] in [row["id"] for row in self.check(self.owner.get(TEMPLATES, limit=200, **query), 200)["data"]], there)
        self.check(self.owner.delete(where), 204)
        for answer in (self.owner.get(where), self.owner.patch(where, {}), self.ask(template, "2031-06-09")):
            self.check_refused(answer, 404, "NOT_FOUND")
        self.assertEqual(self.check(self.owner.get(f"{SHIFTS}/{made['id']}"), 200), made)
        self.assertEqual(support.logged_types(self.service, f"shift_template/{template['id']}"),
                         ["shift_template.created", "shift_template.updated", "shift_template.updated", "shift_template.deleted"])

    def test_a_facility_that_is_closed(self):
        closed = self.check(self.owner.post(FACILITIES, {"name": "Closed"}), 201)["id"]
        template = self.template(1, facilityId=closed)
        self.check(self.owner.delete(f"{FACILITIES}/{closed}"), 200)
        self.check_refused(self.ask(template, "2031-06-02"), 409, "INVALID_STATE_TRANSITION")
        self.check_refused(self.owner.post(TEMPLATES, {name: template[name] for name in ("facilityId", "title", "weekdays", "startTime", "endTime")}),
                           409, "INVALID_STATE_TRANSITION")

    def test_what_is_asked_for_wrongly(self):
        body = {"facilityId": self.here, "title": "Night", "weekdays": [1], "startTime": "22:00", "endTime": "06:00"}
        for fields, *faults in (({"weekdays": []}, "weekdays"), ({"weekdays": [1, 1]}, "weekdays"), ({"weekdays": [8]}, "weekdays[0]"),
                                ({"weekdays": None}, "weekdays"), ({"endTime": "22:00"}, "endTime"), ({"title": ""}, "title"),
                                ({"requiredWorkers": 0}, "requiredWorkers"), ({"facilityId": None}, "facilityId")):
            with self.subTest(fields=fields):
                self.check_fields(self.owner.post(TEMPLATES, body | fields), *faults)
        template = self.template()
        for first, last, fault in (("2031-01-01", "2031-04-03", "to"), ("2031-01-02", "2031-01-01", "to"), ("1999-12-31", "2000-01-01", "from"),
                                   ("2031-02-30", "2031-03-01", "from"), ("2031-01-01", "later", "to")):
            with self.subTest(first=first, last=last):
                self.check_fields(self.ask(template, first, last), fault)
        self.assertEqual(self.generate(template, "2031-01-01", "2031-04-02")["created"], 27, "92 days")
        self.check_refused(self.owner.post(TEMPLATES, body | {"facilityId": 9_000_000_000}), 403, "FACILITY_SCOPE_VIOLATION")

    def test_who_may(self):
        here, elsewhere = self.template(1, facilityId=self.here), self.template(1, facilityId=self.there)
        bound = self.key("scheduling:read", "scheduling:write", facility=self.here)
        self.service.wait_projected()
        self.assertEqual({row["facilityId"] for row in self.check(bound.get(TEMPLATES, limit=200), 200)["data"]}, {self.here})
        self.assertEqual(self.generate(here, "2031-07-07", client=bound)["created"], 1)
        for answer in (bound.get(f"{TEMPLATES}/{elsewhere['id']}"), bound.patch(f"{TEMPLATES}/{elsewhere['id']}", {"title": "Mine"}),
                       bound.delete(f"{TEMPLATES}/{elsewhere['id']}"), self.ask(elsewhere, "2031-07-07", client=bound)):
            self.check_refused(answer, 404, "NOT_FOUND")
        self.check_refused(bound.post(TEMPLATES, {"facilityId": self.there, "title": "Mine", "weekdays": [1], "startTime": "08:00",
                                                  "endTime": "16:00"}), 403, "FACILITY_SCOPE_VIOLATION")
        reader = self.key("scheduling:read")
        self.assertEqual(self.check(reader.get(f"{TEMPLATES}/{here['id']}"), 200), here)
        self.check_refused(self.ask(here, "2031-07-14", client=reader), 403, "INSUFFICIENT_SCOPE")

    def test_the_sandbox_has_its_own(self):
        sandbox = self.key("scheduling:read", "scheduling:write", "shifts:read", kind="test", facility=self.here)
        live, own = self.template(1, facilityId=self.here), self.template(1, client=sandbox, facilityId=self.here)
        made = self.generate(own, "2031-08-04", client=sandbox)["data"][0]
        self.assertEqual(self.generate(live, "2031-08-04")["created"], 1)
        self.check_refused(self.ask(live, "2031-08-11", client=sandbox), 404, "NOT_FOUND")
        self.check_refused(self.owner.get(f"{TEMPLATES}/{own['id']}"), 404, "NOT_FOUND")
        self.check_refused(self.owner.get(f"{SHIFTS}/{made['id']}"), 404, "NOT_FOUND")
        self.assertEqual([row["id"] for row in self.check(sandbox.get(TEMPLATES), 200)["data"]], [own["id"]])
        admin = people.take_token(self.service, people.make_user(self.service, role="admin")["email"])
        reset = self.check(admin.post("/api/sandbox/reset", {"facilityId": self.here}), 200)
        self.assertEqual((reset["cleared"]["shift_template"], reset["seeded"].get("shift_template", 0)), (1, 0))
        self.check_refused(self.ask(own, "2031-08-11", client=sandbox), 404, "NOT_FOUND")
        self.assertEqual(self.generate(live, "2031-08-11")["created"], 1)

    def test_what_is_told_of_it(self):
        template = self.template(1)
        made = self.generate(template, "2031-09-01")["data"][0]
        self.service.wait_projected()
        told = self.check(self.owner.get("/api/events", types="shift_template.*", limit=200), 200)["data"]
        self.assertEqual([event["type"] for event in told if event["resource"] == f"shift_template:{template['id']}"], ["shift_template.created"])
        posted = self.check(self.owner.get("/api/events", types="shift.posted", limit=200), 200)["data"]
        self.assertEqual([event["data"]["templateId"] for event in posted if event["resource"] == f"shift:{made['id']}"], [template["id"]])

    def test_a_rebuild_gives_the_same(self):
        template = self.template(1)
        self.check(self.owner.delete(f"{SHIFTS}/{self.generate(template, '2031-10-06', '2031-10-20')['data'][0]['id']}"), 200)
        before, after = support.checksums_around_rebuild(self.service)
        self.assertEqual(after, before)
        self.assertEqual(self.service.postgres.value(
            f"SELECT string_agg(template_date || CASE WHEN deleted THEN ' deleted' ELSE '' END, ', ' ORDER BY id) FROM read.shift"
            f" WHERE template_id = {template['id']}"), "2031-10-06 deleted, 2031-10-13, 2031-10-20")
        self.assertEqual(self.generate(template, "2031-10-06", "2031-10-20")["created"], 0)


class ShiftTemplatesOnKafkaTest(OnKafka, OfBothEngines, TemplateCase):
    pass
