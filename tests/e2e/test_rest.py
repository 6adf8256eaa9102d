# HTTP and the error envelope: what is refused and how, limits, versions, headers.

import base64
import http.client
import json
import socket
from urllib.parse import urlsplit

import rest
import support

service = live = None
ABSENT = 9_000_000_000  # an id that nothing has


def setUpModule():
    global service, live
    service = rest.start_service()
    live = rest.client_of(service)


def exchange(data):
    """Sends bytes on a connection of their own and returns the Answer."""
    address = urlsplit(service.demo["baseUrl"])
    with socket.create_connection((address.hostname, address.port), timeout=30) as connection:
        connection.sendall(data)
        response = http.client.HTTPResponse(connection)
        response.begin()
        return rest.Answer(repr(data[:200]), response)


def nested(depth):
    """A JSON object whose brackets nest this deep."""
    return ('{"notes":' + "[" * (depth - 1) + "]" * (depth - 1) + "}").encode()


class PeriodicJobsTest(rest.RestCase):
    """What the service does by itself, each for the first time at its start."""

    def test_none_fails(self):
        led = "SELECT count(*) FROM ops.job WHERE name = 'old streams of MCP'"  # one of the last to begin
        support.wait_until(lambda: service.postgres.value(led) == "1", 30, "jobs have begun")
        failed = [line for line in service.tail(10_000).splitlines() if "a periodic job failed" in line]
        self.assertEqual(failed, [])


