# Lists: filters against a model, order, cursors, limits.

import base64
import itertools
import random
from datetime import date, datetime, timedelta, timezone

import rest

service = live = None
SHIFTS = "/api/shifts"
STAFF = "/api/staff"
FACILITIES = "/api/facilities"
URGENCIES = ["low", "medium", "high", "critical"]
EMPLOYMENT = ["full_time", "part_time", "contract", "per_diem"]


def setUpModule():
    global service, live
    service = rest.start_service()
    live = rest.client_of(service)
    people = make_staff()
    for n, one in enumerate(people[3:8] + people[6:10]):  # the last ones expired before they were added
        end = {"expiresOn": "2020-01-01"} if n >= 5 else {}
        made(live.post(f"{STAFF}/{one}/credentials", {"type": "license", "name": "Registered Nurse", **end}))
    make_shifts(people)
    for n, name in enumerate(("Zum Anker", "alte Post", "Alte Mühle", "Éclair House")):
        facility = made(live.post(FACILITIES, {"name": name, "code": f"F-{n}", "timezone": "Europe/Berlin"}))
        if n == 2:
            made(live.delete(f"{FACILITIES}/{facility['id']}"))


def made(answer):
    """The body of a success; a set-up that fails must not go unseen."""
    if answer.status not in (200, 201):
        raise AssertionError(str(answer))
    return answer.body


def make_staff():
    """People with many equal names and rates, two of them not active."""
    ids = []
    for n in range(24):
        ids.append(made(live.post(STAFF, {
            "firstName": f"First{n}", "lastName": ("abel", "Abel", "Ödön", "Zed")[n % 4], "email": f"list{n}@example.test",
            "specialty": ("Cook", "COOK", "Porter")[n % 3], "employmentType": EMPLOYMENT[n % 4], "hourlyRate": n % 3,
            "skills": ["Knives"] if n % 5 == 0 else [],
            "facilityIds": [service.demo["facilityIds"][n % 2]] if n % 3 else []}))["id"])
    for one in ids[:2]:
        made(live.delete(f"{STAFF}/{one}"))
    return ids[2:]


def make_shifts(people):
    """Shifts that begin at few moments and were made at one, in every state, some deleted."""
    tomorrow = date.today() + timedelta(days=1)
    bulk = [{"facilityId": service.demo["facilityIds"][n % 2], "title": f"Round {n % 7}", "urgency": URGENCIES[n % 4],
             "date": str(tomorrow + timedelta(days=30 + n % 3)), "startTime": "22:00" if n % 2 else "08:00", "endTime": "06:00",
             "specialty": ("Cook", "cook", "Porter", "")[n % 4], "department": ("Bar", "bar", "Hall")[n % 3]} for n in range(40)]
    ids = [shift["id"] for shift in made(live.post(SHIFTS, {"shifts": bulk}))["data"]]
    for n, shift in enumerate(ids[:8]):
        made(live.post(f"{SHIFTS}/{shift}/assign", {"staffId": people[n], "override": True}))
    for shift in ids[6:14]:
        made(live.post(f"{SHIFTS}/{shift}/cancel", {"reason": "not wanted"}))
    for shift in ids[14:17]:
        made(live.delete(f"{SHIFTS}/{shift}"))
    past = made(live.post(SHIFTS, bulk[0] | {"date": "2020-01-01", "title": "Long past"}))
    assert past["status"] == "open"


def every(path, **query):
    return list(itertools.chain.from_iterable(rest.pages(live, path, limit=200, **query)))


