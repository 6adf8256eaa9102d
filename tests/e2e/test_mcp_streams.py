# Streamed answers of MCP: their frames, clients that are cut off, and processes that die.

import concurrent.futures
import json

import cluster
import mcp
import rest
import support

TOOL = "test_tool_with_progress"  # three notices of progress, and pauses between them
service = live = None


def setUpModule():
    global service, live
    service = rest.start_service({"WORKFORCE_MCP_DIAGNOSTICS": "true"})
    live = mcp.client_of(service)


def data_of(events):
    return [event.data for event in events]


class FramesTest(rest.RestCase):

    def test_the_frames_of_a_call(self):
        reply = live.call(TOOL, token="p1")
        self.assertTrue(reply.is_stream)
        self.assertEqual(reply.headers["X-Accel-Buffering"], "no")
        self.assertEqual(reply.headers["Cache-Control"], "no-store")
        self.assertEqual([event.id for event in reply.events], [f"{reply.stream}:{n + 1}" for n in range(len(reply.events))])
        self.assertIsNone(reply.events[0].data, "a stream of 2025-11-25 begins with an event without data")
        self.assertIn((50, 100), reply.progress)
        self.assertEqual({notice["params"]["progressToken"] for notice in reply.notices}, {"p1"})
        self.assertEqual(reply.result["content"][0]["text"], "Done.")
        for version in (mcp.OLDEST, mcp.STATELESS):
            self.assertIsNotNone(mcp.client_of(service, version=version).call(TOOL, token=7).events[0].data)

    def test_when_an_answer_is_a_stream(self):
        self.assertFalse(live.call("whoami").is_stream)
        self.assertTrue(live.call("whoami", token="t").is_stream)
        self.assertTrue(live.call("whoami", accept=mcp.STREAM).is_stream)
        self.assertFalse(live.call("whoami", token="t", accept=mcp.JSON).is_stream)
        self.assertTrue(live.request("tools/list", accept=mcp.STREAM).is_stream)
        told = live.call("whoami", token="t")
        self.assertEqual(told.progress, [(0, 1), (1, 1)])
        self.assertEqual(told.content, live.call("whoami").content)

    def test_cut_off_at_each_frame(self):
        whole = live.call(TOOL, token="x")
        for frames in range(1, len(whole.events)):
            for path in (None, "/mcp"):
                with live.begin(live.call_message(TOOL, token="x")) as reply:
                    reply.read(frames)
                with live.resume(reply.stream, reply.events[-1].id, path) as rest_:
                    rest_.read()
                ids = [event.id for event in [*reply.events, *rest_.events]]
                self.assertEqual(ids, [f"{reply.stream}:{n + 1}" for n in range(len(whole.events))])
                self.assertEqual([d.get("method") if d else None for d in data_of([*reply.events, *rest_.events])],
                                 [d.get("method") if d else None for d in data_of(whole.events)])

    def test_cut_off_before_the_first_frame(self):
        """A client of the oldest version that asks for no progress hears nothing before the answer."""
        client = mcp.client_of(service, version=mcp.OLDEST)
        with client.begin(client.call_message(TOOL, {"pauseMs": 300}), accept=mcp.STREAM) as reply:
            self.assertEqual(reply.status, 200)
        with client.resume(reply.stream) as rest_:
            self.assertEqual(rest_.read().result["content"][0]["text"], "Done.")
        self.assertEqual([event.id for event in rest_.events], [f"{reply.stream}:1"])

    def test_an_unknown_method_has_no_stream(self):
        client = mcp.client_of(service, version=mcp.STATELESS)
        for accept in (mcp.EITHER, mcp.STREAM):
            reply = client.request("no/such", {"_meta": {"progressToken": 1}}, accept)
            self.assertEqual((reply.status, reply.is_stream, reply.error["code"]), (404, False, mcp.NO_METHOD), str(reply))

    def test_a_stream_that_ended_is_replayed(self):
        whole = live.call(TOOL, token="x")
        with live.resume(whole.stream) as again:
            self.assertEqual(again.read().events, whole.events)
        with live.resume(whole.stream, whole.events[-1].id) as nothing:
            self.assertEqual((nothing.read().status, nothing.events), (200, []))

    def test_nobody_else_reads_it(self):
        whole = live.call(TOOL, token="x")
        other = mcp.Client(mcp.url_of(service), rest.make_key(service, ["shifts:read"])[1])
        for client, stream, last in ((other, whole.stream, None), (other, whole.stream, f"{whole.stream}:1"), (live, "st_none", None),
                                     (live, whole.stream, "st_other:1"), (live, whole.stream, "nonsense"), (live, "%00", None),
                                     (live, whole.stream, f"{whole.stream}:{1 << 31}"), (live, whole.stream, f"{whole.stream}:{1 << 63}")):
            with client.resume(stream, last) as reply:
                self.assertEqual((reply.read().status, reply.error["data"]["code"]), (404, "NOT_FOUND"), str(reply))
        with mcp.Client(mcp.url_of(service)).resume(whole.stream) as reply:
            self.assertEqual(reply.read().status, 401)
        service.postgres.psql(f"UPDATE ops.mcp_stream SET created_at = now() - interval '11 minutes' WHERE id = '{whole.stream}'")
        with live.resume(whole.stream) as reply:
            self.assertEqual(reply.read().status, 404)

    def test_hanging_up(self):
        """A call of the handshake's era goes on, one of the stateless era is cancelled."""
        for version, ends_well in ((mcp.HANDSHAKE, True), (mcp.STATELESS, False)):
            client = mcp.client_of(service, version=version)
            with client.begin(client.call_message(TOOL, {"pauseMs": 700 if ends_well else 10_000}, token="x")) as reply:
                reply.read(1)
            with client.resume(reply.stream, reply.events[-1].id) as rest_:
                body = rest_.read().body
            self.assertEqual("result" in body, ends_well, str(body))

    def test_a_stream_of_a_thousand_frames(self):
        """So many are kept: of a longer one the first are gone."""
        whole = live.call(TOOL, token="x")
        stream = whole.stream
        service.postgres.psql(f"DELETE FROM ops.mcp_frame WHERE stream_id = '{stream}' AND seq <= 2")
        with live.resume(stream) as again:
            self.assertEqual(again.read().events, whole.events[2:])