class BodyTest(rest.RestCase):
    """Bodies that are no valid command."""

    def test_malformed_json(self):
        for raw in (b"{", b"{'a':1}", b'{"a":1}x', b"[1,]", b"nul", b'{"a":"\xff"}', b'{"a":"\\ud800"}', b"{\"a\":01}", b" "):
            with self.subTest(raw=raw):
                details = self.check_refused(live.send("POST", "/api/staff", raw=raw), 400, "VALIDATION_ERROR")
                self.assertEqual(details, {"reason": "invalid_json"})

    def test_a_body_that_is_no_object(self):
        for raw in (b"[]", b"1", b'"a"', b"null", b"true"):
            for method, path in (("POST", "/api/staff"), ("POST", "/api/shifts"), ("PATCH", "/api/staff/1")):
                with self.subTest(raw=raw, path=path):
                    self.check_refused(live.send(method, path, raw=raw), 400, "VALIDATION_ERROR")

    def test_all_wrong_fields_are_named_at_once(self):
        self.check_fields(
            live.post("/api/staff", {"firstName": 1, "email": "x", "employmentType": "free", "hourlyRate": "9", "skills": "a",
                                     "emergencyContact": {"phone": 5}, "education": [{"gpa": 6}], "profilePhoto": "http://x",
                                     "workHistory": [{"facility": "a", "position": "b", "startDate": "2020-02-30"}]}),
            "firstName", "lastName", "email", "employmentType", "hourlyRate", "skills", "emergencyContact.phone",
            "education[0].gpa", "education[0].institution", "education[0].degree", "workHistory[0].startDate", "profilePhoto")
        self.check_fields(
            live.post("/api/shifts", {"facilityId": "1", "title": " ", "date": "tomorrow", "startTime": "8:00",
                                      "endTime": "24:00", "requiredWorkers": 0, "urgency": 1, "rate": 1.234,
                                      "assignedStaffIds": ["1"], "breaks": [{"minutes": 0, "paid": 1}]}),
            "facilityId", "title", "date", "startTime", "endTime", "requiredWorkers", "urgency", "rate",
            "assignedStaffIds[0]", "breaks[0].minutes", "breaks[0].paid")
        self.check_fields(live.post("/api/facilities", {"name": "x" * 201, "timezone": "Mars/Base", "code": "c" * 33,
                                                        "schedulingRules": {"overtime": "never"}, "billMarkupPercent": 501}),
                          "name", "timezone", "code", "schedulingRules.overtime", "billMarkupPercent")
        self.check_fields(live.post("/api/facilities"), "name")

    def test_fields_that_only_rules_between_them_refuse(self):
        shift = {"facilityId": 1, "title": "T", "date": "2031-05-01", "startTime": "08:00", "endTime": "16:00"}
        self.check_fields(live.post("/api/shifts", shift | {"endTime": "08:00"}), "endTime")
        self.check_fields(live.post("/api/shifts", {"startTime": "08:00", "endTime": "08:00", "date": "1999-12-31", "rate": "1"}),
                          "facilityId", "title", "date", "endTime", "rate")
        self.check_fields(live.patch("/api/shifts/1", {"facilityId": 999, "endTime": live.get("/api/shifts/1").body["startTime"]}),
                          "facilityId", "endTime")
        self.check_fields(live.post("/api/shifts", shift | {"date": "1999-12-31"}), "date")
        self.check_fields(live.post("/api/shifts", shift | {"date": "2101-01-01"}), "date")
        past = {"facility": "a", "position": "b", "startDate": "2020-02-02", "endDate": "2020-02-01"}
        self.check_fields(live.post("/api/staff", {"firstName": "A", "lastName": "B", "email": "ab@example.test",
                                                   "workHistory": [past]}), "workHistory[0].endDate")
        self.check_fields(live.post("/api/staff", {"firstName": "A", "email": "ab", "workHistory": [past, {"facility": 1}]}),
                          "lastName", "email", "workHistory[0].endDate", "workHistory[1].facility", "workHistory[1].position",
                          "workHistory[1].startDate")
        self.check_fields(live.post("/api/shifts/1/assign"), "staffId")
        self.check_fields(live.post("/api/shifts/1/assign", {"staffId": 1, "staffIds": [1]}), "staffId")
        self.check_fields(live.post("/api/shifts/1/assign", {"staffIds": []}), "staffIds")
        self.check_fields(live.post("/api/shifts/1/assign", {"mode": "some", "override": 1}), "staffId", "mode", "override")

    def test_ids_are_positive(self):
        self.check_fields(live.post("/api/shifts", {"facilityId": 0, "title": "T", "date": "2031-05-01", "startTime": "08:00",
                                                    "endTime": "08:00", "assignedStaffIds": [1, -1]}),
                          "facilityId", "endTime", "assignedStaffIds[1]")
        self.check_fields(live.get("/api/shifts", staffId="0", facilityId="-1"), "staffId", "facilityId")

    def test_text_limits(self):
        staff = {"firstName": "A", "lastName": "B", "email": "limits@example.test"}
        self.check_fields(live.post("/api/staff", staff | {"firstName": "x" * 201}), "firstName")
        self.check_fields(live.post("/api/staff", staff | {"specialty": "a\u0007b"}), "specialty")
        self.check_fields(live.post("/api/staff", staff | {"skills": ["x"] * 101}), "skills")
        made = self.check(live.post("/api/staff", staff | {"firstName": "  Zoe\u0308 ", "email": "Limits@Example.TEST"}), 201)
        self.assertEqual((made["firstName"], made["email"]), ("Zo\u00eb", "limits@example.test"))

    def test_unknown_fields_are_named_and_ignored(self):
        body = {"firstName": "U", "lastName": "K", "email": "unknown@example.test", "favourite": 1, "bad\r\nname": 2}
        answer = live.post("/api/staff", body)
        self.check(answer, 201)
        warning = answer.headers["Service-Warnings"]
        self.assertIn("favourite", warning)
        self.assertIn("bad??name", warning)
        self.assertNotIn("favourite", answer.body)

    def test_a_member_or_parameter_that_comes_twice(self):
        twice = {"field": "firstName", "rule": "duplicate", "message": "is given more than once"}
        for raw, fault in ((b'{"firstName":"A","firstName":"A"}', twice), (b'{"firstName":"A","first\\u004eame":"B"}', twice),
                           (b'{"documents":[{},{"x":1,"x":1}]}', twice | {"field": "documents[1].x"}),
                           (b'{"unknown":1,"unknown":2}', twice | {"field": "unknown"})):
            for method, path in (("POST", "/api/staff"), ("PATCH", "/api/staff/1"), ("POST", "/api/auth/login")):
                with self.subTest(raw=raw, path=path):
                    details = self.check_refused(live.send(method, path, raw=raw), 400, "VALIDATION_ERROR")
                    self.assertEqual(details["fields"], [fault])
        for target, name in (("staff?limit=1&limit=1", "limit"), ("staff?limit=1&lim%69t=2", "limit"), ("staff?other&other=", "other"),
                             ("scopes?svc_live_secret=1&svc_live_secret=2", "a parameter")):
            with self.subTest(target=target):
                details = self.check_refused(live.send("GET", f"/api/{target}"), 400, "VALIDATION_ERROR")
                self.assertEqual(details["fields"], [twice | {"field": name}])
        many = b"[" + b",".join([b'{"x":1,"x":1}'] * 5000) + b"]"
        details = self.check_refused(live.send("POST", "/api/staff", raw=b'{"documents":' + many + b"}"), 400, "VALIDATION_ERROR")
        self.assertLessEqual(len(details["fields"]), 10)

    def test_content_types(self):
        body = {"firstName": "C", "lastName": "T", "email": "types@example.test"}
        for kind in ("text/plain", "application/x-www-form-urlencoded", "application/jsonp", ""):
            with self.subTest(kind=kind):
                answer = live.post("/api/staff", body, {"Content-Type": kind})
                self.check_refused(answer, 415, "UNSUPPORTED_MEDIA_TYPE")
        for n, kind in enumerate(("application/json; charset=utf-8", "APPLICATION/JSON", "application/merge-patch+json")):
            with self.subTest(kind=kind):
                self.check(live.post("/api/staff", body | {"email": f"types{n}@example.test"}, {"Content-Type": kind}), 201)

    def test_a_whole_number_may_be_written_with_a_point(self):
        shift = {"facilityId": float(service.demo["facilityIds"][0]), "title": "Points", "date": "2031-02-01",
                 "startTime": "08:00", "endTime": "16:00", "requiredWorkers": 2.0}
        made = self.check(live.post("/api/shifts", shift), 201)
        self.assertEqual(made["requiredWorkers"], 2)
        self.check_fields(live.post("/api/shifts", shift | {"requiredWorkers": 2.5}), "requiredWorkers")

    def test_photos_are_uris(self):
        self.check_fields(live.patch("/api/staff/1", {"profilePhoto": "https://fotos.example/ä.jpg"}), "profilePhoto")
        self.check(live.patch("/api/staff/1", {"profilePhoto": "https://fotos.example/%C3%A4.jpg"}), 200)

    def test_a_command_without_a_body_needs_no_content_type(self):
        self.check(live.send("POST", "/api/staff/1/reactivate"), 200)

    def test_depth(self):
        too_deep = self.check_refused(live.send("PATCH", "/api/shifts/1", raw=nested(33)), 400, "VALIDATION_ERROR")
        self.assertEqual(too_deep, {"reason": "too_deep"})
        self.check_fields(live.send("PATCH", "/api/shifts/1", raw=nested(32)), "notes")
        self.check_refused(live.send("PATCH", "/api/shifts/1", raw=b"[" * 200_000), 400, "VALIDATION_ERROR")

    def test_brackets_in_texts_are_no_depth(self):
        self.check(live.patch("/api/shifts/1", {"notes": "[" * 40 + '"' + "{" * 40}), 200)


