# CSV imports of staff and shifts: rows that make and change what is there, rows that are refused, dry runs, repeats, who may and
# where, and a kill in the middle.

import csv
import io
import itertools
import json
import secrets
import threading
import time
import unittest

import cluster
import people
import rest
import support
from kafka_cluster import OnKafka

STAFF, SHIFTS = "/api/staff/import", "/api/shifts/import"
MOST_ROWS, ROWS_OF_COMMAND = 5000, 200
NAMES = ["firstName", "lastName", "email"]
WHEN = ["externalId", "title", "date", "startTime", "endTime"]
KILL_SECONDS = 60
numbers = itertools.count()
service = owner = None
here = there = 0


def setUpModule():
    global service, owner, here, there
    service = rest.start_service()
    owner = rest.client_of(service)
    here, there = service.demo["facilityIds"]


def fresh():
    return f"import{next(numbers)}.{secrets.token_hex(4)}@example.test"


def text_of(columns, *rows):
    """A file as a CSV library writes it."""
    written = io.StringIO(newline="")
    csv.writer(written).writerows([columns, *rows])
    return written.getvalue()


def send(path, text, client=None, headers=None, **query):
    raw = text if isinstance(text, bytes) else text.encode()
    return (client or owner).send("POST", path, raw=raw, headers={"Content-Type": "text/csv"} | (headers or {}), **query)


class ImportCase(rest.RestCase):

    def imported(self, path, text, client=None, headers=None, **query):
        """The report of an import, whose figures are those of its rows."""
        report = self.check(send(path, text, client, headers, **query), 200)
        for status in ("created", "updated", "failed"):
            self.assertEqual(report[status], sum(row["status"] == status for row in report["rows"]), report)
        self.assertEqual(set(report), {"created", "updated", "failed", "rows"})
        self.assertEqual([row["line"] for row in report["rows"]], sorted(row["line"] for row in report["rows"]))
        return report

    def people(self, *rows, columns=(), client=None, headers=None, **query):
        return self.imported(STAFF, text_of([*NAMES, *columns], *rows), client, headers, **query)

    def shifts(self, *rows, columns=(), client=None, headers=None, **query):
        return self.imported(SHIFTS, text_of([*WHEN, *columns], *rows), client, headers, **query)

    def row(self, path, id_, client=None):
        return self.check((client or owner).get(f"{path}/{id_}"), 200)

    def errors(self, report, line):
        """(code, field) of what is wrong with a row."""
        row, = (row for row in report["rows"] if row["line"] == line)
        self.assertEqual((row["status"], row["id"]), ("failed", None), row)
        self.assertTrue(all(error["message"] for error in row["errors"]), row)
        return [(error["code"], error["field"]) for error in row["errors"]]

    def events_of(self, answer):
        """How many events of the log name the request."""
        return sum(answer.headers["X-Request-Id"] in json.dumps(event) for event in support.logged_events(service))

    def statuses(self, report):
        return [row["status"] for row in report["rows"]]


