# Writes: merging updates, ETags, reading one's own writes, idempotency keys.

import itertools
import json
import secrets
import threading
from concurrent.futures import ThreadPoolExecutor

import rest

service = live = None
ABSENT = 9_000_000_000
numbers = itertools.count()


def setUpModule():
    global service, live
    service = rest.start_service()
    live = rest.client_of(service)


def person(**fields):
    """A body for POST /api/staff that no other test has sent."""
    return {"firstName": "W", "lastName": "Rites", "email": f"writes{next(numbers)}@example.test"} | fields


def shift(**fields):
    return {"facilityId": service.demo["facilityIds"][0], "title": "Writes", "date": "2032-02-02", "startTime": "08:00",
            "endTime": "16:00"} | fields


def keyed(key=None):
    return {"Idempotency-Key": key or secrets.token_hex(16)}


class BoundsTest(rest.RestCase):
    """What an answer repeats of a request does not grow with it."""

    def test_warnings(self):
        for unknown in ({"x" * 200_000: 1}, {f"x{n}": 1 for n in range(20_000)}):
            made = live.post("/api/staff", person(**unknown))
            self.check(made, 201)
            warning = made.headers["Service-Warnings"]
            self.assertTrue(warning.startswith("ignored fields: x"), warning)
            self.assertLess(len(warning), 700)
        self.assertRegex(warning, " and [0-9]+ more$")

    def test_faults(self):
        refused = live.post("/api/shifts", {"shifts": [{"title": "", "date": "x", "startTime": 1, "urgency": 7}] * 100})
        self.check_refused(refused, 400, "VALIDATION_ERROR")
        self.assertEqual(len(refused.details["fields"]), 100)
        self.assertGreaterEqual(refused.details["total"], 400)


