# Usage: what credentials did, what of it is an outcome, and that all views of it agree to the unit.

import csv
import datetime
import functools
import io
import itertools
import json
import secrets
import threading
import time

import cluster
import mcp
import oauth
import payroll
import people
import rest
import support

USAGE = "/api/api-usage"
SUMMARY, SERIES, OUTCOMES, EXPORT = (f"{USAGE}/{view}" for view in ("summary", "timeseries", "outcomes", "export"))
GROUPS = [f"{USAGE}/by-{what}" for what in ("agent", "tool", "key")]
ASKED = 1000 if support.LONG else 60  # times that views are asked while rows arrive
SETTLE_SECONDS = 60
service = owner = operator = None
here = there = 0
days = itertools.count(200)


def setUpModule():
    global service, owner, operator, here, there
    service = rest.start_service()
    owner, operator = rest.client_of(service), people.operator_of(service)
    here, there = service.demo["facilityIds"]


def made(answer, status=201):
    assert answer.status == status, str(answer)
    return answer.body


def person(client=None):
    return made((client or owner).post("/api/staff", {"firstName": "Us", "lastName": "Age",
                                                      "email": f"{secrets.token_hex(8)}@example.test"}))["id"]


def shift(client=None, workers=1, staff=(), facility=None):
    day = datetime.date.today() + datetime.timedelta(days=next(days))
    return made((client or owner).post("/api/shifts", {
        "facilityId": facility or here, "title": "Usage", "date": str(day), "startTime": "08:00", "endTime": "12:00",
        "requiredWorkers": workers, "assignedStaffIds": list(staff)}))


def lead(**fields):
    return made(owner.post("/api/crm/leads", {"name": "Le Ad", "company": "Usage"} | fields))["id"]


def credential(staff):
    return made(owner.post("/api/credentials", {"staffId": staff, "type": "license", "name": "RN"}))["id"]


def settle():
    """Returns once all that was appended is folded by the reactor, and all rows are written."""
    heads = service.heads()

    def folded():
        reached = dict(service.postgres.psql("SELECT partition, position FROM reactor.checkpoint WHERE projection = 'usage'"))
        return all(int(reached[partition]) >= head for partition, head in heads.items())
    support.wait_until(folded, SETTLE_SECONDS, "markers are folded")
    # A request of our own, which comes after all others, is there once they are.
    sentinel = owner.get("/api/facilities").headers["X-Request-Id"]
    support.wait_until(lambda: service.postgres.value(
        f"SELECT count(*) FROM usage.call WHERE request_id = '{sentinel.removeprefix('req_')}'") == "1", SETTLE_SECONDS,
                       "rows are written")


def outcomes(client=None, **query):
    """Outcomes by type."""
    answer = (client or owner).send("GET", OUTCOMES, **query)
    assert answer.status == 200, str(answer)
    return {item["outcomeType"]: item["totalCount"] for item in answer.body["data"]}


def rows_of(text):
    """The summary and the rows of an export, as a CSV library reads them."""
    lines = list(csv.reader(io.StringIO(text, newline="")))
    empty = lines.index([])
    assert lines[0] == ["Summary"] and lines[1] == ["metric", "value"]
    summary = dict(lines[2:empty])
    names = lines[empty + 1]
    return summary, [dict(zip(names, line, strict=True)) for line in lines[empty + 2:]]


class UsageCase(rest.RestCase):

    def check_text(self, answer):
        self.assertEqual(answer.status, 200, str(answer))
        return answer.text

    def change(self, act):
        """What `act` adds to the outcomes."""
        settle()
        before = outcomes()
        act()
        settle()
        after = outcomes()
        return {name: after[name] - before.get(name, 0) for name in after if after[name] != before.get(name, 0)}