class StaffTest(ImportCase):

    def test_rows_make_and_change_people(self):
        first, second = fresh(), fresh()
        columns = ["phone", "specialty", "employmentType", "hourlyRate", "yearsExperience", "certifications", "skills", "profilePhoto",
                   "emergencyContact.name", "emergencyContact.phone", "workHistory", "education", "facilityIds", "externalId",
                   "maxWeeklyHours", "isActive"]
        history = [{"facility": "Old, \"Town\"", "position": "Nurse", "startDate": "2020-01-01", "endDate": None, "description": "a\nb"}]
        whole = ["+1 555 0100", "Nurse", "part_time", "31.5", "4.25", "BLS|ACLS", "triage | wound care", "https://example.com/a.png",
                 "Bob", "+1 555 0101", json.dumps(history), "", f"{here}|{there}", "hr-1", "38.5", "FALSE"]
        report = self.people(["Ada", "Byron", first, *whole], ["Grace", "Hopper", second.upper(), *[""] * len(whole)], columns=columns)
        self.assertEqual(report, {"created": 2, "updated": 0, "failed": 0, "rows": [
            {"line": 2, "status": "created", "id": report["rows"][0]["id"], "errors": []},
            {"line": 3 + history[0]["description"].count("\r"), "status": "created", "id": report["rows"][1]["id"], "errors": []}]})
        ada = self.row("/api/staff", report["rows"][0]["id"])
        expected = {"firstName": "Ada", "email": first, "phone": "+1 555 0100", "employmentType": "part_time", "hourlyRate": 31.5,
                    "yearsExperience": 4.25, "certifications": ["BLS", "ACLS"], "skills": ["triage", "wound care"],
                    "profilePhoto": "https://example.com/a.png", "workHistory": history, "education": [], "facilityIds": [here, there],
                    "emergencyContact": {"name": "Bob", "phone": "+1 555 0101", "relationship": ""}, "externalId": "hr-1",
                    "maxWeeklyHours": 38.5, "isActive": False}
        self.assertEqual({name: ada[name] for name in expected}, expected)
        self.assertEqual(self.row("/api/staff", report["rows"][1]["id"])["email"], second)

        again = self.people(["Ada", "King", first.upper(), "", "", "TRUE", "a"], columns=["phone", "skills", "isActive", "externalId"])
        self.assertEqual((self.statuses(again), again["rows"][0]["id"]), (["updated"], ada["id"]))
        changed = self.row("/api/staff", ada["id"])
        self.assertEqual({name for name in ada if ada[name] != changed[name]}, {"lastName", "isActive", "externalId", "updatedAt"},
                         "blank cells say nothing")
        self.assertEqual(support.logged_types(service, f"staff/{ada['id']}"),
                         ["staff.onboarded", "staff.deactivated", "staff.updated", "staff.reactivated"])
        # A person who is as the row has them is not changed.
        version = owner.get(f"/api/staff/{ada['id']}").headers["ETag"]
        self.assertEqual(self.statuses(self.people(["Ada", "King", first])), ["updated"])
        self.assertEqual(owner.get(f"/api/staff/{ada['id']}").headers["ETag"], version)

    def test_a_bad_row_stops_no_other(self):
        good, twice, other = fresh(), fresh(), fresh()
        report = self.people(
            ["A", "B", good, "1", ""], ["", "B", fresh(), "-1", "x"], ["A", "B", "nobody", "1,5", ""], ["A", "B", twice, "", ""],
            ["A", "B", twice.title(), "", ""], ["A", "B", fresh(), "", "0"], ["A", "B"], ["A", "B", other, "", str(here)],
            columns=["hourlyRate", "facilityIds"])
        self.assertEqual((report["created"], report["failed"]), (3, 5))
        invalid = "VALIDATION_ERROR"
        self.assertEqual(self.errors(report, 3), [(invalid, "firstName"), (invalid, "hourlyRate"), (invalid, "facilityIds[0]")])
        self.assertEqual(self.errors(report, 4), [(invalid, "email"), (invalid, "hourlyRate")])
        self.assertEqual(self.errors(report, 6), [("DUPLICATE_RESOURCE", None)])
        self.assertIn("Line 5 of the file has the same email.", json.dumps(report["rows"]))
        self.assertEqual(self.errors(report, 7), [(invalid, "facilityIds[0]")])
        self.assertEqual(self.errors(report, 8), [(invalid, None)])
        # POST says the same.
        posted = owner.post("/api/staff", {"firstName": "", "lastName": "B", "email": "nobody", "hourlyRate": -1})
        told = {fault["field"]: fault for fault in self.check_refused(posted, 400, invalid)["fields"]}
        row, = (each for each in report["rows"] if each["line"] == 4)
        self.assertEqual(row["errors"][0], {"code": invalid} | told["email"])
        unknown = self.people(["A", "B", fresh(), "9000000000"], columns=["facilityIds"])
        self.assertEqual(self.errors(unknown, 2), [("FACILITY_SCOPE_VIOLATION", None)])

    def test_files_that_are_none(self):
        for text, fields in (("", {"line 1"}), ("firstName,lastName\n", {"email"}), ("a,b\n", {"a", "b", *NAMES}),
                             ("firstName;lastName;email\n", {"firstName;lastName;email", *NAMES}),
                             (",".join([*NAMES, "email"]) + "\n", {"email"}), (",".join([*NAMES, "id", "organizationId"]), {"id", "organizationId"}),
                             (",".join(NAMES) + '\nA,B,"c\n', {"line 2"}), (",".join(NAMES) + '\nA,B,"c"d\n', {"line 2"}),
                             (",".join(NAMES).encode() + b"\nA,\xfc,c\n", {"line 2"})):
            with self.subTest(text=text):
                answer = send(STAFF, text)
                self.check_refused(answer, 400, "VALIDATION_ERROR")
                self.assertEqual(answer.fields, fields, str(answer))
        for parameters in ({"dryRun": "maybe"}, {"facilityId": "x"}, {"dryrun": "true"}):
            self.check_refused(send(STAFF, text_of(NAMES), **parameters), 400, "VALIDATION_ERROR")
        self.check_refused(owner.post(STAFF, {"firstName": "A"}), 415, "UNSUPPORTED_MEDIA_TYPE")
        for kind in ("text/plain", "application/vnd.ms-excel", "text/csv-schema"):
            self.check_refused(send(STAFF, text_of(NAMES), headers={"Content-Type": kind}), 415, "UNSUPPORTED_MEDIA_TYPE")
        self.assertEqual(self.check(send(STAFF, text_of(NAMES), headers={"Content-Type": "Text/CSV; charset=utf-8; header=present"}), 200)["rows"], [])
        self.assertEqual(owner.get(STAFF).headers["Allow"], "POST")

    def test_files_of_spreadsheets(self):
        email = fresh()
        report = self.imported(STAFF, b"\xef\xbb\xbf" + f'"firstName", lastName ,email\n\n,,\n"Zo\u00eb, Ms","O""Neill",{email}\n\r\n'.encode())
        self.assertEqual([row["line"] for row in report["rows"]], [4])
        made = self.row("/api/staff", report["rows"][0]["id"])
        self.assertEqual((made["firstName"], made["lastName"]), ("Zo\u00eb, Ms", 'O"Neill'))

    def test_large_files(self):
        self.check_refused(send(STAFF, text_of(NAMES, *[["A", "B", "c"]] * (MOST_ROWS + 1))), 413, "PAYLOAD_TOO_LARGE")
        self.check_refused(send(STAFF, text_of(NAMES) + " " * (2 << 20)), 413, "PAYLOAD_TOO_LARGE")
        report = self.people(["A", "B", fresh(), "x" * (256 << 10)], ["A", "B", fresh(), ""], columns=["workHistory"])
        self.assertEqual(self.errors(report, 2), [("PAYLOAD_TOO_LARGE", None)])
        self.assertEqual(report["created"], 1)
        # Rows that say all that can be wrong with them.
        wrong = ["x", "-1", "many", "-1", "200|", "no", "http://x", "{}", "[1]", "a|b|c|d|e|f|g|h|i|j|k", "-1", "no"]
        columns = ["phone", "hourlyRate", "employmentType", "yearsExperience", "skills", "isActive", "profilePhoto", "workHistory", "education",
                   "facilityIds", "maxWeeklyHours"]
        report = self.people(*[["", "", "", *wrong[:len(columns)]]] * 1000, columns=columns)
        self.assertEqual((report["failed"], {len(row["errors"]) for row in report["rows"]}), (1000, {10}))

    def test_a_dry_run_says_what_would_be_and_does_nothing(self):
        known, new = fresh(), fresh()
        self.people(["A", "B", known])
        text = text_of([*NAMES, "phone"], ["A", "B", known, "+1"], ["A", "B", new, ""], ["A", "B", new, ""], ["", "", fresh(), ""],
                       *[["A", "B", fresh(), ""] for _ in range(ROWS_OF_COMMAND)])
        service.wait_projected()
        key = {"Idempotency-Key": secrets.token_hex(8)}
        dry, again, real = (send(STAFF, text, headers=key, dryRun=said) for said in ("true", "true", "false"))
        would, did = self.check(dry, 200), self.check(real, 200)
        self.assertEqual(self.check(again, 200), would)
        # Jobs of the clock append at any time, so the events of these requests are what counts.
        self.assertEqual([self.events_of(answer) > 0 for answer in (dry, again, real)], [False, False, True], "nothing is appended")
        self.assertEqual([row["id"] for row in would["rows"] if row["status"] == "created"], [None] * (ROWS_OF_COMMAND + 1))
        self.assertTrue(all(row["id"] for row in did["rows"] if row["status"] == "created"))
        self.assertEqual(would["rows"], [row | {"id": None} if row["status"] == "created" else row for row in did["rows"]])
        self.assertEqual({name: would[name] for name in ("created", "updated", "failed")}, {name: did[name] for name in ("created", "updated", "failed")})

    def test_repeats_with_a_key_are_told_the_same(self):
        key = {"Idempotency-Key": secrets.token_hex(8)}
        text = text_of(NAMES, *[["A", "B", fresh()] for _ in range(2 * ROWS_OF_COMMAND + 1)], ["A", "B", "nobody"])
        first = send(STAFF, text, headers=key | {"If-Match": '"0"'})  # a file has no version
        again = send(STAFF, text, headers=key)
        self.assertNotIn("Idempotency-Replayed", first.headers)
        self.assertEqual((self.check(again, 200), again.headers["Idempotency-Replayed"]), (self.check(first, 200), "true"))
        self.assertEqual((first.body["created"], first.body["failed"]), (2 * ROWS_OF_COMMAND + 1, 1))
        self.check_refused(send(STAFF, text + "\n", headers=key), 409, "IDEMPOTENCY_KEY_CONFLICT")
        self.check_refused(owner.post("/api/staff", {"firstName": "A", "lastName": "B", "email": fresh()}, key), 409, "IDEMPOTENCY_KEY_CONFLICT")
        self.assertEqual(self.imported(STAFF, text)["updated"], first.body["created"], "without a key they are there already")

    def test_who_may_and_where(self):
        reader = owner.with_key(rest.make_key(service, ["staff:read"])[1])
        self.check_refused(send(STAFF, text_of(NAMES), reader), 403, "INSUFFICIENT_SCOPE")
        bound = owner.with_key(rest.make_key(service, ["staff:write", "staff:read"], facility=here)[1])
        mine, shared, theirs, new = fresh(), fresh(), fresh(), fresh()
        self.people(["A", "B", mine, here], ["A", "B", shared, ""], ["A", "B", theirs, there], columns=["facilityIds"])
        report = self.people(*(["C", "B", email, ""] for email in (mine, shared, theirs, new)), ["C", "B", fresh(), there],
                             columns=["facilityIds"], client=bound)
        self.assertEqual(self.statuses(report), ["updated", "updated", "failed", "created", "failed"])
        self.assertEqual((self.errors(report, 4), self.errors(report, 6)),
                         ([("DUPLICATE_RESOURCE", None)], [("FACILITY_SCOPE_VIOLATION", None)]))
        self.assertEqual(self.row("/api/staff", report["rows"][3]["id"], bound)["facilityIds"], [here])
        self.check_refused(send(STAFF, text_of(NAMES), bound, facilityId=there), 403, "FACILITY_SCOPE_VIOLATION")
        self.check_refused(send(STAFF, text_of(NAMES), facilityId=9_000_000_000), 403, "FACILITY_SCOPE_VIOLATION")
        self.check_refused(send(STAFF, text_of(NAMES), orgUnitId=1), 403, "ORG_SCOPE_VIOLATION")
        placed = self.people(["A", "B", fresh()], ["A", "B", theirs], facilityId=here)
        self.assertEqual([self.row("/api/staff", row["id"])["facilityIds"] for row in placed["rows"]], [[here], [there]])
        # An operator names the organization.
        operator = people.operator_of(service)
        self.check_refused(send(STAFF, text_of(NAMES), operator), 400, "ORG_REQUIRED")
        for query in ({"orgUnitId": service.demo["organizationId"]}, {"facilityId": here}):
            report = self.people(["A", "B", fresh()], client=operator, **query)
            service.wait_projected()  # it is others who read
            self.assertEqual(self.row("/api/staff", report["rows"][0]["id"])["organizationId"], service.demo["organizationId"])

    def test_the_sandbox_has_its_own(self):
        sandbox = rest.client_of(service, "test")
        email = fresh()
        live = self.people(["A", "B", email])["rows"][0]["id"]
        report = self.people(["A", "B", email], client=sandbox)
        self.assertEqual(self.statuses(report), ["created"])
        made = report["rows"][0]["id"]
        self.check_refused(owner.get(f"/api/staff/{made}"), 404, "NOT_FOUND")
        self.check_refused(sandbox.get(f"/api/staff/{live}"), 404, "NOT_FOUND")
        self.assertEqual(self.statuses(self.people(["A", "C", email], client=sandbox)), ["updated"])
        self.assertEqual(self.row("/api/staff", live)["lastName"], "B")

    def test_whoever_was_forgotten_is_nobodys_match(self):
        email = fresh()
        gone = self.people(["A", "B", email])["rows"][0]["id"]
        service.wait_projected()
        service.command("erase", f"staff/{gone}", "--reason", "test")
        report = self.people(["A", "B", email])
        self.assertEqual(self.statuses(report), ["created"])
        self.assertNotEqual(report["rows"][0]["id"], gone)

    def test_events_are_told_as_usual(self):
        answer = send(STAFF, text_of(NAMES, ["Imp", "Ort", fresh()]))
        id_ = self.check(answer, 200)["rows"][0]["id"]
        event, = (each for each in support.logged_events(service) if each["subject"] == f"staff/{id_}")
        self.assertEqual((event["type"], event["verb"], event["requestid"]), ("staff.onboarded", "staff.import_csv", answer.headers["X-Request-Id"]))

    def test_ignored_members_are_named(self):
        answer = send(STAFF, text_of([*NAMES, "education"], ["A", "B", fresh(), '[{"institution":"I","degree":"D","grade":1}]']))
        self.assertEqual(self.check(answer, 200)["created"], 1)
        self.assertEqual(answer.headers["Service-Warnings"], "ignored fields: education[0].grade")