class LimitsTest(rest.RestCase):

    def test_body_of_256_kib(self):
        limit = 256 * 1024
        raw = json.dumps({"notes": "still whole"}).encode()
        self.check(live.send("PATCH", "/api/shifts/1", raw=raw.ljust(limit)), 200)
        try:
            answer = live.send("PATCH", "/api/shifts/1", raw=raw.ljust(limit + 1))
        except (OSError, http.client.HTTPException) as broken:
            self.fail(f"the refusal could not be read: {broken!r}")
        self.check_refused(answer, 413, "PAYLOAD_TOO_LARGE")

    def test_target_of_8_kib(self):
        path = "/api/staff?x="
        self.check(live.get(path + "y" * (8 * 1024 - len(path))), 200)
        self.check_refused(live.get(path + "y" * (8 * 1024 - len(path) + 1)), 414, "URI_TOO_LONG")

    def test_head_of_16_kib(self):
        self.check(live.get("/api/staff", {"X-Filler": "y" * 15_000}), 200)
        self.check_refused(live.get("/api/staff", {"X-Filler": "y" * 16 * 1024}), 431, "HEADERS_TOO_LARGE")
        self.check_refused(live.get("/api/staff", {f"X-{n}": "y" * 20 for n in range(700)}), 431, "HEADERS_TOO_LARGE")

    def test_what_is_no_http(self):
        for data in (b"GET /api/staff\r\n\r\n", b"GET /api/staff HTTP/1.1\r\n\r\n", b"GET /x HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
                     b"POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n", b"\x16\x03\x01\x02\r\n\r\n",
                     b"POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"):
            with self.subTest(data=data):
                answer = exchange(data)
                self.assertEqual(self.check_refused(answer, 400, "VALIDATION_ERROR"), {"reason": "malformed_request"})
                self.assertEqual(answer.headers["Connection"], "close")


