# GET /api/events: pages, long polls and streams of all that happens, as clients of each sort read them.

import http.client
import json
import secrets
import threading
import unittest
from urllib.parse import urlencode, urlsplit

import people
import rest
import support
from kafka_cluster import OnKafka

EVENTS = "/api/events"
MEMBERS = {"cursor", "id", "type", "time", "resource", "organizationId", "facilityId", "facilityIds", "sandbox", "actor",
           "correlationId", "data"}
STREAMS = 6  # of a credential
SECONDS = 60  # after which what must come did not


class Stream:
    """A stream that is read on a thread of its own: its events as they came, and how it ended."""

    def __init__(self, service, key, accept, **query):
        self._connection = http.client.HTTPConnection(urlsplit(service.demo["baseUrl"]).netloc, timeout=SECONDS)
        headers = {"Authorization": f"Bearer {key}", "Accept": accept}
        if "last" in query:
            headers["Last-Event-ID"] = query.pop("last")
        self._connection.request("GET", f"{EVENTS}?{urlencode(query)}", headers=headers)
        self.answer = self._connection.getresponse()
        self.events, self.ids, self.ended = [], [], threading.Event()
        self._accept, self._thread = accept, threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self):
        try:
            for line in self.answer:
                text = line.decode().rstrip("\n")
                if text.startswith("id: "):
                    self.ids.append(text[4:])
                elif text.startswith("data: "):
                    self.events.append(json.loads(text[6:]))
                elif text.startswith("{"):
                    self.events.append(json.loads(text))
        except (OSError, http.client.HTTPException, ValueError):
            pass
        self.ended.set()

    def wait_for(self, count):
        support.wait_until(lambda: len(self.events) >= count or self.ended.is_set(), SECONDS, f"{count} events")
        return self.events

    def close(self):
        self._connection.sock and self._connection.sock.close()
        self.answer.close()


class EventTapCase(rest.RestCase, support.ServiceCase):
    """What the tests of both log engines share."""

    ENVIRONMENT = {"WORKFORCE_CREDENTIAL_STREAMS": str(STREAMS), "WORKFORCE_WEBHOOKS_ALLOW_INSECURE_TARGETS": "true"}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.owner = rest.client_of(cls.service)
        cls.facility, cls.other_facility = cls.service.demo["facilityIds"][:2]
        cls.key = cls.make_key(["events:read", "shifts:read", "staff:read"])
        cls.client = cls.owner.with_key(cls.key)

    @classmethod
    def make_key(cls, scopes, **options):
        return rest.make_key(cls.service, scopes, **options)[1]

    def shift(self, facility=None):
        body = {"facilityId": facility or self.facility, "title": "Watch", "date": "2031-01-01", "startTime": "08:00", "endTime": "16:00"}
        return self.check(self.owner.post("/api/shifts", body), 201)["id"]

    def person(self, **fields):
        body = {"firstName": "Kunigunde", "lastName": "Morgenroth", "email": f"{secrets.token_hex(6)}@tap.example.test",
                "facilityIds": [self.facility]} | fields
        return self.check(self.owner.post("/api/staff", body), 201)["id"]

    def latest(self, client=None):
        """Where events end once all that was written is there."""
        self.service.wait_projected()
        page = self.check((client or self.client).get(EVENTS, after="latest"), 200)
        self.assertEqual(page["data"], [])
        return page["nextAfter"]

    def after(self, cursor, client=None, **query):
        """All events after a cursor, by pages."""
        self.service.wait_projected()
        events = []
        while True:
            page = self.check((client or self.client).get(EVENTS, after=cursor, **query), 200)
            if not page["data"] and page["nextAfter"]:
                return events
            events += page["data"]
            cursor = page["nextAfter"]

    def stream(self, key, accept, **query):
        stream = Stream(self.service, key, accept, **query)
        self.addCleanup(stream.close)
        self.assertEqual(stream.answer.status, 200)
        self.assertEqual(stream.answer.headers["Content-Type"].partition(";")[0], accept)
        return stream

    def resources(self, events):
        return [(event["type"], event["resource"]) for event in events]