class ShiftTest(ImportCase):

    def one(self, external, start="08:00", end="16:00", date="2031-05-05", title="Imported"):
        return [external, title, date, start, end]

    def test_rows_make_and_change_shifts(self):
        external = secrets.token_hex(6)
        breaks = [{"minutes": 30, "paid": True}]
        report = self.shifts([*self.one(external), here, "Ward", "Nurse", "2", "high", "40.25", "two\r\nlines", json.dumps(breaks)],
                             columns=["facilityId", "department", "specialty", "requiredWorkers", "urgency", "rate", "notes", "breaks"])
        self.assertEqual(self.statuses(report), ["created"])
        made = self.row("/api/shifts", report["rows"][0]["id"])
        expected = {"facilityId": here, "title": "Imported", "date": "2031-05-05", "startTime": "08:00", "endTime": "16:00",
                    "department": "Ward", "specialty": "Nurse", "requiredWorkers": 2, "urgency": "high", "rate": 40.25,
                    "notes": "two\nlines", "breaks": breaks, "externalId": external, "status": "open", "assignedStaffIds": []}
        self.assertEqual({name: made[name] for name in expected}, expected)
        report = self.shifts(self.one(external, "09:00"), facilityId=here)
        self.assertEqual((self.statuses(report), report["rows"][0]["id"]), (["updated"], made["id"]))
        changed = self.row("/api/shifts", made["id"])
        self.assertEqual({name for name in made if made[name] != changed[name]}, {"startTime", "startsAt", "updatedAt"})
        self.assertEqual(self.errors(self.shifts(self.one(external), facilityId=there), 2), [("VALIDATION_ERROR", "facilityId")])
        # Without an id of theirs they are new each time.
        ids = [self.shifts(self.one(""), facilityId=here)["rows"][0]["id"] for _ in range(2)]
        self.assertEqual(len(set(ids)), 2)

    def test_what_can_not_be(self):
        one, two = secrets.token_hex(6), secrets.token_hex(6)
        report = self.shifts(self.one(one), self.one(one, "10:00"), self.one(two, "08:00", "08:00"), self.one("", "8 am"), self.one("", date="1999-01-01"),
                             facilityId=here)
        self.assertEqual(self.statuses(report), ["created", "failed", "failed", "failed", "failed"])
        self.assertEqual([self.errors(report, line)[0] for line in (3, 4, 5, 6)],
                         [("DUPLICATE_RESOURCE", None), ("VALIDATION_ERROR", "endTime"), ("VALIDATION_ERROR", "startTime"),
                          ("VALIDATION_ERROR", "date")])
        answer = send(SHIFTS, text_of(WHEN, self.one(one)))
        self.check_refused(answer, 400, "VALIDATION_ERROR")
        self.assertEqual(answer.fields, {"facilityId"}, "it has to be somewhere")
        self.check_refused(send(SHIFTS, text_of([*WHEN, "facilityId", "assignedStaffIds"])), 400, "VALIDATION_ERROR")
        # A state forbids what it forbids PATCH.
        done = owner.post(f"/api/shifts/{report['rows'][0]['id']}/cancel", {"reason": "rain"})
        self.check(done, 200)
        self.assertEqual(self.errors(self.shifts(self.one(one, "11:00"), facilityId=here), 2), [("INVALID_STATE_TRANSITION", None)])
        self.assertEqual(self.statuses(self.shifts(self.one(one), facilityId=here)), ["updated"], "it is as the row has it")
        self.check(owner.delete(f"/api/shifts/{report['rows'][0]['id']}"), 200)
        self.assertEqual(self.statuses(self.shifts(self.one(one), facilityId=here)), ["created"])

    def test_matches_are_among_what_the_caller_sees(self):
        external = secrets.token_hex(6)
        self.shifts(self.one(external), facilityId=there)
        bound = owner.with_key(rest.make_key(service, ["shifts:write", "shifts:read"], facility=here)[1])
        report = self.shifts(self.one(external), facilityId=here, client=bound)
        self.assertEqual(self.statuses(report), ["created"])
        for facility in (here, there):  # of two it is the one at the facility
            self.assertEqual(self.statuses(self.shifts(self.one(external, "07:00"), facilityId=facility)), ["updated"])
        owner.post("/api/shifts", dict(zip(WHEN, self.one(external)), facilityId=here))
        self.assertEqual(self.errors(self.shifts(self.one(external), facilityId=here), 2), [("DUPLICATE_RESOURCE", None)])
        sandbox = rest.client_of(service, "test")
        self.assertEqual(self.statuses(self.shifts(self.one(external), facilityId=here, client=sandbox)), ["created"])

    def test_people_are_nowhere_twice(self):
        staff = self.people(["A", "B", fresh()])["rows"][0]["id"]
        one, two = secrets.token_hex(6), secrets.token_hex(6)
        report = self.shifts(self.one(one, "08:00", "10:00"), self.one(two, "20:00", "22:00"), facilityId=here)
        for row in report["rows"]:
            self.check(owner.post(f"/api/shifts/{row['id']}/assign", {"staffId": staff}), 200)
        moves = self.one(one, "14:00", "16:00"), self.one(two, "15:00", "17:00")
        for query in ({"dryRun": "true"}, {}):
            moved = self.shifts(*moves, facilityId=here, **query)
            self.assertEqual(self.statuses(moved), ["updated", "failed"])
            self.assertEqual(self.errors(moved, 3), [("STAFF_DOUBLE_BOOKED", None)])

    def test_matches_survive_memory_and_rebuilds(self):
        external = secrets.token_hex(6)
        made = self.shifts(self.one(external), facilityId=here)["rows"][0]["id"]
        before, after = support.checksums_around_rebuild(service)
        self.assertEqual(before, after)
        service.stop()
        service.start()
        owner.close()
        self.assertEqual(self.shifts(self.one(external, "07:00"), facilityId=here)["rows"][0]["id"], made)

    def test_a_request_is_one_row_of_usage(self):
        key = owner.with_key(rest.make_key(service, ["shifts:write"])[1])
        answer = send(SHIFTS, text_of(WHEN, *[self.one(secrets.token_hex(6)) for _ in range(3)]), key, facilityId=here)
        self.check(answer, 200)
        where = f"request_id = '{answer.headers['X-Request-Id'].removeprefix('req_')}'"
        support.wait_until(lambda: service.postgres.value(f"SELECT count(*) FROM usage.call WHERE {where}") != "0", KILL_SECONDS, "usage is written")
        self.assertEqual(service.postgres.value(f"SELECT count(*) FROM usage.call WHERE {where}"), "1")