class PathTest(rest.RestCase):

    def test_ids_that_are_none(self):
        for text in ("0", "-1", "abc", "1.5", "+1", "1%20", "01x", str(2**53), str(2**64), "%31"):
            for method in ("GET", "PATCH", "DELETE"):
                with self.subTest(id=text, method=method):
                    self.check_fields(live.send(method, f"/api/staff/{text}", {} if method == "PATCH" else None), "id")

    def test_credentials_come_before_ids(self):
        self.check_refused(live.with_key(None).get("/api/staff/abc"), 401, "UNAUTHENTICATED")

    def test_absent_rows(self):
        for path in ("/api/staff", "/api/shifts", "/api/facilities"):
            for method in ("GET", "PATCH", "PUT", "DELETE"):
                with self.subTest(path=path, method=method):
                    answer = live.send(method, f"{path}/{ABSENT}", {} if method.startswith("P") else None)
                    self.check_refused(answer, 404, "NOT_FOUND")

    def test_unknown_paths(self):
        for path in ("/", "/api", "/api/", "/api/nothing", "/api/staff/1/nothing", "/API/staff", "/api//staff", "//", "/api/staff/1/",
                     "/api/staff/", "/api/webhooks/", "/api/shifts//start"):
            for method in ("GET", "POST"):
                with self.subTest(path=path, method=method):
                    answer = live.send(method, path)
                    self.check_refused(answer, 404, "NOT_FOUND")
                    self.assertIn("/openapi.json", answer.body["error"]["suggestion"])

    def test_methods_that_a_path_has_not(self):
        for method, path, allow in (("PUT", "/api/staff", {"GET", "POST"}), ("POST", "/api/staff/1", {"GET", "PATCH", "PUT", "DELETE"}),
                                    ("GET", "/api/shifts/1/assign", {"POST"}), ("TRACE", "/api/auth/me", {"GET"}),
                                    ("OPTIONS", "/healthz", {"GET"}), ("BREW", "/api/scopes", {"GET"})):
            with self.subTest(method=method, path=path):
                answer = live.send(method, path)
                self.check_refused(answer, 405, "METHOD_NOT_ALLOWED")
                self.assertEqual(set(answer.headers["Allow"].split(", ")) - {"HEAD"}, allow)

    def test_mcp_is_on_its_own_host(self):
        for path in ("/mcp", "/mcp/health", "/.well-known/mcp"):
            details = self.check_refused(live.get(path), 403, "MCP_HOST_NOT_ALLOWED")
            self.assertEqual(details, {"mcpUrl": service.demo["mcpUrl"]})
        self.check_refused(live.get("/mcpx"), 404, "NOT_FOUND")