class MarkerTest(UsageCase):
    """Every marker exactly when it is to be there, and not otherwise."""

    def test_filled_shifts(self):
        one, two, three = person(), person(), person()
        both, alone, full = shift(workers=2), shift(), shift(staff=[three])
        place = f"/api/shifts/{both['id']}"

        def assign(where, *staff, **body):
            return made(owner.post(f"{where}/assign", {"staffIds": list(staff)} | body), 200)
        self.assertEqual(self.change(lambda: assign(place, one)), {}, "a place is left")
        self.assertEqual(self.change(lambda: assign(place, two)), {"shift_filled": 1})
        self.assertEqual(self.change(lambda: shift(staff=[person()])), {"shift_filled": 1}, "filled when posted")
        self.assertEqual(self.change(lambda: assign(f"/api/shifts/{full['id']}", person(), mode="replace")), {},
                         "it was full before")
        lower = shift(workers=2, staff=[person()])
        self.assertEqual(self.change(lambda: made(owner.patch(f"/api/shifts/{lower['id']}", {"requiredWorkers": 1}), 200)), {},
                         "nobody was assigned")
        assign(f"/api/shifts/{alone['id']}", three)
        swap = {"shiftIdA": both["id"], "staffIdA": one, "shiftIdB": alone["id"], "staffIdB": three}
        self.assertEqual(self.change(lambda: made(owner.post("/api/shifts/swap", swap), 200)), {"shift_filled": 1},
                         "one marker for two shifts")
        for name, offers in (("claims", False), ("offers", True)):
            wanted, staff = shift(), person()
            client = people.take_token(service, people.make_user(service, role="staff", staffId=staff)["email"])
            where = f"/api/shifts/{wanted['id']}"
            if offers:
                offer = made(owner.post(f"{where}/offers", {"staffIds": [staff]}))["data"][0]
                act = functools.partial(client.post, f"/api/shift-offers/{offer['id']}/accept")
            else:
                act = functools.partial(owner.post, f"{where}/claims/{made(client.post(f'{where}/claim'))['id']}/approve")
            self.assertEqual(self.change(lambda act=act: made(act(), 200)), {"shift_filled": 1}, name)
            self.assertEqual(self.change(lambda act=act: made(act(), 200)), {}, f"{name}: it held already")
        bulk = [{"facilityId": here, "title": "Bulk", "date": str(datetime.date.today() + datetime.timedelta(days=next(days))),
                 "startTime": "08:00", "endTime": "12:00", "assignedStaffIds": [person()]} for _ in range(3)]
        self.assertEqual(self.change(lambda: made(owner.post("/api/shifts", {"shifts": bulk}))), {"shift_filled": 1})

    def test_replay_has_none(self):
        place, body = f"/api/shifts/{shift()['id']}/assign", {"staffIds": [person()]}
        keyed = {"Idempotency-Key": secrets.token_hex(8)}

        def twice():
            made(owner.post(place, body, keyed), 200)
            again = owner.post(place, body, keyed)
            self.assertEqual((again.status, again.headers["Idempotency-Replayed"]), (200, "true"))
        self.assertEqual(self.change(twice), {"shift_filled": 1})

    def test_leads_and_credentials(self):
        known, staff = lead(), person()
        held = [credential(staff) for _ in range(2)]
        qualify = {"status": "qualified"}

        def put(fields):
            return made(owner.put(f"/api/crm/leads/{known}", fields), 200)
        self.assertEqual(self.change(lambda: put(qualify)), {"lead_qualified": 1})
        self.assertEqual(self.change(lambda: put(qualify | {"notes": "again"})), {}, "it was so before")
        self.assertEqual(self.change(lambda: put({"status": "contacted"})), {})
        self.assertEqual(self.change(lambda: put(qualify)), {"lead_qualified": 1}, "into it once more")
        self.assertEqual(self.change(lambda: lead(status="qualified")), {}, "it was nothing else before")
        for verb, id in zip(("verify", "verify-external"), held, strict=True):
            where = f"/api/credentials/{id}/{verb}"
            self.assertEqual(self.change(lambda: made(owner.post(where), 200)), {"credential_verified": 1}, verb)
            self.assertEqual(self.change(lambda: owner.post(where)), {}, verb)

    def test_sandbox_has_none(self):
        sandbox = rest.client_of(service, "test")
        held = []

        def act():
            held.append(shift(sandbox, staff=[person(sandbox)]))
        self.assertEqual(self.change(act), {})
        for path in (SUMMARY, OUTCOMES, *GROUPS):
            body = self.check(sandbox.send("GET", path), 200)
            self.assertFalse(body.get("data") or body.get("totalCalls"), path)

    def test_calls_of_tools_count_once_a_day(self):
        client = mcp.client_of(service)
        client.initialize()
        place, staff = shift()["id"], person()
        message = client.call_message("shifts_assign", {"shiftId": place, "staffIds": [staff]})

        def call():
            self.assertFalse(client.post(message).read().result.get("isError"))

        def again():
            made(owner.post(f"/api/shifts/{place}/unassign", {"staffId": staff}), 200)
            call()
        self.assertEqual(self.change(call), {"shift_filled": 1})
        self.assertEqual(self.change(again), {}, "the same id, tool and arguments")
        # Calls of tools and their markers have the same request ids.
        alone = ("SELECT count(*) FROM reactor.usage_marker m WHERE channel = 'mcp' AND NOT EXISTS "
                 "(SELECT FROM usage.call c WHERE c.request_id = m.request_id)")
        self.assertEqual(service.postgres.value(alone), "0")
        other = shift()["id"]
        self.assertEqual(self.change(lambda: client.call("shifts_assign", {"shiftId": other, "staffIds": [person()]}).result),
                         {"shift_filled": 1})

    def test_session_shows_where_it_has_an_outcome(self):
        user = people.make_user(service, role="admin")
        client = people.sign_in(service, user["email"])
        place, staff = shift()["id"], person()

        def act():
            self.check(client.send("GET", f"/api/shifts/{place}"), 200)
            self.check(client.post(f"/api/shifts/{place}/assign", {"staffIds": [staff]}), 200)
        self.assertEqual(self.change(act), {"shift_filled": 1})
        _, rows = rows_of(self.check_text(owner.send("GET", EXPORT)))
        mine = [row for row in rows if row["channel"] == "session"]
        self.assertTrue(mine)
        self.assertEqual({row["outcomeType"] for row in mine}, {"shift_filled"})

    def test_rows_of_before_the_last_moment_outlive_a_kill(self):
        asked = [owner.get("/api/facilities").headers["X-Request-Id"].removeprefix("req_") for _ in range(5)]
        time.sleep(0.6)  # within which they are written
        service.kill9()
        service.start_at_once()
        owner.close()
        found = service.postgres.value(f"SELECT count(*) FROM usage.call WHERE request_id IN ({', '.join(map(repr, asked))})")
        self.assertEqual(found, "5")

    def test_marker_without_its_row_is_one(self):
        """A process that is killed loses rows of the last moment, and no marker."""
        filled = shift(staff=[person()])
        settle()
        request = service.postgres.value("SELECT request_id FROM reactor.usage_marker ORDER BY occurred_at DESC LIMIT 1")
        before = owner.send("GET", SUMMARY).body
        # As if it had never been written: neither as a row nor in the totals.
        service.postgres.psql(f"UPDATE reactor.usage_marker SET is_answered = false WHERE request_id = '{request}';"
                              f"DELETE FROM usage.call WHERE request_id = '{request}'")
        _, rows = rows_of(self.check_text(owner.send("GET", EXPORT)))
        (row,) = [row for row in rows if row["requestId"] == f"req_{request}"]
        self.assertEqual((row["outcomeType"], row["statusCode"], row["tool"]), ("shift_filled", "200", "POST /api/shifts"))
        after = owner.send("GET", SUMMARY).body
        self.assertEqual(after["outcomeCount"], before["outcomeCount"])
        self.assertTrue(filled)

    def test_sum_of_markers_is_that_of_the_log(self):
        """After a kill at any moment each transition of the log has its marker, and its bill."""
        for _ in range(6 if support.LONG else 2):
            shift(staff=[person()])
            made(owner.patch(f"/api/crm/leads/{lead()}", {"status": "qualified"}), 200)
            service.kill9()
            service.start_at_once()
            owner.close()
        settle()
        marked = "SELECT outcome, count(*) FROM reactor.usage_marker GROUP BY 1 ORDER BY 1"
        told = ("SELECT body::json ->> 'outcome', count(DISTINCT body::json ->> 'requestid') FROM log.event"
                " WHERE body::json ->> 'outcome' NOT IN ('none') GROUP BY 1 ORDER BY 1")
        repeats = service.postgres.psql("SELECT body::json ->> 'outcome', count(*) - count(DISTINCT body::json ->> 'dedupekey')"
                                        " FROM log.event WHERE body::json ->> 'dedupekey' <> '' GROUP BY 1")
        expected = {name: int(count) for name, count in service.postgres.psql(told)}
        for name, count in repeats:
            expected[name] -= int(count)
        self.assertEqual({name: int(count) for name, count in service.postgres.psql(marked)}, expected)
        bills = service.postgres.psql("SELECT event_name, count(*) FROM ops.billing_outbox GROUP BY 1")
        since = service.postgres.value("SELECT min(acts_after) FROM reactor.checkpoint WHERE projection = 'usage'")
        self.assertLessEqual({name for name, _ in bills}, set(expected), since)
        before = service.postgres.psql("SELECT request_id, outcome FROM reactor.usage_marker ORDER BY 1")
        service.command("rebuild", "--all")
        settle()
        after = service.postgres.psql("SELECT request_id, outcome FROM reactor.usage_marker ORDER BY 1")
        self.assertEqual(after, before, "reactors are not rebuilt")
        self.assertEqual(service.postgres.value("SELECT count(*) - count(DISTINCT identifier) FROM ops.billing_outbox"), "0")