class FilterTest(rest.RestCase):
    """Each filter gives what its predicate picks from the whole list."""

    def check_filters(self, path, rows, cases):
        for query, predicate in cases:
            with self.subTest(query=query):
                expected = {row["id"] for row in rows if predicate(row)}
                self.assertTrue(0 < len(expected) < len(rows), "the case proves nothing")
                found = [row["id"] for row in every(path, **query)]
                self.assertEqual(len(found), len(set(found)))
                self.assertEqual(set(found), expected)

    def test_shifts(self):
        rows = every(SHIFTS)
        self.assertGreater(len(rows), 50)
        self.assertEqual({row["status"] for row in rows}, {"open", "assigned", "cancelled"})
        day = sorted(row["date"] for row in rows)[-1]
        staff = next(row["assignedStaffIds"][0] for row in rows if row["assignedStaffIds"])
        newest = max(row["updatedAt"] for row in rows)
        now = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.000Z")
        facility = service.demo["facilityIds"][1]
        self.check_filters(SHIFTS, rows, [
            ({"status": "open"}, lambda r: r["status"] == "open"),
            ({"status": "assigned,cancelled"}, lambda r: r["status"] in ("assigned", "cancelled")),
            ({"from": day}, lambda r: r["date"] >= day),
            ({"to": day}, lambda r: r["date"] <= day) if day < max(r["date"] for r in rows) else
            ({"to": "2020-01-01"}, lambda r: r["date"] <= "2020-01-01"),
            ({"from": day, "to": day}, lambda r: r["date"] == day),
            ({"urgency": "high,critical"}, lambda r: r["urgency"] in ("high", "critical")),
            ({"specialty": "cook"}, lambda r: r["specialty"].lower() == "cook"),
            ({"department": "BAR"}, lambda r: r["department"].lower() == "bar"),
            ({"staffId": staff}, lambda r: staff in r["assignedStaffIds"]),
            ({"open": "true"}, lambda r: r["status"] == "open" and r["endsAt"] > now),
            ({"q": "ROUND 3"}, lambda r: "round 3" in r["title"].lower()),
            ({"q": "hall"}, lambda r: "hall" in r["department"].lower()),
            ({"q": "porter"}, lambda r: "porter" in r["specialty"].lower()),
            ({"updatedSince": newest}, lambda r: r["updatedAt"] >= newest),
            ({"facilityId": facility}, lambda r: r["facilityId"] == facility),
            ({"facilityId": facility, "status": "open", "urgency": "low,medium,high", "q": "round"},
             lambda r: r["facilityId"] == facility and r["status"] == "open" and r["urgency"] != "critical" and "Round" in r["title"]),
        ])
        self.assertEqual(len(every(SHIFTS, open="false")), len(rows))

    def test_staff(self):
        rows = every(STAFF, isActive="true") + every(STAFF, isActive="false")
        self.assertEqual({row["id"] for row in every(STAFF, isActive="any")}, {row["id"] for row in rows})
        newest = sorted(row["updatedAt"] for row in rows)[-5]
        facility = service.demo["facilityIds"][0]
        active = lambda r: r["isActive"]  # noqa: E731
        holders = {status: {row["staffId"] for row in every("/api/credentials", status=status)}
                   for status in ("pending", "expired")}
        self.assertTrue(holders["pending"] & holders["expired"])
        self.check_filters(STAFF, rows, [
            ({}, active),
            ({"isActive": "false"}, lambda r: not r["isActive"]),
            ({"specialty": "cook"}, lambda r: active(r) and r["specialty"].lower() == "cook"),
            ({"employmentType": "contract,per_diem"}, lambda r: active(r) and r["employmentType"] in ("contract", "per_diem")),
            ({"skill": "knives"}, lambda r: active(r) and "Knives" in r["skills"]),
            ({"credentialStatus": "pending"}, lambda r: active(r) and r["id"] in holders["pending"]),
            ({"credentialStatus": "pending,expired"}, lambda r: active(r) and r["id"] in holders["pending"] | holders["expired"]),
            ({"credentialStatus": "expired", "specialty": "cook"},
             lambda r: active(r) and r["id"] in holders["expired"] and r["specialty"].lower() == "cook"),
            ({"q": "öDÖN"}, lambda r: active(r) and r["lastName"] == "Ödön"),
            ({"q": "list1"}, lambda r: active(r) and r["email"].startswith("list1")),
            ({"updatedSince": newest}, lambda r: active(r) and r["updatedAt"] >= newest),
            ({"facilityId": facility}, lambda r: active(r) and (facility in r["facilityIds"] or not r["facilityIds"])),
        ])

    def test_facilities(self):
        rows = every(FACILITIES, isActive="any")
        first = next(row for row in rows if row["isActive"])["id"]
        self.check_filters(FACILITIES, rows, [
            ({}, lambda r: r["isActive"]),
            ({"isActive": "false"}, lambda r: not r["isActive"]),
            ({"isActive": "true"}, lambda r: r["isActive"]),
            ({"q": "alte", "isActive": "any"}, lambda r: "alte" in r["name"].lower()),
            ({"q": "f-1", "isActive": "any"}, lambda r: r["code"] == "F-1"),
            ({"facilityId": first}, lambda r: r["id"] == first),
        ])

    def test_texts_with_signs_of_patterns_are_only_texts(self):
        for text in ("%%", "__", "a%", "\\\\", "';--", "(.*)", "R+ound"):
            with self.subTest(q=text):
                self.assertEqual(every(SHIFTS, q=text), [])

    def test_scope_tells_what_the_list_was_taken_from(self):
        facility = service.demo["facilityIds"][0]
        self.assertEqual(live.get(SHIFTS).body["scope"], {"orgUnitId": service.demo["organizationId"]})
        self.assertEqual(live.get(SHIFTS, facilityId=facility).body["scope"], {"facilityId": facility})
        bound = live.with_key(rest.make_key(service, ["shifts:read"], facility=facility)[1])
        self.assertEqual(bound.get(SHIFTS).body["scope"], {"facilityId": facility})