class ListTest(rest.RestCase):
    """Lists beyond what holds of every resource (test_resources.py)."""

    def test_scope_tells_what_a_list_was_taken_from(self):
        facility = service.demo["facilityIds"][0]
        self.assertEqual(live.get("/api/shifts").body["scope"], {"orgUnitId": service.demo["organizationId"]})
        self.assertEqual(live.get("/api/shifts", facilityId=facility).body["scope"], {"facilityId": facility})
        bound = live.with_key(rest.make_key(service, ["shifts:read"], facility=facility)[1])
        self.assertEqual(bound.get("/api/shifts").body["scope"], {"facilityId": facility})

    def test_altered_cursors(self):
        cursor = live.get("/api/shifts", limit=1).body["pagination"]["nextCursor"]
        raw = bytearray(base64.urlsafe_b64decode(cursor + "=="))
        altered = [cursor[:-4], cursor + "AAAA", "x", "", "!!!", cursor[::-1], cursor + "="]
        for place in range(0, len(raw), 5):
            changed = raw.copy()
            changed[place] ^= 1
            altered.append(base64.urlsafe_b64encode(changed).decode().rstrip("="))
        for wrong in altered:
            with self.subTest(cursor=wrong):
                self.check_refused(live.get("/api/shifts", cursor=wrong), 400, "INVALID_CURSOR")

    def test_rows_of_one_moment_on_more_pages_than_one(self):
        shift = {"facilityId": service.demo["facilityIds"][0], "title": "Many", "date": "2033-03-03", "startTime": "08:00",
                 "endTime": "09:00"}
        for _ in range(3):
            self.check(live.post("/api/shifts", {"shifts": [shift] * 70}), 201)
        pages = list(rest.pages(live, "/api/shifts", limit=500, q="Many"))
        self.assertEqual([len(page) for page in pages], [200, 10])
        self.assertEqual(len({row["id"] for page in pages for row in page}), 210)
        feed = "/api/dashboard/recent-activity"
        for query, count in (({}, 20), ({"limit": 3}, 3), ({"limit": 500}, 100)):
            self.assertEqual(len(live.get(feed, **query).body), count)
        self.check_fields(live.get(feed, limit="0"), "limit")

    def test_values_that_parameters_do_not_have(self):
        for path, name, value in (("shifts", "status", "open,nope"), ("shifts", "status", ""), ("shifts", "from", "2026-13-01"),
                                  ("shifts", "to", "2026-02-30"), ("shifts", "q", "x"), ("shifts", "q", "x" * 101), ("staff", "isActive", "1"),
                                  ("staff", "isActive", ""), ("shifts", "sort", "--startsAt"), ("facilities", "sort", "id desc"),
                                  ("credentials", "expiringWithinDays", "-1"), ("credentials", "expiringWithinDays", "3651")):
            with self.subTest(path=path, name=name, value=value):
                answer = live.get(f"/api/{path}", **{name: value})
                self.check_refused(answer, 400, "VALIDATION_ERROR")
                self.assertEqual({field.split("[")[0] for field in answer.fields}, {name}, str(answer))
        self.check_fields(live.get("/api/shifts", **{"from": "x", "to": "y", "limit": 0, "open": 2}), "from", "to", "limit", "open")

    def test_years_are_1_to_9999(self):
        self.check_fields(live.get("/api/staff", updatedSince="0000-06-01T00:00:00Z"), "updatedSince")
        self.check(live.get("/api/staff", updatedSince="0001-01-01T00:00:00Z"), 200)
        self.check_fields(live.get("/api/shifts", **{"from": "0000-01-01", "to": "0000-12-31"}), "from", "to")
        self.check(live.get("/api/shifts", **{"from": "0001-01-01", "to": "9999-12-31"}), 200)
        past = {"facility": "F", "position": "P", "startDate": "0000-01-01"}
        body = {"firstName": "O", "lastName": "Old", "email": "year.zero@example.test", "workHistory": [past]}
        self.check_fields(live.post("/api/staff", body), "workHistory[0].startDate")

    def test_broken_encoding(self):
        for query in ("q=%zz", "q=%", "q=%ff%fe", "%ff=1", "q=%c3"):
            with self.subTest(query=query):
                answer = live.get(f"/api/shifts?{query}")
                self.assertEqual(self.check_refused(answer, 400, "VALIDATION_ERROR"), {"reason": "invalid_query"})
                self.assertIn("Percent-encode", answer.body["error"]["suggestion"])

    def test_parameters_that_are_not_known_are_ignored_and_named(self):
        answer = live.get("/api/shifts", colour="blue", status="open", stat="x")
        self.check(answer, 200)
        self.assertEqual(answer.headers["Service-Warnings"], "ignored parameters: colour, stat")
        self.assertNotIn("Service-Warnings", live.get("/api/shifts", status="open").headers)
        self.assertIn("more than 200 counts as 200", live.get("/openapi.json").text)