class RowTest(UsageCase):
    """What a row tells of its request."""

    def row_of(self, answer):
        settle()
        _, rows = rows_of(self.check_text(owner.send("GET", EXPORT)))
        asked = answer.headers["X-Request-Id"]
        row, = [row for row in rows if row["requestId"] == asked]
        return row

    def test_the_facility_that_was_touched(self):
        mine, other = shift()["id"], shift(facility=there)["id"]
        only = made(owner.post("/api/staff", {"firstName": "Us", "lastName": "Age", "email": f"{secrets.token_hex(8)}@example.test",
                                              "facilityIds": [there]}))["id"]
        asked = {f"/api/shifts/{mine}": here, f"/api/shifts/{other}": there, f"/api/shifts/{other}/assignments": there,
                 f"/api/facilities/{there}": there, f"/api/staff/{only}": there, f"/api/staff/{person()}": None,
                 f"/api/dashboard/stats?facilityId={there}": there, "/api/dashboard/stats": None}
        answers = {path: owner.get(path) for path in asked}
        settle()
        _, rows = rows_of(self.check_text(owner.send("GET", EXPORT)))
        found = {row["requestId"]: row["facilityId"] for row in rows}
        self.assertEqual({path: found[answer.headers["X-Request-Id"]] for path, answer in answers.items()},
                         {path: str(facility or "") for path, facility in asked.items()})

    def test_the_method_that_was_used(self):
        staff = person()
        for method in ("PATCH", "PUT"):
            answer = owner.send(method, f"/api/staff/{staff}", {"phone": f"+1555{len(method)}"})
            self.assertEqual(self.row_of(answer)["tool"], f"{method} /api/staff/{{id}}")

    def test_the_name_of_the_client(self):
        user = people.make_user(service)
        _, tokens = oauth.connected(service, user["email"], "staff:read", client_name="Rota Bot")
        answer = people.client_of(service, tokens["access_token"]).get("/api/staff")
        self.assertEqual(self.row_of(answer)["agent"], "Rota Bot")
        asks = mcp.client_of(service)
        before = asks.call("staff_list", {})
        asks.initialize()
        after = asks.call("staff_list", {})
        self.assertEqual((self.row_of(before)["agent"], self.row_of(after)["agent"]), ("direct", "suite"))