class OrderTest(rest.RestCase):

    KEYS = {SHIFTS: {"startsAt": lambda r: r["startsAt"], "createdAt": lambda r: r["createdAt"],
                     "urgency": lambda r: URGENCIES.index(r["urgency"])},
            STAFF: {"lastName": lambda r: r["lastName"].casefold(), "createdAt": lambda r: r["createdAt"],
                    "hourlyRate": lambda r: r["hourlyRate"]},
            FACILITIES: {"name": lambda r: r["name"].casefold(), "createdAt": lambda r: r["createdAt"]}}

    def test_paging_collects_each_row_once_in_order(self):
        for path, keys in self.KEYS.items():
            rows = every(path)
            for name, key in keys.items():
                for sort, reverse in ((name, False), (f"-{name}", True)):
                    for limit in (1, 3, 7) if len(rows) < 60 else (3, 7):
                        with self.subTest(path=path, sort=sort, limit=limit):
                            got = list(rest.pages(live, path, sort=sort, limit=limit))
                            self.assertTrue(all(len(page) == limit for page in got[:-1]))
                            expected = sorted(rows, key=lambda r: (key(r), r["id"]), reverse=reverse)
                            self.assertEqual([row["id"] for page in got for row in page], [row["id"] for row in expected])

    def test_default_orders(self):
        for path, sort in ((SHIFTS, "startsAt"), (STAFF, "lastName"), (FACILITIES, "name")):
            self.assertEqual(every(path), every(path, sort=sort), path)

    def test_rows_that_come_and_change_while_paging_disturb_no_others(self):
        before = [row["id"] for row in every(SHIFTS, status="open")]
        seen, cursor, body = [], {}, {"facilityId": service.demo["facilityIds"][0], "title": "While paging",
                                      "startTime": "08:00", "endTime": "09:00"}
        dates = random.Random(7)
        while True:
            page = self.check(live.get(SHIFTS, status="open", limit=6, **cursor), 200)
            seen += [row["id"] for row in page["data"]]
            if not page["pagination"]["hasMore"]:
                break
            cursor = {"cursor": page["pagination"]["nextCursor"]}
            made(live.post(SHIFTS, body | {"date": str(date.today() + timedelta(days=dates.randrange(1, 60)))}))
            made(live.patch(f"{SHIFTS}/{seen[-1]}", {"notes": "seen"}))
        self.assertEqual(len(seen), len(set(seen)))
        self.assertEqual([one for one in seen if one in set(before)], before)


class CursorTest(rest.RestCase):

    def setUp(self):
        self.cursor = live.get(SHIFTS, status="open", limit=2).body["pagination"]["nextCursor"]

    def check_invalid(self, path=SHIFTS, client=None, **query):
        self.check_refused((client or live).get(path, **query), 400, "INVALID_CURSOR")

    def test_the_limit_may_change(self):
        self.assertEqual(len(live.get(SHIFTS, status="open", limit=5, cursor=self.cursor).body["data"]), 5)

    def test_a_cursor_of_other_filters(self):
        for query in ({}, {"status": "assigned"}, {"status": "open", "q": "round"}, {"status": "open", "sort": "-startsAt"},
                      {"status": "open", "facilityId": service.demo["facilityIds"][0]}):
            with self.subTest(query=query):
                self.check_invalid(cursor=self.cursor, **query)

    def test_a_cursor_of_another_route_or_credential(self):
        self.check_invalid(STAFF, cursor=self.cursor, status="open")
        self.check_invalid(client=rest.client_of(service, "readOnly"), cursor=self.cursor, status="open")

    def test_altered_cursors(self):
        raw = bytearray(base64.urlsafe_b64decode(self.cursor + "=="))
        altered = [self.cursor[:-4], self.cursor + "AAAA", "x", "", "!!!", self.cursor[::-1], self.cursor + "="]
        for place in range(0, len(raw), 5):
            changed = raw.copy()
            changed[place] ^= 1
            altered.append(base64.urlsafe_b64encode(changed).decode().rstrip("="))
        for cursor in altered:
            with self.subTest(cursor=cursor):
                self.check_invalid(cursor=cursor, status="open")