class MergeTest(rest.RestCase):

    FULL = {"/api/staff": lambda: person(
                phone="+1 (555) 0100", specialty="Cook", employmentType="part_time", hourlyRate=12.34, yearsExperience=2.5,
                certifications=["A"], skills=["B", "C"], profilePhoto="https://example.test/p.png",
                emergencyContact={"name": "N", "phone": "1", "relationship": "R"}, externalId="x-1", maxWeeklyHours=38.5,
                workHistory=[{"facility": "F", "position": "P", "startDate": "2020-01-01", "endDate": None, "description": "D"},
                             {"facility": "F", "position": "Q", "startDate": "2019-01-01", "endDate": "2019-12-31",
                              "description": ""}],
                education=[{"institution": "I", "degree": "D", "graduationYear": 2001, "gpa": 3.75}],
                facilityIds=[service.demo["facilityIds"][0]]),
            "/api/shifts": lambda: shift(department="Ward", specialty="Cook", requiredWorkers=3, urgency="high", rate=20.5,
                                         notes="two\nlines", breaks=[{"minutes": 30, "paid": True}], externalId="x-2"),
            "/api/facilities": lambda: {
                "name": f"Merge {next(numbers)}", "code": f"M{next(numbers)}", "phone": "+1 555", "timezone": "Europe/Rome",
                "address": {"line1": "L", "city": "C", "country": "IT"}, "departments": ["X"], "billMarkupPercent": 12.5,
                "requiredCredentialTypes": [{"specialty": "Cook", "type": "license", "name": "Food"}],
                "schedulingRules": {"overtime": "block"}, "autoStart": False}}
    def created(self, path):
        answer = live.post(path, self.FULL[path]())
        body = self.check(answer, 201)
        self.assertEqual(answer.headers["Location"], f"{path}/{body['id']}")
        got = live.get(answer.headers["Location"])
        self.assertEqual((got.body, got.headers["ETag"]), (body, answer.headers["ETag"]))
        return answer.headers["Location"], body, answer.headers["ETag"]

    def test_create_answers_what_was_sent(self):
        for path, make in self.FULL.items():
            with self.subTest(path=path):
                sent = make()
                got = self.check(live.post(path, sent), 201)
                for name, value in sent.items():
                    # Objects show the members that were not sent too.
                    shown = {k: got[name][k] for k in value} if isinstance(value, dict) else got[name]
                    self.assertEqual(shown, value, name)

    def test_null_says_what_absence_says_of_the_past(self):
        past, studied = {"facility": "F", "position": "P", "startDate": "2020-01-01"}, {"institution": "I", "degree": "D"}
        said = {"workHistory": [past | {"endDate": None}], "education": [studied | {"gpa": None, "graduationYear": None}]}
        made = self.check(live.post("/api/staff", person(**said)), 201)
        shown = {"workHistory": [said["workHistory"][0] | {"description": ""}], "education": said["education"]}
        self.assertEqual({name: made[name] for name in shown}, shown, "what is not known is there as null")
        left_out = self.check(live.post("/api/staff", person(workHistory=[past], education=[studied])), 201)
        self.assertEqual({name: left_out[name] for name in shown}, shown)
        where = f"/api/staff/{made['id']}"
        self.assertEqual(self.check(live.get(where), 200), made)
        self.assertEqual(self.check(live.patch(where, said), 200), made, "nothing changes")
        ended = [past | {"endDate": "2021-01-01", "description": ""}]
        self.assertEqual(self.check(live.patch(where, {"workHistory": ended}), 200)["workHistory"], ended)
        self.assertEqual(self.check(live.patch(where, said), 200)["workHistory"], made["workHistory"])

    def test_parts_of_objects_merge(self):
        where, body, _ = self.created("/api/facilities")
        after = self.check(live.patch(where, {"address": {"city": "Other"}, "schedulingRules": {"minRest": "block"}}), 200)
        self.assertEqual(after["address"], body["address"] | {"city": "Other"})
        self.assertEqual(after["schedulingRules"], body["schedulingRules"] | {"minRest": "block"})
        where, body, _ = self.created("/api/staff")
        for method in ("PATCH", "PUT"):
            contact = {"phone": f"+1 555 {next(numbers)}"}
            after = self.check(live.send(method, where, {"emergencyContact": contact}), 200)
            self.assertEqual(after["emergencyContact"], body["emergencyContact"] | contact)
        self.assertEqual(live.get(where).body, after)

    def test_fixed_fields(self):
        where, body, _ = self.created("/api/shifts")
        self.check_fields(live.patch(where, {"facilityId": service.demo["facilityIds"][1]}), "facilityId")
        self.assertEqual(live.get(where).body, body)

    def test_required_credentials_are_of_types_that_there_are(self):
        where, body, _ = self.created("/api/facilities")
        wrong = {"requiredCredentialTypes": [{"specialty": "", "type": "licence", "name": ""}]}
        self.check_fields(live.patch(where, wrong), "requiredCredentialTypes[0].type")
        self.check_fields(live.post("/api/facilities", {"name": f"Merge {next(numbers)}"} | wrong), "requiredCredentialTypes[0].type")
        self.assertEqual(live.get(where).body, body)

    def test_null(self):
        where, body, _ = self.created("/api/staff")
        after = self.check(live.patch(where, {"profilePhoto": None, "maxWeeklyHours": None}), 200)
        self.assertEqual((after["profilePhoto"], after["maxWeeklyHours"]), (None, None))
        self.check_fields(live.patch(where, {"lastName": None, "skills": None}), "lastName", "skills")

    def test_duplicates_name_what_exists(self):
        one = self.check(live.post("/api/staff", person()), 201)
        two = self.check(live.post("/api/staff", person()), 201)
        for answer in (live.post("/api/staff", person(email=one["email"].upper())),
                       live.patch(f"/api/staff/{two['id']}", {"email": one["email"]})):
            self.assertEqual(self.check_refused(answer, 409, "DUPLICATE_RESOURCE")["existingId"], one["id"])
        self.check_refused(live.post("/api/facilities", {"name": "Harbour Clinic"}), 409, "DUPLICATE_RESOURCE")