class PayrollMarkerTest(UsageCase, payroll.PayrollCase):
    """A run that its provider has taken is an outcome of the request that approved it."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.owner, cls.facility = owner, here

    def approve_and_pay(self, run, client=None):
        self.approve(run, client=client)
        self.until(run, "paid", client)

    def test_a_run_counts_once(self):
        run = self.draft()
        self.assertEqual(self.change(lambda: self.approve_and_pay(run)), {"payroll_run": 1})
        self.assertEqual(self.change(lambda: self.approve(run, 409)), {}, "it was approved before")
        _, rows = rows_of(self.check_text(owner.send("GET", EXPORT)))
        approvals = [row["requestId"] for row in rows if (row["outcomeType"], row["channel"]) == ("payroll_run", "rest")]
        self.assertEqual(len(approvals), 1, "of the request that approved it")

    def test_a_session_that_approves_shows(self):
        client = people.sign_in(service, people.make_user(service, role="admin")["email"])
        run = self.draft()
        self.assertEqual(self.change(lambda: self.approve_and_pay(run, client)), {"payroll_run": 1})
        _, rows = rows_of(self.check_text(owner.send("GET", EXPORT)))
        tools = [row["tool"] for row in rows if (row["outcomeType"], row["channel"]) == ("payroll_run", "session")]
        self.assertEqual(tools, ["POST /api/payroll/runs/{id}/approve"])

    def test_a_run_of_the_sandbox_is_none(self):
        sandbox = rest.client_of(service, "test")
        run = self.draft(client=sandbox)
        self.assertEqual(self.change(lambda: self.approve_and_pay(run, sandbox)), {})


class Arrivals(threading.Thread):
    """Rows of a facility, 5,000 a second, as processes write them: an open batch each fifth of a second."""

    SQL = """