class OfBothEngines:
    """The order of events, and places in it."""

    def test_pages_tell_each_event_once_and_in_order(self):
        begin = self.latest()
        shifts, person = [self.shift() for _ in range(3)], self.person(phone="+49 30 1234567")
        expected = [("shift.posted", f"shift:{each}") for each in shifts] + [("staff.onboarded", f"staff:{person}")]
        whole = self.after(begin)
        self.assertEqual(self.resources(whole), expected)
        for event in whole:
            self.assertEqual(set(event), MEMBERS)
            self.assertEqual((event["organizationId"], event["sandbox"]), (self.service.demo["organizationId"], False))
            self.assertEqual(event["actor"]["type"], "api_key")
            self.assertTrue(event["correlationId"].startswith("req_"))
        self.assertEqual(whole[0]["facilityId"], self.facility)
        self.assertEqual((whole[3]["facilityId"], whole[3]["facilityIds"]), (None, [self.facility]))
        self.assertEqual(whole[0]["data"]["title"], "Watch")
        for personal in ("Kunigunde", "Morgenroth", "tap.example.test", "1234567", "sealed"):
            self.assertNotIn(personal, json.dumps(whole))
        self.assertEqual(self.after(begin, limit=1), whole, "however pages are cut")
        self.assertEqual(self.after(whole[1]["cursor"]), whole[2:])
        self.assertEqual(self.after("earliest")[-4:], whole)

    def test_what_is_the_services_own_is_told_to_nobody(self):
        begin = self.latest(self.owner)
        credential = {"type": "license", "name": "Driving", "number": "B-1"}
        self.check(self.owner.post(f"/api/staff/{self.person()}/credentials", credential), 201)
        all_told = self.after(begin, self.owner)
        self.assertEqual([event["type"] for event in all_told], ["staff.onboarded", "credential.added"])
        for internal in ("sealedFor", "lineage", "dedupeKey", "accountId"):
            self.assertNotIn(f'"{internal}"', json.dumps(all_told))

    def test_streams_tell_what_comes_and_go_on_after_a_break(self):
        begin = self.latest()
        first = self.shift()
        events = self.stream(self.key, "text/event-stream", after=begin)
        lines = self.stream(self.key, "application/x-ndjson", after=begin, types="shift.*")
        events.wait_for(1)
        person, second = self.person(), self.shift()
        expected = [("shift.posted", f"shift:{first}"), ("staff.onboarded", f"staff:{person}"), ("shift.posted", f"shift:{second}")]
        self.assertEqual(self.resources(events.wait_for(3)), expected)
        self.assertEqual(events.ids, [event["cursor"] for event in events.events])
        self.assertEqual(self.resources(lines.wait_for(2)), [expected[0], expected[2]])
        self.assertEqual(events.events, self.after(begin), "as pages tell it")
        events.close()
        third = self.shift()
        again = self.stream(self.key, "text/event-stream", after=begin, last=events.ids[1])
        self.assertEqual(self.resources(again.wait_for(2)), [expected[2], ("shift.posted", f"shift:{third}")])
        head = self.client.send("HEAD", EVENTS, headers={"Accept": "text/event-stream"})
        self.assertEqual((head.status, head.text, head.headers["Content-Type"]), (200, "", "text/event-stream"))

    def test_a_rebuild_tells_the_same(self):
        self.person()
        self.shift()
        told = self.after("earliest")
        self.service.command("rebuild", "event_tap")
        self.assertEqual(self.after("earliest"), told, "cursors, too")