class EndsTest(rest.RestCase):

    def setUp(self):
        postgres = self.enterContext(support.Postgres())
        self.service = self.enterContext(support.Service(postgres, environment={"WORKFORCE_MCP_DIAGNOSTICS": "true"}))
        self.live = mcp.client_of(self.service)

    def test_a_process_that_dies(self):
        whole = self.live.call(TOOL, token="x")
        with self.live.begin(self.live.call_message(TOOL, {"pauseMs": 20_000}, token="x")) as reply:
            reply.read(2)
            self.service.kill9()
        self.service.start()
        with self.live.resume(whole.stream) as again:
            self.assertEqual(again.read().events, whole.events)
        with self.live.resume(reply.stream, reply.events[-1].id) as rest_:
            told = rest_.read()
        self.assertIn("not known", told.error["message"])
        self.assertEqual(told.body["id"], reply_id(reply))
        with self.live.resume(reply.stream, reply.events[-1].id) as again:
            self.assertEqual(again.read().events, told.events, "it was told once")

    def test_a_stop_ends_a_stream(self):
        with self.live.begin(self.live.call_message(TOOL, {"pauseMs": 300}, token="x")) as reply:
            reply.read(2)
            with concurrent.futures.ThreadPoolExecutor(1) as pool:
                stopping = pool.submit(self.service.stop)
                self.assertEqual(reply.read().result["content"][0]["text"], "Done.")
                stopping.result()


def reply_id(reply):
    return json.loads(reply.what.split(" ", 2)[2][2:-1])["id"]


class NoDatabaseTest(rest.RestCase):

    def test_refusals_and_frames_while_the_database_is_away(self):
        """A refusal is JSON-RPC here as well, and a stream whose frames can't be stored comes to its end."""
        postgres = self.enterContext(support.Postgres())
        service = self.enterContext(support.Service(postgres, environment={"WORKFORCE_MCP_DIAGNOSTICS": "true"}))
        client = mcp.client_of(service)
        with client.begin(client.call_message(TOOL, {"pauseMs": 4000}, token="x")) as reply:
            reply.read(2)
            postgres.kill9()
            self.assertEqual(reply.read().result["content"][0]["text"], "Done.")
        self.assertEqual([event.id for event in reply.events[-1:]], [""])
        token = "svc_live_" + "7" * 43
        refused = mcp.Client(mcp.url_of(service), token + rest.checksum(token)).request("ping")
        self.assertEqual((refused.status, refused.body["id"]), (503, None), str(refused))
        self.assertEqual(refused.error["data"]["code"], "SERVICE_UNAVAILABLE")


class ProcessesTest(rest.RestCase):

    def test_another_process_goes_on(self):
        postgres = self.enterContext(support.Postgres())
        installation = self.enterContext(cluster.Cluster(postgres))
        installation.start("workers")
        first, second = installation.start("api", "api", WORKFORCE_MCP_DIAGNOSTICS="true")
        key = installation.demo["keys"]["live"]
        here, there = (mcp.Client(process.mcp_url, key) for process in (first, second))
        with here.begin(here.call_message(TOOL, {"pauseMs": 1500}, token="x")) as reply:
            reply.read(2)
            with there.resume(reply.stream, reply.events[-1].id) as rest_:
                told = rest_.read()
            reply.read()
        self.assertEqual(told.events, reply.events[2:])
        made = [client.call("shifts_create", {"facilityId": installation.demo["facilityIds"][0], "title": "Either", "date": "2030-05-01",
                                              "startTime": "20:00", "endTime": "23:00", "requiredWorkers": 1}).content["id"]
                for client in (here, there)]
        for client in (there, here):
            for id_ in made:
                self.assertEqual(client.call("shifts_get", {"shiftId": id_}).content["title"], "Either")