WITH batch AS MATERIALIZED (SELECT nextval('usage.batch_id') AS id, now() AS at),
added AS (INSERT INTO usage.call
    SELECT b.id, b.at, gen_random_uuid(), {organization}, {facility}, false, 'rest', 'live', n % 5 + 1, '', 0, 'direct', '',
           'GET /api/arrivals/' || n % 8, CASE WHEN n % 50 = 0 THEN 404 ELSE 200 END, '', (n * n) % 90, ''
    FROM batch b, generate_series(1, 1000) AS n)
INSERT INTO usage.open_batch SELECT id, at, at FROM batch"""

    def __init__(self, ended, postgres, organization, facility):
        super().__init__()
        self._ended, self._session = ended, support.Session(postgres)
        self._sql = self.SQL.format(organization=organization, facility=facility)
        self.rows = 0

    def run(self):
        due = time.monotonic()
        while not self._ended.wait(max(0, due - time.monotonic())):
            self._session.execute(self._sql)
            self.rows += 1000
            due += 0.2
        self._session.close()


class ViewsTest(UsageCase):
    """All views of a window agree."""

    def check_agreement(self, query):
        summary = self.check_views(query)
        figures, rows = rows_of(owner.send("GET", EXPORT, **query).text)
        self.assertEqual(figures["totalCalls"], str(summary["totalCalls"]))
        self.assertEqual(figures["totalCalls"], str(len(rows)))
        self.assertEqual(figures["outcomeCount"], str(sum(row["outcomeType"] != "" for row in rows)))
        self.assertEqual(figures["errorCount"], str(sum(int(row["statusCode"]) >= 400 for row in rows)))
        return summary

    def check_views(self, query):
        summary = self.check(owner.send("GET", SUMMARY, **query), 200)
        self.assertEqual(sum(outcomes(**query).values()), summary["outcomeCount"], query)
        for path in (*GROUPS, SERIES):
            data = self.check(owner.send("GET", path, **query), 200)["data"]
            for name in ("totalCalls", "errorCount", "outcomeCount"):
                self.assertEqual(sum(item[name] for item in data), summary[name], f"{path} {name} {query}")
        return summary

    def test_agree_to_the_unit_once_rows_have_stopped(self):
        for _ in range(3):
            shift(staff=[person()])
        owner.send("GET", "/api/shifts/9000000")
        settle()
        for query in ({}, {"days": 1}, {"facilityId": here}, {"days": 365}):
            fresh = self.check_agreement(query)
            # What was open is rolled up meanwhile.
            support.wait_until(lambda: service.postgres.value("SELECT count(*) FROM usage.open_batch") == "0", SETTLE_SECONDS,
                               "all is rolled up")
            rolled = self.check_agreement(query)
            self.assertEqual({name: rolled[name] for name in ("totalCalls", "errorCount", "outcomeCount", "p95LatencyMs")},
                             {name: fresh[name] for name in ("totalCalls", "errorCount", "outcomeCount", "p95LatencyMs")})

    def test_agree_while_rows_arrive(self):
        """With --long 5,000 rows a second arrive of the other facility besides, which would be too many for exports."""
        ended = threading.Event()
        query = {"facilityId": here}

        def write():
            client = rest.client_of(service)
            while not ended.wait(0.1 if support.LONG else 0.03):  # each takes a day of its own, of which there are some thousands
                shift(client, staff=[person(client)])
        writers = [threading.Thread(target=write) for _ in range(2)]
        if support.LONG:
            writers.append(Arrivals(ended, service.postgres, service.demo["organizationId"], there))
        for writer in writers:
            writer.start()
        began = time.monotonic()
        try:
            calls = 0
            for _ in range(ASKED):
                before = sum(outcomes().values())
                summary = self.check(owner.send("GET", SUMMARY), 200)
                figures, rows = rows_of(owner.send("GET", EXPORT, **query).text)
                after = sum(outcomes().values())
                self.assertLessEqual(before, summary["outcomeCount"])
                self.assertLessEqual(summary["outcomeCount"], after)
                self.assertGreaterEqual(summary["totalCalls"], calls, "rows that are rolled up are never missing")
                calls = summary["totalCalls"]
                self.assertEqual(figures["totalCalls"], str(len(rows)), "an export agrees with itself")
                told = sum(int(value) for name, value in figures.items() if name.startswith("outcome:"))
                self.assertEqual(figures["outcomeCount"], str(told))
                self.assertEqual(told, sum(row["outcomeType"] != "" for row in rows))
        finally:
            ended.set()
            for writer in writers:
                writer.join()
        print(f"summary: {ASKED} looks while {calls:,} calls arrived in {time.monotonic() - began:.0f} s")
        settle()
        self.check_agreement(query)
        self.check_views({})
        if support.LONG:
            calls = owner.send("GET", SUMMARY, facilityId=there).body["totalCalls"]
            self.assertGreaterEqual(calls, writers[-1].rows)
            self.assertGreater(writers[-1].rows, ASKED * 100, "they arrived meanwhile")

    def test_what_is_metered(self):
        settle()
        key, token = rest.make_key(service, ["shifts:read", "analytics:read"])
        client = owner.with_key(token)

        def calls():
            settle()
            return {(item["tool"], item["channel"]): (item["totalCalls"], item["errorCount"])
                    for item in owner.send("GET", f"{USAGE}/by-tool").body["data"]}
        before = calls()
        client.send("GET", "/api/shifts")
        client.send("GET", "/api/shifts/9000000")
        self.check_refused(client.send("POST", "/api/shifts", {}), 403, "INSUFFICIENT_SCOPE")
        for path in (SUMMARY, "/api/nothing/of/it", "/healthz", "/.well-known/api-versions"):
            client.send("GET", path)
        rest.Client(service.demo["baseUrl"], "svc_live_none").send("GET", "/api/shifts")
        after = calls()

        def more(tool):
            now, then = after.get((tool, "rest"), (0, 0)), before.get((tool, "rest"), (0, 0))
            return now[0] - then[0], now[1] - then[1]
        self.assertEqual(more("GET /api/shifts"), (1, 0))
        self.assertEqual(more("GET /api/shifts/{id}"), (1, 1))
        self.assertEqual(more("POST /api/shifts"), (1, 1))
        top = {kind: {row["name"]: (row["calls"], row["errors"]) for row in rows}
               for kind, rows in json.loads(service.command("usage", "--json", "--minutes", "1440", "--limit", "1000")).items()}
        self.assertEqual(set(top), {"credentials", "tools", "organizations"})
        self.assertEqual(top["credentials"][f"live key/{key}"], (3, 2))
        self.assertGreaterEqual(top["tools"]["rest GET /api/shifts"], after["GET /api/shifts", "rest"])
        self.assertGreaterEqual(top["organizations"][str(service.demo["organizationId"])], (3, 2))
        busiest, = json.loads(service.command("usage", "--json", "--minutes", "1440", "--limit", "1"))["tools"]
        self.assertEqual(busiest["calls"], max(calls for calls, _ in top["tools"].values()))
        self.assertFalse([tool for tool, _ in after if "api-usage" in tool or "nothing" in tool or "healthz" in tool])

    def test_awkward_names_come_back_from_csv(self):
        name = "=SUM(1,2) \"quoted\", 'ünï' | +next"
        key = made(operator.post("/api/api-keys", {"name": name, "type": "live", "scopes": ["shifts:read"],
                                                   "orgUnitId": service.demo["organizationId"]}))
        rest.wait_for_key(service, key["id"])
        client = owner.with_key(key["key"])
        self.check(client.get("/api/shifts"), 200)
        settle()
        answer = owner.send("GET", EXPORT)
        self.assertEqual(answer.headers["Content-Type"], "text/csv; charset=utf-8")
        self.assertRegex(answer.headers["Content-Disposition"],
                         r'^attachment; filename="usage-\d{4}-\d\d-\d\d-\d{4}-\d\d-\d\d\.csv"$')
        (shown,) = [each for each in self.check(owner.get(f"{USAGE}/by-key"), 200)["data"] if each["keyId"] == key["id"]]
        self.assertEqual((shown["keyName"], shown["keyPrefix"], shown["keyType"]), (name, key["prefix"], "live"))
        self.assertTrue(key["prefix"])
        _, rows = rows_of(answer.text)
        self.assertIn("'" + name, {row["keyName"] for row in rows if row["keyId"] == str(key["id"])})


class ScopeTest(UsageCase):

    def test_shown_scope_follows_the_credential(self):
        organization = service.demo["organizationId"]
        bound = owner.with_key(rest.make_key(service, ["analytics:read"], facility=here)[1])
        admin = people.sign_in(service, people.make_user(service, role="admin")["email"])
        for client, query, scope in (
                (owner, {}, {"orgUnitId": organization}), (owner, {"facilityId": there}, {"facilityId": there}),
                (bound, {}, {"facilityId": here}), (admin, {"facilityId": here}, {"facilityId": here}),
                (operator, {}, {"global": True}), (operator, {"orgUnitId": organization}, {"orgUnitId": organization}),
                (operator, {"facilityId": here}, {"facilityId": here})):
            for path in (SUMMARY, SERIES, OUTCOMES, *GROUPS):
                self.assertEqual(self.check(client.get(path, **query), 200)["scope"], scope, f"{path} {query}")
        self.check_refused(admin.get(SUMMARY), 400, "FACILITY_REQUIRED")
        self.check_refused(bound.get(SUMMARY, facilityId=there), 403, "FACILITY_SCOPE_VIOLATION")
        self.check_refused(owner.get(SUMMARY, facilityId=9_000_000), 403, "FACILITY_SCOPE_VIOLATION")
        self.check_refused(owner.get(SUMMARY, orgUnitId=1), 403, "ORG_SCOPE_VIOLATION")

    def test_facility_shows_its_own_rows_alone(self):
        settle()
        before = [owner.get(SUMMARY, facilityId=place).body["outcomeCount"] for place in (here, there)]
        shift(staff=[person()], facility=there)
        settle()
        after = [owner.get(SUMMARY, facilityId=place).body["outcomeCount"] for place in (here, there)]
        self.assertEqual([now - then for now, then in zip(after, before, strict=True)], [0, 1])

    def test_bad_input_is_named(self):
        for days in ("0", "366", "-1", "x", "1.5", "", "30 ", "1e2", "999999999999999999999"):
            for path in (SUMMARY, SERIES, OUTCOMES, EXPORT, *GROUPS):
                self.check_fields(owner.send("GET", path, days=days), "days")
        self.check_fields(owner.send("GET", SERIES, granularity="week"), "granularity")
        self.check_fields(owner.send("GET", SERIES, granularity="hour", days=32), "days")
        self.check_fields(owner.send("GET", SUMMARY, facilityId="x"), "facilityId")
        hours = self.check(owner.send("GET", SERIES, granularity="hour", days=31), 200)
        self.assertIn(len(hours["data"]), (31 * 24, 31 * 24 + 1))
        self.assertEqual(hours["granularity"], "hour")
        starts = [item["bucket"] for item in hours["data"]]
        self.assertEqual(starts, sorted(starts))
        summary = self.check(owner.send("GET", SUMMARY, days=7), 200)
        self.assertEqual(summary["periodDays"], 7)

    def test_billing_rows_are_for_operators(self):
        shift(staff=[person()])
        settle()
        row = self.check(operator.get("/api/billing/outbox", limit=1), 200)["data"][0]
        self.assertEqual((row["status"], row["identifier"], row["value"]), ("no_subject", f"ur_{row['requestId']}", "1"))
        self.check_refused(owner.get("/api/billing/outbox"), 403, "FORBIDDEN")
        self.check_fields(operator.get("/api/billing/outbox", status="gone"), "status[0]")


class OlderProcessTest(UsageCase):
    """While a process of the release before lives nobody writes what it would not read, and no outcome is lost."""

    def setUp(self):
        super().setUp()
        self.postgres = self.enterContext(support.Postgres())
        self.installation = self.enterContext(cluster.Cluster(self.postgres))
        self.requests = []

    def fill(self, client):
        """Posts a shift that is filled; what its event says of the outcome. The request joins `self.requests`."""
        day = datetime.date.today() + datetime.timedelta(days=next(days))
        answer = client.post("/api/shifts", {"facilityId": self.installation.demo["facilityIds"][0], "title": "Usage", "date": str(day),
                                             "startTime": "08:00", "endTime": "12:00", "assignedStaffIds": [person(client)]})
        self.requests.append(made(answer) and answer.headers["X-Request-Id"])
        events = [json.loads(body) for _, _, body in self.installation.log_records()]
        (told,) = [event.get("outcome") for event in events
                   if event["type"] == "shift.filled" and event["requestid"] == self.requests[-1]]
        return told

    def check_marked(self, what):
        """Each of the requests comes to have its marker."""
        ids = ", ".join(f"'{request.removeprefix('req_')}'" for request in self.requests)
        count = f"SELECT count(*) FROM reactor.usage_marker WHERE outcome = 'shift_filled' AND request_id IN ({ids})"
        support.wait_until(lambda: int(self.postgres.value(count)) == len(self.requests), SETTLE_SECONDS, what)

    def test_outcomes_count_before_and_after(self):
        sql = self.postgres.psql
        sql("DELETE FROM ops.event_activation WHERE type = 'envelope'")
        sql("INSERT INTO ops.process (owner, role, admin_url, expires_at, may_write, trouble) VALUES ('of the release before', "
            "'api', 'http://127.0.0.1:1', now() + interval '1 hour', false, 'clock')")
        api, _ = self.installation.start("api", "workers")
        client = api.client()
        self.assertIsNone(self.fill(client), "an older process would not know what it says")
        self.check_marked("it counts all the same")
        sql("DELETE FROM ops.process WHERE owner = 'of the release before'")
        support.wait_until(lambda: self.fill(client) == "shift_filled", SETTLE_SECONDS, "events say so from now on")
        self.check_marked("each has one marker")