class ParameterTest(rest.RestCase):

    def test_limits(self):
        for path in (SHIFTS, STAFF, FACILITIES, "/api/dashboard/recent-activity"):
            for text in ("0", "-1", "abc", "1.5", "", "1e2", "99999999999999999999"):
                with self.subTest(path=path, limit=text):
                    self.check_fields(live.get(path, limit=text), "limit")
        for path in (SHIFTS, STAFF, FACILITIES):
            self.assertEqual(live.get(path).body["pagination"]["limit"], 50)
            for text in ("200", "201", "500", "1000000"):
                self.assertEqual(self.check(live.get(path, limit=text), 200)["pagination"]["limit"], 200)
            self.assertEqual(len(live.get(path, limit=1).body["data"]), 1)
        self.assertEqual(len(live.get("/api/dashboard/recent-activity").body), 20)
        self.assertEqual(len(live.get("/api/dashboard/recent-activity", limit=3).body), 3)
        self.assertEqual(len(live.get("/api/dashboard/recent-activity", limit=500).body), 100)

    def test_more_than_a_page_can_hold(self):
        shift = {"facilityId": service.demo["facilityIds"][0], "title": "Many", "date": "2033-03-03", "startTime": "08:00",
                 "endTime": "09:00"}
        for _ in range(3):
            made(live.post(SHIFTS, {"shifts": [shift] * 70}))
        sizes = [len(page) for page in rest.pages(live, SHIFTS, limit=500, q="Many")]
        self.assertEqual(sizes, [200, 10])

    def test_wrong_values_are_named(self):
        for path, query in ((SHIFTS, {"status": "nope"}), (SHIFTS, {"status": "open,nope"}), (SHIFTS, {"status": ""}),
                            (SHIFTS, {"urgency": "5"}), (SHIFTS, {"from": "2026-13-01"}), (SHIFTS, {"to": "2026-02-30"}),
                            (SHIFTS, {"from": "today"}), (SHIFTS, {"staffId": "x"}), (SHIFTS, {"open": "maybe"}),
                            (SHIFTS, {"updatedSince": "yesterday"}), (SHIFTS, {"facilityId": "a"}), (SHIFTS, {"orgUnitId": "1.0"}),
                            (SHIFTS, {"q": "x"}), (SHIFTS, {"q": "x" * 101}), (STAFF, {"employmentType": "free"}),
                            (STAFF, {"isActive": "1"}), (STAFF, {"isActive": "all"}), (FACILITIES, {"isActive": ""}), (SHIFTS, {"sort": "title"}),
                            (SHIFTS, {"sort": ""}), (SHIFTS, {"urgency": ""}), (SHIFTS, {"sort": "--startsAt"}), (STAFF, {"sort": "startsAt"}), (FACILITIES, {"sort": "id desc"})):
            with self.subTest(path=path, query=query):
                answer = live.get(path, **query)
                self.check_refused(answer, 400, "VALIDATION_ERROR")
                self.assertEqual({field.split("[")[0] for field in answer.fields}, set(query), str(answer))
        self.check_fields(live.get(SHIFTS, **{"from": "x", "to": "y", "limit": 0, "open": 2}), "from", "to", "limit", "open")

    def test_years_are_1_to_9999(self):
        for path in (SHIFTS, STAFF, FACILITIES):
            self.check_fields(live.get(path, updatedSince="0000-06-01T00:00:00Z"), "updatedSince")
            self.check(live.get(path, updatedSince="0001-01-01T00:00:00Z"), 200)
        self.check_fields(live.get(SHIFTS, **{"from": "0000-01-01", "to": "0000-12-31"}), "from", "to")
        self.check(live.get(SHIFTS, **{"from": "0001-01-01", "to": "9999-12-31"}), 200)
        past = {"facility": "F", "position": "P", "startDate": "0000-01-01"}
        body = {"firstName": "O", "lastName": "Old", "email": "year.zero@example.test", "workHistory": [past]}
        self.check_fields(live.post(STAFF, body), "workHistory[0].startDate")

    def test_broken_encoding(self):
        for query in ("q=%zz", "q=%", "q=%ff%fe", "%ff=1", "q=%c3"):
            with self.subTest(query=query):
                details = self.check_refused(live.get(f"{SHIFTS}?{query}"), 400, "VALIDATION_ERROR")
                self.assertEqual(details, {"reason": "invalid_query"})
                self.assertIn("Percent-encode", live.get(f"{SHIFTS}?{query}").body["error"]["suggestion"])

    def test_parameters_that_are_not_known_are_ignored_and_named(self):
        answer = live.get(SHIFTS, colour="blue", status="open", stat="x")
        self.check(answer, 200)
        self.assertEqual(answer.headers["Service-Warnings"], "ignored parameters: colour, stat")
        self.assertNotIn("Service-Warnings", live.get(SHIFTS, status="open").headers)

    def test_more_than_may_be_had_at_once_is_as_much_as_may(self):
        answer = live.get(SHIFTS, limit=3000)
        self.check(answer, 200)
        self.assertEqual(answer.body["pagination"]["limit"], 200)
        self.assertIn("more than 200 counts as 200", live.get("/openapi.json").text)