class HeadersTest(rest.RestCase):

    def test_routes_of_auth_keep_no_replay(self):
        paths = self.check(live.get("/openapi.json"), 200)["paths"]
        for path, methods in paths.items():
            for method in {"post", "put", "patch"} & set(methods):
                keyed = {"$ref": "#/components/parameters/IdempotencyKey"} in methods[method]["parameters"]
                said = "`Idempotency-Key` means nothing" in methods[method].get("description", "")
                self.assertNotEqual(keyed, said, f"{method} {path}")
                if path.startswith("/api/auth/"):
                    self.assertTrue(said, path)
        person, key = service.demo["users"]["viewer"], {"Idempotency-Key": "the same"}
        tokens = set()
        for _ in range(2):
            answer = live.with_key(None).post("/api/auth/token", {"email": person["email"], "password": person["password"]}, key)
            tokens.add(self.check(answer, 200)["token"])
            self.assertNotIn("Idempotency-Replayed", answer.headers)
        self.assertEqual(len(tokens), 2)

    def test_scopes_tell_what_they_cover(self):
        rows = {row["scope"]: row for row in self.check(live.with_key(None).get("/api/scopes"), 200)["data"]}
        self.assertEqual(set(rows["staff:read"]["permissions"]), {"staff.view", "staff.view_credentials"})
        self.assertEqual(set(rows["hr:write"]["permissions"]),
                         {"staff.create", "staff.edit", "staff.deactivate", "staff.manage_credentials", "credentials.edit"})
        self.assertEqual(rows["credentials:verify"]["permissions"], ["credentials.verify"])
        self.assertTrue(all(row["permissions"] for row in rows.values()), str(rows))
        self.assertEqual((rows["staff:read"]["inDefaultGrant"], rows["staff:write"]["inDefaultGrant"]), (True, False))

    def test_versions(self):
        listed = self.check(live.get("/.well-known/api-versions"), 200)
        dates = [version["date"] for version in listed["versions"]]
        self.assertEqual((sorted(dates), listed["latest"]),
                         (["2026-05-10", "2026-07-22", "2026-07-23", "2026-07-24"], rest.VERSION))
        self.assertEqual([version["sunset"] for version in listed["versions"]], [None] * 4)
        for date in dates:
            answer = live.get("/api/staff", {"Service-Version": date})
            self.assertEqual((answer.status, answer.headers["Service-Version"]), (200, date))
        self.assertEqual(live.get("/api/staff").headers["Service-Version"], rest.VERSION)
        for text in ("latest", "2026-7-24", "2026-02-30", ""):
            with self.subTest(version=text):
                self.check_fields(live.get("/api/staff", {"Service-Version": text}), "Service-Version")
        details = self.check_refused(live.get("/api/staff", {"Service-Version": "2026-05-11"}), 400, "UNSUPPORTED_VERSION")
        self.assertEqual(sorted(details["supported"]), sorted(dates))

    def test_version_comes_before_permission(self):
        key = live.with_key(rest.make_key(service, ["payroll:read"])[1])
        self.check_refused(key.get("/api/staff", {"Service-Version": "2020-01-01"}), 400, "UNSUPPORTED_VERSION")

    def test_a_refusal_in_an_older_version_echoes_it(self):
        answer = live.get(f"/api/staff/{ABSENT}", {"Service-Version": "2026-05-10"})
        self.assertEqual((answer.status, answer.headers["Service-Version"]), (404, "2026-05-10"))

    def test_every_refusal_echoes_the_version_that_was_asked_for(self):
        pinned, stranger = {"Service-Version": "2026-07-22"}, rest.Client(service.demo["baseUrl"], None)
        for answer, status in ((stranger.get("/api/staff", pinned), 401), (live.get("/api/nothing", pinned), 404),
                               (stranger.get("/nothing", pinned), 404), (live.send("DELETE", "/api/staff", headers=pinned), 405),
                               (live.get("/mcp", pinned), 403), (live.get("/api/staff/x", pinned), 400),
                               (live.send("PATCH", "/api/shifts/1", raw=b" " * (300 << 10), headers=pinned), 413),
                               (live.get("/healthz", pinned), 200)):
            self.assertEqual((answer.status, answer.headers["Service-Version"]), (status, pinned["Service-Version"]), str(answer))
        for text, code in (("2020-01-01", "UNSUPPORTED_VERSION"), ("latest", "VALIDATION_ERROR")):
            self.check_refused(live.get("/api/staff", {"Service-Version": text}), 400, code)
            self.check_refused(stranger.get("/api/staff", {"Service-Version": text}), 401, "UNAUTHENTICATED")

    def test_the_scheme_is_bearer_in_any_case(self):
        stranger, key = rest.Client(service.demo["baseUrl"], None), service.demo["keys"]["live"]
        for scheme in ("Bearer", "bearer", "BEARER", "bEaReR"):
            self.check(stranger.get("/api/staff/1", {"Authorization": f"{scheme} {key}"}), 200)
        self.check_refused(stranger.get("/api/staff/1", {"Authorization": f"Bear {key}"}), 401, "UNAUTHENTICATED")

    def test_request_ids(self):
        seen = {live.get("/api/staff").headers["X-Request-Id"] for _ in range(3)}
        self.assertEqual(len(seen), 3)
        for one in seen:
            self.assertRegex(one, "^req_[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$")

    def test_api_answers_are_not_cached(self):
        for path in ("/api/staff", "/api/staff/1", "/api/nothing", "/api/scopes", "/api/openapi.json"):
            self.assertEqual(live.get(path).headers["Cache-Control"], "no-store", path)

    def test_head_is_get_without_a_body(self):
        for path in ("/api/staff/1", "/api/staff", "/healthz", f"/api/staff/{ABSENT}"):
            with self.subTest(path=path):
                get, head = live.get(path), live.send("HEAD", path)
                self.assertEqual((head.status, head.text), (get.status, ""))
                for name in ("Content-Type", "Content-Length", "ETag", "Cache-Control"):
                    self.assertEqual(head.headers.get(name), get.headers.get(name), name)
        self.check(live.get("/api/staff/1"), 200)  # nothing of a body is left on the connection

    def test_pipelined_requests_are_answered_in_order(self):
        key = service.demo["keys"]["live"]
        head = f" HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {key}\r\n"
        address = urlsplit(service.demo["baseUrl"])
        with socket.create_connection((address.hostname, address.port), timeout=30) as connection:
            connection.sendall("".join(f"GET /api/staff/{n}{head}\r\n" for n in range(1, 6)).encode()
                               + f"GET /api/staff/6{head}Connection: close\r\n\r\n".encode())
            received = b""
            while part := connection.recv(65536):
                received += part
        ids = [json.loads(part.split(b"\r\n\r\n", 1)[1])["id"] for part in received.split(b"HTTP/1.1 ")[1:]]
        self.assertEqual(ids, [1, 2, 3, 4, 5, 6])