class LeadTest(rest.RestCase):
    """Leads beyond what holds of every resource (test_resources.py)."""

    def test_a_lead_lives(self):
        made = live.post("/api/crm/leads", {"name": "Grace", "company": "Harbour Ltd", "email": "Grace@Example.test",
                                             "estimatedValue": 1200.5, "tags": ["fair"], "color": "red"})
        lead = self.check(made, 201)
        where = f"/api/crm/leads/{lead['id']}"
        self.assertIn("color", made.headers["Service-Warnings"])
        self.assertEqual((lead["status"], lead["source"], lead["email"], lead["estimatedValue"], lead["facilityId"],
                          lead["lostReason"], lead["qualifiedAt"], lead["lastContactedAt"]),
                         ("new", "manual", "grace@example.test", 1200.5, None, "", None, None))
        qualified = self.check(live.patch(where, {"status": "qualified", "score": 70}), 200)
        self.assertIsNotNone(qualified["qualifiedAt"])
        self.check_refused(live.patch(where, {"status": "lost"}), 400, "VALIDATION_ERROR")
        lost = self.check(live.put(where, {**qualified, "status": "lost", "lostReason": "budget"}), 200)
        self.assertEqual((lost["lostReason"], lost["qualifiedAt"]), ("budget", qualified["qualifiedAt"]))
        items = self.check(live.get("/api/dashboard/recent-activity", limit=20), 200)
        self.assertIn(("lead.created", f"lead:{lead['id']}"), {(item["action"], item["resource"]) for item in items})
        self.assertEqual(live.delete(where).text, "")
        self.check_refused(live.patch(where, {"score": 1}), 404, "NOT_FOUND")
        types = [json.loads(line)["type"] for line in
                 service.command("tap", "--from", "start", "--until-idle", "--aggregate", f"lead/{lead['id']}").splitlines()]
        self.assertEqual(types, ["lead.created", "lead.updated", "lead.status_changed", "lead.qualified",
                                 "lead.status_changed", "lead.deleted"])

    def test_bad_input_names_its_fields(self):
        refused = live.post("/api/crm/leads", {"email": "nobody", "score": 101, "status": "cold", "facilityId": "x"})
        self.check_fields(refused, "name", "email", "score", "status", "facilityId")

    def test_who_is_bound_to_one_facility_need_not_name_it(self):
        here = service.demo["facilityIds"][0]
        bound = live.with_key(rest.make_key(service, ["crm:write"], facility=here)[1])
        self.assertEqual(self.check(bound.post("/api/crm/leads", {"name": "Ada"}), 201)["facilityId"], here)


class PreconditionTest(rest.RestCase):

    def test_etag_flow(self):
        where = live.post("/api/shifts", shift()).headers["Location"]
        first = live.get(where).headers["ETag"]
        self.assertRegex(first, '^"[0-9]+"$')
        second = live.patch(where, {"notes": "1"}, {"If-Match": first})
        self.check(second, 200)
        for stale in (first, f"W/{second.headers['ETag']}", '"x"', '""', "1", '"-1"'):
            for method, path in (("PATCH", where), ("PUT", where), ("DELETE", where), ("POST", f"{where}/cancel")):
                with self.subTest(tag=stale, method=method):
                    answer = live.send(method, path, {"notes": "2"} if method[1] != "E" else None, {"If-Match": stale})
                    self.check_refused(answer, 412, "PRECONDITION_FAILED")
        got = live.get(where)
        self.assertEqual((got.body["notes"], got.headers["ETag"]), ("1", second.headers["ETag"]))
        self.check(live.patch(where, {"notes": "3"}, {"If-Match": "*"}), 200)
        last = live.get(where).headers["ETag"]
        for several, status in ((f'W/{last}, {first}, "x"', 412), (f'"a,b", {first}, {last}', 200)):
            answer = live.patch(where, {"notes": "4"}, {"If-Match": several})
            self.check(answer, status)
        last = answer.headers["ETag"]
        self.check_refused(live.post("/api/shifts", shift(), {"If-Match": '"1"'}), 412, "PRECONDITION_FAILED")
        cancelled = live.post(f"{where}/cancel", {}, {"If-Match": last})
        self.check(cancelled, 200)
        self.assertNotEqual(cancelled.headers["ETag"], last)

    def test_of_concurrent_edits_of_one_version_one_wins(self):
        where = live.post("/api/shifts", shift()).headers["Location"]
        tag = live.get(where).headers["ETag"]
        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda n: live.patch(where, {"notes": str(n)}, {"If-Match": tag}), range(1, 17)))
        winners = [n for n, answer in enumerate(answers, 1) if answer.status == 200]
        self.assertEqual(len(winners), 1)
        self.assertEqual({answer.status for answer in answers}, {200, 412})
        self.assertEqual(live.get(where).body["notes"], str(winners[0]))


