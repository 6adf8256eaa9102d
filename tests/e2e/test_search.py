# One question to several lists: what is found, in which order, and by whom.

import unittest

import people
import rest

SEARCH = "/api/search"
TEXT = "Quillon"  # nothing of the demo has it
service = owner = None
here = there = 0
rows = {}  # ids by kind and name


def setUpModule():
    global service, owner, here, there
    service = rest.start_service()
    owner = rest.client_of(service)
    here, there = service.demo["facilityIds"]
    for first, last, places in (("Ann", f"{TEXT}-Berg", [here]), ("Bo", TEXT, [there]), (TEXT, "Cole", [here, there])):
        made("staff", first, "/api/staff", {"firstName": first, "lastName": last, "facilityIds": places,
                                            "email": f"{first}.search@staff.example.test"})
    for n, place in enumerate((here, there)):
        made("shift", place, "/api/shifts", {"facilityId": place, "title": f"{TEXT} watch {n}", "department": "Bar",
                                             "date": f"2031-05-0{n + 1}", "startTime": "22:00", "endTime": "06:00"})
    made("lead", "both", "/api/crm/leads", {"name": "Zoe Search", "company": f"The {TEXT.upper()} Group", "email": "zoe@lead.example.test"})
    made("lead", "company", "/api/crm/leads", {"company": f"{TEXT} Ltd", "email": "ltd@lead.example.test", "facilityId": here})
    service.wait_projected()


def made(kind, name, path, body):
    answer = owner.post(path, body)
    assert answer.status == 201, str(answer)
    rows[kind, name] = answer.body["id"]


class SearchTest(rest.RestCase):

    def find(self, client=None, **query):
        answer = self.check((client or owner).get(SEARCH, **({"q": TEXT} | query)), 200)
        self.assertEqual(set(answer), {"data"})
        return answer["data"]

    def found(self, client=None, **query):
        """Kinds and ids, in the answer's order."""
        return [(hit["kind"], hit["id"]) for hit in self.find(client, **query)]

    def expected(self, *names):
        return [(kind, rows[kind, name]) for kind, name in names]

    def test_finds_each_kind(self):
        def hit(kind, name, title, subtitle, facility):
            return {"kind": kind, "id": rows[kind, name], "title": title, "subtitle": subtitle, "facilityId": facility}
        self.assertEqual(self.find(), [
            # The person whose name begins so comes before those in the order of last names.
            hit("staff", TEXT, f"{TEXT} Cole", f"{TEXT.lower()}.search@staff.example.test", None),
            hit("staff", "Bo", f"Bo {TEXT}", "bo.search@staff.example.test", there),
            hit("staff", "Ann", f"Ann {TEXT}-Berg", "ann.search@staff.example.test", here),
            hit("shift", there, f"{TEXT} watch 1", "2031-05-02 22:00-06:00, Bar", there),
            hit("shift", here, f"{TEXT} watch 0", "2031-05-01 22:00-06:00, Bar", here),
            hit("lead", "company", f"{TEXT} Ltd", "ltd@lead.example.test", here),
            hit("lead", "both", "Zoe Search", f"The {TEXT.upper()} Group", None),
        ])
        name = self.check(owner.get(f"/api/facilities/{here}"), 200)
        self.assertIn({"kind": "facility", "id": here, "title": name["name"], "subtitle": name["code"], "facilityId": here},
                      self.find(q=name["name"].upper()))

    def test_each_kind_has_its_share_of_the_places(self):
        self.assertEqual(self.found(limit=4), self.expected(("staff", TEXT), ("staff", "Bo"), ("shift", there), ("lead", "company")))
        self.assertEqual(self.found(limit=1), self.expected(("staff", TEXT)))
        for n in range(22):
            self.check(owner.post("/api/crm/leads", {"name": f"Crowd {n}"}), 201)
        self.assertEqual(len(self.find(q="crowd", limit=500)), 20)

    def test_what_is_asked_has_to_be_said(self):
        self.check_fields(owner.get(SEARCH), "q")
        for fault in ("", "a", "x" * 101):
            self.check_fields(owner.get(SEARCH, q=fault), "q")
        self.check_fields(owner.get(SEARCH, q=TEXT, limit=0), "limit")
        self.assertEqual(self.find(q="nobody is called this"), [])
        self.assertEqual(self.find(q="%%"), [], "it is text and no pattern")

    def test_whoever_may_not_read_a_kind_does_not_find_it(self):
        scoped = {scope: owner.with_key(rest.make_key(service, [scope])[1])
                  for scope in ("staff:read", "shifts:read", "crm:read", "payroll:read")}
        for scope, kind in (("staff:read", "staff"), ("shifts:read", "shift"), ("crm:read", "lead")):
            self.assertEqual({hit["kind"] for hit in self.find(scoped[scope])}, {kind}, scope)
        self.assertEqual(self.find(scoped["payroll:read"]), [])
        self.check_refused(rest.Client(service.demo["baseUrl"]).get(SEARCH, q=TEXT), 401, "UNAUTHENTICATED")

    def test_facilities_bound_what_is_found(self):
        bound = owner.with_key(rest.make_key(service, ["staff:read", "shifts:read", "crm:read"], facility=here)[1])
        mine = self.expected(("staff", TEXT), ("staff", "Ann"), ("shift", here), ("lead", "company"))
        self.assertEqual(self.found(bound), mine)
        self.assertEqual(self.found(facilityId=here), mine)
        self.check_refused(bound.get(SEARCH, q=TEXT, facilityId=there), 403, "FACILITY_SCOPE_VIOLATION")
        self.check_refused(owner.get(SEARCH, q=TEXT, orgUnitId=1), 403, "ORG_SCOPE_VIOLATION")

    def test_people_find_their_own_rows(self):
        user = people.make_user(service, role="staff", staffId=rows["staff", "Bo"], facilityIds=[there])
        self.assertEqual(self.found(people.take_token(service, user["email"])), self.expected(("staff", "Bo"), ("shift", there)))

    def test_operators_find_what_is_anywhere(self):
        operator = people.operator_of(service)
        self.assertEqual(self.found(operator), self.found())
        self.assertEqual(self.found(operator, orgUnitId=service.demo["organizationId"]), self.found())
        self.assertEqual(self.found(operator, orgUnitId=1), [])

    def test_the_sandbox_is_apart(self):
        self.assertEqual(self.find(rest.client_of(service, "test")), [])

    def test_ones_own_write_is_found_at_once(self):
        answer = self.check(owner.post("/api/crm/leads", {"name": "Newly Found"}), 201)
        self.assertEqual(self.found(q="newly f"), [("lead", answer["id"])])