class KillTest(support.ServiceCase, ImportCase):
    """A kill in the middle of a file, and the same request once more."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.client = rest.client_of(cls.service)

    def count(self, word):
        """How many people of that name the log has: whoever is there twice counts twice."""
        return int(self.service.postgres.value(f"SELECT count(*) FROM read.staff WHERE doc::jsonb ->> 'specialty' = '{word}'"))

    def kill_in_the_middle(self, **headers):
        """Kills the service while it imports a file, and sends that again. Returns how many rows were there then, and the report."""
        word = secrets.token_hex(6)
        text = text_of([*NAMES, "specialty"], *[["A", "B", fresh(), word] for _ in range(MOST_ROWS)])
        lost = threading.Thread(target=self.try_to_send, args=(text, headers))
        lost.start()
        support.wait_until(lambda: self.count(word) > 0, KILL_SECONDS, "rows are there")
        self.service.kill9()
        lost.join()
        self.service.start()
        self.service.wait_projected()
        self.client.close()
        before = self.count(word)
        self.assertLess(before, MOST_ROWS, "the kill came too late")
        begun = time.monotonic()
        report = self.imported(STAFF, text, self.client, headers)
        took = time.monotonic() - begun
        self.assertEqual(report["created"] + report["updated"], MOST_ROWS)
        self.service.wait_projected()
        self.assertEqual(self.count(word), MOST_ROWS)
        print(f"summary: {self.id()}: {before} rows were there after the kill; the file took {took:.2f} s then")
        return before, report

    def test_with_a_key_what_was_decided_is_told_again(self):
        _, report = self.kill_in_the_middle(**{"Idempotency-Key": secrets.token_hex(8)})
        self.assertEqual(report["created"], MOST_ROWS)

    def test_without_a_key_the_rest_follows(self):
        before, report = self.kill_in_the_middle()
        self.assertEqual(report["updated"], before)

    def try_to_send(self, text, headers):
        try:
            send(STAFF, text, self.client, headers)
        except (OSError, rest.http.client.HTTPException):
            pass
        finally:
            self.client.close()


class KillOnKafkaTest(OnKafka, KillTest):
    """The same with the log in Kafka."""

    test_without_a_key_the_rest_follows = None


class ForwardedTest(ImportCase):
    """Two processes, of which one writes the organization's partition."""

    def test_the_owner_decides(self):
        postgres = self.enterContext(support.Postgres())
        installation = self.enterContext(cluster.Cluster(postgres))
        first, second, _ = installation.start("api", "api", "workers")
        email = fresh()
        text = text_of(NAMES, ["A", "B", email], ["A", "B", "nobody"])
        reports = [self.imported(STAFF, text, member.client()) for member in (first, second)]
        self.assertEqual([self.statuses(report) for report in reports], [["created", "failed"], ["updated", "failed"]])
        for member in (first, second):
            self.assertEqual(self.imported(STAFF, text, member.client(), dryRun="true"), reports[1])
            self.check_refused(send(STAFF, "a,b\n", member.client()), 400, "VALIDATION_ERROR")


if __name__ == "__main__":
    unittest.main()