class OwnWritesTest(rest.RestCase):

    def test_what_was_written_is_read_at_once_on_any_connection(self):
        def rounds(worker):
            reader = rest.client_of(service)  # a connection of its own, with the same credential
            for turn in range(15):
                made = live.post("/api/staff", person(lastName=f"Own{worker}x{turn}"))
                self.check(made, 201)
                got = reader.get(made.headers["Location"])
                listed = reader.get("/api/staff", q=f"Own{worker}x{turn}", sort="-createdAt")
                self.assertEqual((got.status, got.body), (200, made.body), str(got))
                self.assertIn(made.body["id"], [row["id"] for row in listed.body["data"]], str(listed))
                self.check(live.patch(made.headers["Location"], {"phone": f"{turn}"}), 200)
                self.assertEqual(reader.get(made.headers["Location"]).body["phone"], f"{turn}")
                self.check(live.delete(made.headers["Location"]), 200)
                self.assertFalse(reader.get(made.headers["Location"]).body["isActive"])
                for answer in (got, listed):
                    self.assertIsNone(answer.headers["Service-Stale"])
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(rounds, range(4)))


class IdempotencyTest(rest.RestCase):

    def check_replayed(self, answer, first):
        self.assertEqual((answer.status, answer.text), (first.status, first.text))
        self.assertEqual(answer.headers["Idempotency-Replayed"], "true", str(answer))
        self.assertIsNone(first.headers["Idempotency-Replayed"])
        for name in ("Location", "ETag", "Content-Type"):
            self.assertEqual(answer.headers[name], first.headers[name], name)
        self.assertNotEqual(answer.headers["X-Request-Id"], first.headers["X-Request-Id"])

    def test_a_create_happens_once(self):
        body, headers = person(), keyed()
        first = live.post("/api/staff", body, headers)
        self.check(first, 201)
        self.check_replayed(live.post("/api/staff", body, headers), first)
        reordered = '{ "email": "%s",\n"lastName":"Rites", "firstName" : "W" }' % body["email"]
        self.check_replayed(live.send("POST", "/api/staff", raw=reordered.encode(), headers=headers), first)

    def test_another_request_with_the_key_is_refused(self):
        body, headers = person(), keyed()
        self.check(live.post("/api/staff", body, headers), 201)
        for answer in (live.post("/api/staff", body | {"phone": "1"}, headers), live.post("/api/facilities", body, headers),
                       live.post("/api/staff?a=b", body, headers), live.send("POST", "/api/staff", raw=b"{", headers=headers),
                       live.put("/api/staff/1", body, headers)):
            self.check_refused(answer, 409, "IDEMPOTENCY_KEY_CONFLICT")

    def test_length_of_keys(self):
        self.check_fields(live.post("/api/staff", person(), {"Idempotency-Key": ""}), "Idempotency-Key")
        self.check_fields(live.post("/api/staff", person(), {"Idempotency-Key": "k" * 256}), "Idempotency-Key")
        self.check(live.post("/api/staff", person(), {"Idempotency-Key": secrets.token_hex(127) + "k"}), 201)
        self.check(live.post("/api/staff", person(), {"Idempotency-Key": secrets.token_hex(1)}), 201)

    def test_refusals_are_replayed(self):
        taken = self.check(live.post("/api/staff", person()), 201)
        for send, status in ((lambda h: live.post("/api/staff", person(email=taken["email"]) | {"lastName": "Same"}, h), 409),
                             (lambda h: live.post(f"/api/shifts/{ABSENT}/cancel", {}, h), 404),
                             (lambda h: live.patch("/api/shifts/1", {"notes": "x"}, {**h, "If-Match": '"999"'}), 412)):
            headers = keyed()
            first = send(headers)
            self.assertEqual(first.status, status, str(first))
            if status == 409:  # what was in the way goes: the answer stays what it was
                self.check(live.patch(f"/api/staff/{taken['id']}", {"email": "moved@example.test"}), 200)
            self.check_replayed(send(headers), first)

    def test_what_was_not_decided_is_not_kept(self):
        headers = keyed()
        self.check_fields(live.post("/api/staff", {"firstName": "W"}, headers), "lastName", "email")
        self.check_refused(live.send("POST", "/api/staff", raw=b"{", headers=headers), 400, "VALIDATION_ERROR")
        self.check_refused(live.post("/api/staff", person(), headers | {"Content-Type": "text/plain"}), 415,
                           "UNSUPPORTED_MEDIA_TYPE")
        self.check_refused(live.post("/api/shifts", shift(endTime="08:00"), headers), 400, "VALIDATION_ERROR")
        reader = rest.client_of(service, "readOnly")
        self.check_refused(reader.post("/api/staff", person(), headers), 403, "INSUFFICIENT_SCOPE")
        self.check(live.post("/api/staff", person(), headers), 201)

    def test_get_and_delete_have_no_keys(self):
        where = live.post("/api/staff", person()).headers["Location"]
        headers = keyed()
        for answer in (live.get(where, headers), live.delete(where, headers), live.delete(where, headers),
                       live.get(where, {"Idempotency-Key": "k" * 300})):
            self.check(answer, 200)
            self.assertIsNone(answer.headers["Idempotency-Replayed"])

    def test_what_has_no_valid_credential_is_not_kept(self):
        body, headers = person(), keyed()
        for key in (None, "svc_live_none"):
            self.assertEqual(live.with_key(key).post("/api/staff", body, headers).status, 401)
        first = live.post("/api/staff", body, headers)
        self.check(first, 201)
        self.check_replayed(live.post("/api/staff", body, headers), first)
        self.assertEqual(live.with_key("svc_live_none").post("/api/staff", body, headers).status, 401)

    def test_put_and_patch_are_different_requests(self):
        where = live.post("/api/staff", person()).headers["Location"]
        body, headers = {"lastName": "Twin"}, keyed()
        self.check(live.patch(where, body, headers), 200)
        self.check_refused(live.put(where, body, headers), 409, "IDEMPOTENCY_KEY_CONFLICT")

    def test_a_quoted_key_is_the_same_key(self):
        body, key = person(), secrets.token_hex(16)
        first = live.post("/api/staff", body, keyed(key))
        self.check(first, 201)
        self.check_replayed(live.post("/api/staff", body, keyed(f'"{key}"')), first)
        self.check_fields(live.post("/api/staff", body, keyed('""')), "Idempotency-Key")

    def test_a_refusal_that_is_told_again_names_the_first_request(self):
        headers = keyed()
        first, again = (live.post(f"/api/shifts/{ABSENT}/cancel", {}, headers) for _ in range(2))
        self.check_refused(first, 404, "NOT_FOUND")
        self.check_replayed(again, first)
        self.assertEqual(again.body["requestId"], first.headers["X-Request-Id"])

    def test_keys_of_the_sandbox_are_apart(self):
        sandbox = live.with_key(rest.make_key(service, ["staff:write"], kind="test", facility=service.demo["facilityIds"][0])[1])
        body, headers = person(), keyed()
        firsts = [client.post("/api/staff", body, headers) for client in (live, sandbox)]
        for client, first in zip((live, sandbox), firsts):
            self.check(first, 201)
            self.check_replayed(client.post("/api/staff", body, headers), first)

    def test_keys_of_another_credential_are_others(self):
        other = live.with_key(rest.make_key(service, ["staff:write"])[1])
        body, headers = person(), keyed()
        self.check(live.post("/api/staff", body, headers), 201)
        self.check_refused(other.post("/api/staff", body, headers), 409, "DUPLICATE_RESOURCE")

    def test_a_key_keeps_its_answer_over_stop_and_crash(self):
        sent = [(person(), keyed()) for _ in range(3)]
        firsts = [live.post("/api/staff", body, headers) for body, headers in sent]
        headers = keyed()
        missing = live.post(f"/api/shifts/{ABSENT}/cancel", {}, headers)
        for end in (service.stop, service.kill9):
            end()
            service.start()
            live.close()
            for first, (body, key) in zip(firsts, sent):
                self.check(first, 201)
                self.check_replayed(live.post("/api/staff", body, key), first)
            self.check_replayed(live.post(f"/api/shifts/{ABSENT}/cancel", {}, headers), missing)
            self.check_refused(live.post("/api/staff", person(), sent[0][1]), 409, "IDEMPOTENCY_KEY_CONFLICT")

    def test_of_concurrent_twins_one_is_decided(self):
        for _ in range(10):
            body, headers, together = person(), keyed(), threading.Barrier(6)

            def send(_, body=body, headers=headers, together=together):
                together.wait(30)
                return live.post("/api/staff", body, headers)
            with ThreadPoolExecutor(6) as pool:
                answers = list(pool.map(send, range(6)))
            made = [answer for answer in answers if answer.status == 201]
            firsts = [answer for answer in made if "Idempotency-Replayed" not in answer.headers]
            self.assertEqual(len(firsts), 1, [str(answer) for answer in answers])
            self.assertEqual({answer.body["id"] for answer in made}, {firsts[0].body["id"]})
            for answer in answers:
                if answer.status != 201:
                    self.check_refused(answer, 409, "IDEMPOTENCY_IN_PROGRESS")
            self.assertEqual(len(live.get("/api/staff", q=body["email"]).body["data"]), 1)