class EventTapTest(OfBothEngines, EventTapCase):

    def test_types_and_permissions_narrow(self):
        begin = self.latest()
        shift = self.shift()
        self.person()
        self.check(self.owner.post("/api/crm/leads", {"name": "Nobody's", "facilityId": self.facility}), 201)
        self.check(self.owner.post("/api/webhooks", {"name": "N", "url": "http://127.0.0.1:9/", "events": ["test"]}), 201)

        def types(*arguments, **query):
            return [event["type"] for event in self.after(begin, *arguments, **query)]

        self.assertEqual(types(), ["shift.posted", "staff.onboarded"], "what the key may not read it does not hear")
        self.assertEqual(types(types="shift.*,lead.*"), ["shift.posted"])
        self.assertEqual(types(types="*.on?oarded"), ["staff.onboarded"])
        everything = self.owner.with_key(self.make_key(["events:read", "staff:read", "shifts:read", "crm:read", "integrations:*"]))
        self.assertEqual(types(everything), ["shift.posted", "staff.onboarded", "lead.created", "webhook.created"])
        self.assertEqual(self.resources(self.after(begin, types="shift.posted")), [("shift.posted", f"shift:{shift}")])
        self.check_fields(self.client.get(EVENTS, types="shift.*,shfit.*"), "types")
        deaf = self.owner.with_key(self.make_key(["events:read"]))
        self.assertEqual(types(deaf), [])
        self.check_refused(self.owner.with_key(self.make_key(["shifts:read"])).get(EVENTS), 403, "INSUFFICIENT_SCOPE")

    def test_facilities_sandbox_and_organizations_are_apart(self):
        bound = self.owner.with_key(self.make_key(["events:read", "shifts:read", "staff:read"], facility=self.facility))
        sandbox = self.owner.with_key(self.make_key(["events:read", "staff:read", "staff:write"], kind="test", facility=self.facility))
        foreign = self.owner.with_key(self.make_key(["events:read", "shifts:read", "staff:read"], organization=1))
        begin, practice = self.latest(), self.latest(sandbox)
        mine, other = self.shift(), self.shift(self.other_facility)
        here, nowhere = self.person(), self.person(facilityIds=[])
        rehearsed = self.check(sandbox.post("/api/staff", {"firstName": "A", "lastName": "B", "email": "ab@tap.example.test"}), 201)["id"]
        live = [f"shift:{mine}", f"shift:{other}", f"staff:{here}", f"staff:{nowhere}"]
        self.assertEqual([resource for _, resource in self.resources(self.after(begin))], live)
        self.assertEqual([resource for _, resource in self.resources(self.after(begin, bound))], [live[0], live[2]])
        heard = self.after(practice, sandbox)
        self.assertEqual([event["resource"] for event in heard], [f"staff:{rehearsed}"])
        self.assertTrue(heard[0]["sandbox"])
        self.assertEqual([each for each in self.after("earliest", foreign) if each["organizationId"] != 1], [])
        self.check_refused(sandbox.get(EVENTS, after=begin), 400, "INVALID_CURSOR")
        self.check_refused(foreign.get(EVENTS, after=begin), 400, "INVALID_CURSOR")
        self.check_refused(foreign.get(EVENTS, orgUnitId=self.service.demo["organizationId"]), 403, "ORG_SCOPE_VIOLATION")
        operator = self.owner.with_key(self.service.command("token", "super.admin@platform.example.com").strip())
        told = self.after(begin, operator, orgUnitId=self.service.demo["organizationId"], types="shift.posted")
        self.assertEqual([event["resource"] for event in told], live[:2])
        self.assertEqual({each["organizationId"] for each in self.check(operator.get(EVENTS), 200)["data"]}, {1}, "at home")

    def test_hostile_input_is_refused(self):
        cursor = self.latest()
        for wrong in ("x", cursor[:-2], cursor[:-1] + ("A" if cursor[-1] != "A" else "B"), cursor * 2, "eyJrIjpbXX0", "-1", "é"):
            with self.subTest(after=wrong):
                answer = self.client.get(EVENTS, after=wrong)
                self.check_refused(answer, 400, "INVALID_CURSOR")
                self.assertIn("after=earliest", answer.body["error"]["suggestion"])
                answer = self.client.get(EVENTS, headers={"Last-Event-ID": wrong.encode("ascii", "replace").decode()})
                self.check_refused(answer, 400, "INVALID_CURSOR")
        for name, value in (("after", ""), ("after", "x" * 401), ("wait", "26"), ("wait", "-1"), ("limit", "0"), ("limit", "x"),
                            ("types", ""), ("types", "," * 200), ("types", "zz*")):
            with self.subTest(name=name, value=value[:20]):
                answer = self.client.get(EVENTS, **{name: value})
                self.check_refused(answer, 400, "VALIDATION_ERROR")
                self.assertEqual({field.partition("[")[0] for field in answer.fields}, {name}, str(answer))
        self.check_refused(self.client.get(EVENTS, headers={"Accept": "text/csv"}), 406, "NOT_ACCEPTABLE")
        self.check(self.client.get(EVENTS, limit=5000), 200)

    def test_a_long_poll_answers_when_something_happens(self):
        begin = self.latest()
        answers = []
        waiter = threading.Thread(target=lambda: answers.append(self.client.send("GET", EVENTS, after=begin, wait=25, types="shift.*")))
        waiter.start()
        support.wait_until(lambda: self.service.metrics()["workforce_http_streams"] >= 1, SECONDS, "it waits")
        self.person()  # it does not wait for that
        shift = self.shift()
        waiter.join(SECONDS)
        page = self.check(answers[0], 200)
        self.assertEqual(self.resources(page["data"]), [("shift.posted", f"shift:{shift}")])
        empty = self.check(self.client.send("GET", EVENTS, after=page["nextAfter"], wait=1), 200)
        self.assertEqual(empty["data"], [])
        self.assertEqual(self.after(empty["nextAfter"]), [])

    def test_a_stream_ends_with_its_credential(self):
        number, key = rest.make_key(self.service, ["events:read", "shifts:read"])
        session = people.make_user(self.service, role="admin")
        token = self.service.command("token", session["email"]).strip()
        begin = self.latest()
        streams = [self.stream(each, "text/event-stream", after=begin, types="shift.*") for each in (key, token)]
        shift = self.shift()
        for stream in streams:
            self.assertEqual(self.resources(stream.wait_for(1)), [("shift.posted", f"shift:{shift}")])
        rest.revoke_key(self.service, number)
        self.check(self.owner.delete(f"/api/users/{session['id']}"), 200)
        for stream in streams:
            self.assertTrue(stream.ended.wait(SECONDS), "nothing more comes")
            self.assertEqual(len(stream.events), 1)
        self.check_refused(self.owner.with_key(key).get(EVENTS), 401, "UNAUTHENTICATED")

    def test_a_credential_has_so_many_streams(self):
        key = self.make_key(["events:read", "shifts:read"])
        streams = [self.stream(key, "application/x-ndjson", after="latest") for _ in range(STREAMS)]
        refused = self.owner.with_key(key).send("GET", EVENTS, headers={"Accept": "text/event-stream"})
        self.check_refused(refused, 429, "RATE_LIMITED")
        self.check(self.owner.with_key(key).get(EVENTS), 200)
        for stream in streams:
            stream.close()

    def test_streams_end_when_the_process_does(self):
        begin = self.latest()
        streams = [self.stream(self.key, accept, after=begin) for accept in ("text/event-stream", "application/x-ndjson")]
        poll = self.stream(self.key, "application/json", after=begin, wait=25)
        self.service.stop()
        for stream in (*streams, poll):
            self.assertTrue(stream.ended.wait(SECONDS))
        page, = poll.events
        self.assertEqual(page["data"], [], "the poll is answered")
        self.service.start()
        for client in (self.client, self.owner):
            client.close()
        self.assertEqual(self.after(page["nextAfter"]), [])


class EventTapOnKafkaTest(OnKafka, OfBothEngines, EventTapCase):
    pass


if __name__ == "__main__":
    unittest.main()
