# Leads of the CRM from the client's side: their life, their lists, who sees them, and how they are forgotten.

import json
import secrets

import rest
import support

service = owner = bound = None
here = there = 0


def setUpModule():
    global service, owner, bound, here, there
    service = rest.start_service()
    owner = rest.client_of(service)
    here, there = service.demo["facilityIds"]
    bound = owner.with_key(rest.make_key(service, ["crm:read", "crm:write"], facility=here)[1])


def make(client=None, **fields):
    answer = (client or owner).post("/api/crm/leads", {"name": "Ada Contact", **fields})
    assert answer.status == 201, str(answer)
    return answer.body


class LeadsTest(rest.RestCase):

    def test_a_lead_lives(self):
        made = owner.post("/api/crm/leads", {"name": "Grace", "company": "Harbour Ltd", "email": "Grace@Example.test",
                                             "estimatedValue": 1200.5, "tags": ["fair"], "color": "red"})
        lead = self.check(made, 201)
        where = f"/api/crm/leads/{lead['id']}"
        self.assertEqual(made.headers["Location"], where)
        self.assertIn("color", made.headers["Service-Warnings"])
        self.assertEqual((lead["status"], lead["source"], lead["email"], lead["estimatedValue"], lead["facilityId"],
                          lead["lostReason"], lead["qualifiedAt"], lead["lastContactedAt"]),
                         ("new", "manual", "grace@example.test", 1200.5, None, "", None, None))
        read = owner.get(where)
        self.assertEqual(self.check(read, 200), lead)
        qualified = self.check(owner.patch(where, {"status": "qualified", "score": 70}), 200)
        self.assertIsNotNone(qualified["qualifiedAt"])
        self.check_refused(owner.patch(where, {"status": "lost"}), 400, "VALIDATION_ERROR")
        lost = self.check(owner.put(where, {**qualified, "status": "lost", "lostReason": "budget"}), 200)
        self.assertEqual((lost["lostReason"], lost["qualifiedAt"]), ("budget", qualified["qualifiedAt"]))
        stale = owner.patch(where, {"score": 1}, headers={"If-Match": read.headers["ETag"]})
        self.check_refused(stale, 412, "PRECONDITION_FAILED")
        gone = owner.delete(where)
        self.assertEqual((gone.status, gone.text), (204, ""))
        for answer in (owner.get(where), owner.delete(where), owner.patch(where, {"score": 1})):
            self.check_refused(answer, 404, "NOT_FOUND")
        types = [json.loads(line)["type"] for line in
                 service.command("tap", "--from", "start", "--until-idle", "--aggregate", f"lead/{lead['id']}").splitlines()]
        self.assertEqual(types, ["lead.created", "lead.updated", "lead.status_changed", "lead.qualified",
                                 "lead.status_changed", "lead.deleted"])

    def test_a_retry_makes_one(self):
        key = {"Idempotency-Key": secrets.token_hex(8)}
        first = owner.post("/api/crm/leads", {"name": "Once"}, headers=key)
        again = owner.post("/api/crm/leads", {"name": "Once"}, headers=key)
        self.assertEqual((again.status, again.text, again.headers["Idempotency-Replayed"]), (201, first.text, "true"))
        self.check_refused(owner.post("/api/crm/leads", {"name": "Other"}, headers=key), 409, "IDEMPOTENCY_KEY_CONFLICT")

    def test_lists_narrow_and_sort(self):
        mark = secrets.token_hex(6)
        leads = [make(company=f"{mark} {n}", score=10 * n, status=status, source=source, lostReason="timing")
                 for n, (status, source) in enumerate([("new", "web"), ("lost", "web"), ("won", "referral")])]
        ids = [lead["id"] for lead in leads]

        def listed(**query):
            answer = self.check(owner.get("/api/crm/leads", q=mark, **query), 200)
            return [lead["id"] for lead in answer["data"]]

        self.assertEqual(listed(), ids)
        self.assertEqual(listed(sort="-score"), ids[::-1])
        self.assertEqual(listed(status="new,won"), [ids[0], ids[2]])
        self.assertEqual(listed(source="web"), ids[:2])
        self.assertEqual(listed(ownerUserId=leads[0]["ownerUserId"] or 1), ids if leads[0]["ownerUserId"] else [])
        first = self.check(owner.get("/api/crm/leads", q=mark, limit=2), 200)
        rest_of = self.check(owner.get("/api/crm/leads", q=mark, limit=2, cursor=first["pagination"]["nextCursor"]), 200)
        self.assertEqual([lead["id"] for lead in first["data"] + rest_of["data"]], ids)
        self.assertEqual(owner.delete(f"/api/crm/leads/{ids[1]}").status, 204)
        self.assertEqual(listed(), [ids[0], ids[2]])
        self.check_refused(owner.get("/api/crm/leads", sort="email"), 400, "VALIDATION_ERROR")

    def test_a_bound_key_sees_its_facilities_leads(self):
        general, mine, other = make(), make(facilityId=here), make(facilityId=there)
        service.wait_projected()  # a key waits for its own writes alone
        for lead, status in ((general, 404), (mine, 200), (other, 404)):
            self.assertEqual(bound.get(f"/api/crm/leads/{lead['id']}").status, status)
            self.assertEqual(bound.patch(f"/api/crm/leads/{lead['id']}", {"score": 5}).status, status)
        listed = self.check(bound.get("/api/crm/leads", limit=200), 200)["data"]
        self.assertEqual({lead["facilityId"] for lead in listed}, {here})
        self.assertEqual(make(bound)["facilityId"], here)
        self.check_refused(bound.post("/api/crm/leads", {"name": "X", "facilityId": there}), 403,
                           "FACILITY_SCOPE_VIOLATION")

    def test_only_who_may(self):
        reader = owner.with_key(rest.make_key(service, ["crm:read"])[1])
        lead = make()
        service.wait_projected()
        self.assertEqual(reader.get(f"/api/crm/leads/{lead['id']}").status, 200)
        self.check_refused(reader.post("/api/crm/leads", {"name": "X"}), 403, "INSUFFICIENT_SCOPE")
        self.check_refused(reader.delete(f"/api/crm/leads/{lead['id']}"), 403, "INSUFFICIENT_SCOPE")
        nobody = owner.with_key(rest.make_key(service, ["shifts:read"])[1])
        self.check_refused(nobody.get("/api/crm/leads"), 403, "INSUFFICIENT_SCOPE")

    def test_bad_input_names_its_fields(self):
        refused = owner.post("/api/crm/leads", {"email": "nobody", "score": 101, "status": "cold", "facilityId": "x"})
        fields = {each["field"] for each in self.check_refused(refused, 400, "VALIDATION_ERROR")["fields"]}
        self.assertEqual(fields, {"name", "email", "score", "status", "facilityId"})

    def test_activity_tells_of_leads(self):
        lead = make()
        items = self.check(owner.get("/api/dashboard/recent-activity", limit=20), 200)
        self.assertIn(("lead.created", f"lead:{lead['id']}"), {(item["action"], item["resource"]) for item in items})

    def test_a_lead_is_forgotten(self):
        words = ["Theodolinde", "theodolinde@mail.example", "555 0199", "met at the Quittenfest"]
        lead = make(name=words[0], email=words[1], phone="+1 " + words[2], notes=words[3], company="Quince Ltd")
        where = f"/api/crm/leads/{lead['id']}"
        self.check(owner.patch(where, {"notes": words[3] + " again"}), 200)
        self.assertTrue(json.loads(service.command("erase", f"lead/{lead['id']}", "--reason", "asked for"))["recorded"])
        left = self.check(owner.get(where), 200)
        self.assertEqual((left["name"], left["email"], left["phone"], left["notes"], left["company"]),
                         ("", "", "", "", "Quince Ltd"))
        for schema in ("read", "log", "projection", "ops", "auth", "vault"):
            for table in support.tables_of(service.postgres, schema):
                self.assertEqual(support.clear_text_hits(service.postgres, table, words), [], table)
        self.assertFalse(json.loads(service.command("erase", f"lead/{lead['id']}", "--reason", "asked for"))["recorded"])

    def test_a_rebuild_makes_the_same_rows(self):
        make(status="qualified")
        before, after = support.checksums_around_rebuild(service)
        self.assertEqual(before, after)
        self.assertIn("lead", " ".join(before))
