# Apps outside: connections to the demo and to a Composio that answers, refuses, hangs, answers garbage, and forgets. Whatever it does,
# an action is carried out once for each key, and recorded without secrets.

import dataclasses
import getpass
import json
import secrets
import tempfile
import unittest
from pathlib import Path

import apps
import mcp
import people
import rest
import support
from apps import APPS, CONNECTIONS, EXECUTIONS, answer, done, failed
from contract import every, is_empty
from receiver import CUT, SLOW, Reply

service = composio = owner = None


def setUpModule():
    global service, composio, owner
    directory = Path(unittest.enterModuleContext(tempfile.TemporaryDirectory()))
    composio = unittest.enterModuleContext(apps.Composio())
    service = rest.start_service(composio.settings(directory) | {"WORKFORCE_PERSONAL_READERS": getpass.getuser()})
    owner = rest.client_of(service)


def fresh_key():
    return {"Idempotency-Key": secrets.token_hex(8)}


class AppCase(rest.RestCase):

    def setUp(self):
        self.addCleanup(lambda: self.assertEqual(composio.faults, []))
        composio.misbehave.clear()
        composio.before.clear()

    def connect(self, app="github", client=None, **body):
        made = self.check((client or owner).post(f"{APPS}/{app}/connect", body), 201)
        self.addCleanup((client or owner).delete, f"{CONNECTIONS}/{made['id']}")
        return made

    def execute(self, connection, action="GITHUB_STAR", arguments=None, key=None, client=None):
        return (client or owner).post(f"{CONNECTIONS}/{connection['id']}/actions/{action}", {"arguments": arguments or {}}, key or {})

    def ended(self, connection, client=None):
        return self.check((client or owner).delete(f"{CONNECTIONS}/{connection['id']}"), 200)

    def executions(self, connection, client=None, **query):
        return every(client or owner, EXECUTIONS, connectionId=connection["id"], **query)

    def status_of(self, connection):
        return self.check(owner.get(f"{CONNECTIONS}/{connection['id']}"), 200)["status"]


class ConnectionTest(AppCase):

    def test_a_connection_lives(self):
        made = owner.post(f"{APPS}/github/connect", {"accountLabel": "Rota"}, fresh_key())
        row = self.check(made, 201)
        account = row.pop("redirectUrl").rsplit("/", 1)[1]
        self.assertEqual(composio.accounts[account], ("github", f"local-org-{service.demo['organizationId']}"))
        self.assertEqual((row["app"], row["accountLabel"], row["status"], row["facilityId"], row["lastUsedAt"]),
                         ("github", "Rota", "connected", None, None))
        self.assertEqual(made.headers["Location"], f"{CONNECTIONS}/{row['id']}")
        self.assertEqual(self.check(owner.get(made.headers["Location"]), 200), row)
        self.check_refused(owner.post(f"{APPS}/github/connect"), 409, "DUPLICATE_RESOURCE")
        self.assertEqual(self.ended(row)["status"], "disconnected")
        self.assertNotIn(account, composio.accounts)
        self.assertEqual(self.ended(row)["status"], "disconnected", "once more it is as it was")
        again = self.connect()
        self.assertNotEqual(again["id"], row["id"])

    def test_a_repeated_key_connects_nothing_twice(self):
        key, before = fresh_key(), len(composio.accounts)
        first = self.check(owner.post(f"{APPS}/slack/connect", {}, key), 201)
        self.addCleanup(owner.delete, f"{CONNECTIONS}/{first['id']}")
        again = owner.post(f"{APPS}/slack/connect", {}, key)
        self.assertEqual((self.check(again, 201), again.headers["Idempotency-Replayed"]), (first, "true"))
        self.assertEqual(len(composio.accounts), before + 1)

    def test_what_can_be_connected(self):
        connection = self.connect("demo")
        listed = {each["app"]: each for each in self.check(owner.get(APPS), 200)["data"]}
        self.assertEqual(set(listed), {"demo", "github", "slack"})
        self.assertEqual([each["id"] for each in listed["demo"]["connections"]], [connection["id"]])
        self.assertNotIn("actions", listed["demo"])
        one, = self.check(owner.get(APPS, app="github"), 200)["data"]
        self.assertEqual([action["name"] for action in one["actions"]], apps.ACTIONS["github"])
        self.assertEqual(one["actions"][0]["parameters"]["properties"], {"title": {"type": "string"}})
        self.assertEqual(self.check(owner.get(APPS, app="nothing"), 200)["data"], [])

    def test_a_provider_that_connects_nobody(self):
        for reply in (answer(500, {}), answer(200, {}), Reply(200, b"<html>"), answer(401, {"error": {"message": "no"}}),
                      answer(201, {"connected_account_id": "c", "redirect_url": "javascript:1"})):
            composio.links.append(reply)
            self.check_refused(owner.post(f"{APPS}/github/connect"), 502, "UPSTREAM_ERROR")
        self.connect()

    def test_bad_input(self):
        self.check_refused(owner.post(f"{APPS}/nothing/connect"), 404, "NOT_FOUND")
        self.check_fields(owner.post(f"{APPS}/demo/connect", {"accountLabel": "x" * 201}), "accountLabel")
        self.check_fields(owner.post(f"{APPS}/demo/connect", {"facilityId": "a"}), "facilityId")
        self.check_refused(owner.post(f"{APPS}/demo/connect", {"facilityId": 999999}), 403, "FACILITY_SCOPE_VIOLATION")
        connection = self.connect("demo")
        where = f"{CONNECTIONS}/{connection['id']}/actions/demo.echo"
        for arguments in ([], "a", None, 5):
            self.check_fields(owner.post(where, {"arguments": arguments}), "arguments")
        self.check_fields(owner.post(where, {"arguments": {"a": "x" * 70_000}}), "arguments")
        deep = {}
        for _ in range(26):
            deep = {"a": deep}
        self.check_fields(owner.post(where, {"arguments": deep}), "arguments")
        self.check_refused(self.execute(connection, "demo.nothing"), 404, "NOT_FOUND")
        self.check_refused(self.execute({"id": 999_999}), 404, "NOT_FOUND")
        self.assertEqual(self.executions(connection), [])

    def test_actions_that_no_provider_is_asked_for(self):
        """Names that a provider might take all the same, and that no read model can hold."""
        connection = self.connect()
        before = len(composio.requests())
        for action in ("GITHUB_%00A", "GITHUB_%0AA", "GITHUB_%C2%85A", "GITHUB_" + "A" * 200):
            self.check_fields(self.execute(connection, action), "action")
        client = mcp.Client(mcp.url_of(service), service.demo["keys"]["live"])
        for action in ("GITHUB_\0A", "", "GITHUB_" + "A" * 200):
            refused = client.call("app_execute", {"connectionId": connection["id"], "action": action})
            self.assertEqual(refused.failure["code"], "VALIDATION_ERROR")
        self.assertEqual((len(composio.requests()), self.executions(connection)), (before, []))


class ActionTest(AppCase):

    def test_the_demo(self):
        connection = self.connect("demo")
        arguments = {"n": [1, {"a": None}], "apiKey": "k"}
        echoed = self.check(self.execute(connection, "demo.echo", arguments), 200)
        self.assertEqual((echoed["successful"], echoed["data"], echoed["error"]), (True, arguments, None))
        key = fresh_key()
        ticket = self.check(self.execute(connection, "demo.create_ticket", {"title": "Oven"}, key), 200)
        self.assertRegex(ticket["data"]["ticketId"], r"^DEMO-[0-9a-f]{10}$")
        again = self.execute(connection, "demo.create_ticket", {"title": "Oven"}, key)
        self.assertEqual((again.body, again.headers["Idempotency-Replayed"]), (ticket, "true"))
        refused = self.check(self.execute(connection, "demo.create_ticket"), 200)
        self.assertEqual((refused["successful"], refused["data"]), (False, None))
        self.assertIn("title", refused["error"])
        kept = self.executions(connection, sort="createdAt")
        self.assertEqual([row["id"] for row in kept], [echoed["executionId"], ticket["executionId"], refused["executionId"]])
        self.assertEqual(kept[0]["arguments"], arguments | {"apiKey": "[redacted]"})
        self.assertEqual(kept[0]["result"], arguments | {"apiKey": "[redacted]"})
        self.assertEqual([(row["status"], row["action"]) for row in kept[1:]],
                         [("succeeded", "demo.create_ticket"), ("failed", "demo.create_ticket")])
        self.assertEqual(kept[2]["error"], refused["error"])
        self.assertEqual(self.executions(connection, status="failed"), [kept[2]])
        self.assertEqual(every(owner, EXECUTIONS, app="slack"), [])

    def test_an_action_outside(self):
        connection = self.connect()
        made = self.check(self.execute(connection, "GITHUB_CREATE_ISSUE", {"title": "T", "token": "s3"}), 200)
        self.assertEqual(made["data"]["got"], {"title": "T", "token": "s3"})
        self.assertEqual(composio.carried_out[-1][0], "GITHUB_CREATE_ISSUE")
        row, = self.executions(connection)
        self.assertEqual(row["result"]["got"], {"title": "T", "token": "[redacted]"})
        self.assertTrue(self.check(owner.get(f"{CONNECTIONS}/{connection['id']}"), 200)["lastUsedAt"])
        self.check_refused(self.execute(connection, "SLACK_SEND"), 404, "NOT_FOUND")

    def test_failures_are_told_and_recorded(self):
        connection = self.connect()
        for reply, error in ((failed("No such repo"), "No such repo"), (answer(400, {"error": {"message": "Bad"}}), "Bad"),
                             (answer(422, {}), "422"), (done("x" * 200_000), "too large")):
            composio.before.append(reply)
            told = self.check(self.execute(connection), 200)
            self.assertFalse(told["successful"])
            self.assertIn(error, told["error"])
            self.assertEqual(self.status_of(connection), "connected")
        self.assertEqual({row["status"] for row in self.executions(connection)}, {"failed"})
        self.assertEqual(len(self.executions(connection)), 4)

    def test_an_account_that_lets_nobody_in(self):
        connection = self.connect()
        for status in (401, 403):
            composio.before.append(answer(status, {"error": {"message": "Expired"}}))
            self.assertEqual(self.check(self.execute(connection), 200)["error"], "Expired")
            self.assertEqual(self.status_of(connection), "error")
            self.assertTrue(self.check(self.execute(connection), 200)["successful"])
            self.assertEqual(self.status_of(connection), "connected")

    def test_one_that_ended(self):
        connection = self.connect()
        self.ended(connection)
        before, key = len(composio.requests()), fresh_key()
        self.check_refused(self.execute(connection, key=key), 409, "APP_NOT_CONNECTED")
        self.assertEqual(self.execute(connection, key=key).headers["Idempotency-Replayed"], "true")
        self.assertEqual(len(composio.requests()), before, "nobody outside was asked")

    def test_one_that_changed_since(self):
        connection, stale = self.connect(), {"If-Match": '"900"'}
        where = f"{CONNECTIONS}/{connection['id']}"
        before, key = len(composio.requests()), fresh_key()
        for _ in range(2):
            self.check_refused(self.execute(connection, key=stale | key), 412, "PRECONDITION_FAILED")
        self.check_refused(owner.delete(where, headers=stale), 412, "PRECONDITION_FAILED")
        self.check_refused(self.execute({"id": 999_999}, key=stale), 404, "NOT_FOUND")
        self.assertEqual(len(composio.requests()), before, "nobody outside was asked")
        as_it_is = {"If-Match": owner.get(where).headers["ETag"]}
        self.assertTrue(self.check(self.execute(connection, key=as_it_is), 200)["successful"])
        self.check_refused(owner.delete(where, headers=as_it_is), 412, "PRECONDITION_FAILED")
        self.assertEqual(self.status_of(connection), "connected")

    def test_a_retry_is_carried_out_once(self):
        """However the first answer was lost: the provider knows the key, and the log knows what it was told."""
        connection = self.connect()
        for reply in (answer(500, {}), answer(503, {}), answer(429, {}), Reply(200, b"<html>"), Reply(200, b'{"successful":1}'),
                      Reply(302, headers=(("Location", "/api/v3/x"),)), CUT, Reply(200, b"")):
            key, before = fresh_key(), len(composio.carried_out)
            composio.misbehave.append(reply)
            self.check_refused(self.execute(connection, key=key), 502, "UPSTREAM_ERROR")
            told = self.check(self.execute(connection, key=key), 200)
            self.assertTrue(told["successful"])
            again = self.execute(connection, key=key)
            self.assertEqual((again.body, again.headers["Idempotency-Replayed"]), (told, "true"))
            self.assertEqual(len(composio.carried_out), before + 1, reply)
        self.assertEqual(len(self.executions(connection)), 8)

    def test_one_that_hangs(self):
        connection, key = self.connect(), fresh_key()
        composio.misbehave.append(SLOW)
        composio.links.append(SLOW)
        *answers, unconnected = people.at_once([lambda: self.execute(connection, key=key)] * 2 + [lambda: owner.post(f"{APPS}/slack/connect")])
        self.check_refused(unconnected, 504, "UPSTREAM_TIMEOUT")
        self.assertEqual({(each.status, each.code) for each in answers}, {(409, "IDEMPOTENCY_IN_PROGRESS"), (504, "UPSTREAM_TIMEOUT")})
        self.assertTrue(self.check(self.execute(connection, key=key), 200)["successful"])

    def test_many_at_once_under_one_key(self):
        connection, key, before = self.connect(), fresh_key(), len(composio.carried_out)
        answers = people.at_once([lambda: self.execute(connection, key=key)] * 8)
        self.assertEqual({each.status for each in answers} - {200, 409}, set())
        self.assertEqual(len({each.text for each in answers if each.status == 200}), 1)
        self.assertEqual(len(composio.carried_out), before + 1)


class AccessTest(AppCase):

    def test_who_is_bound_to_a_facility(self):
        here = service.demo["facilityIds"][0]
        there = self.check(owner.post("/api/facilities", {"name": f"There {secrets.token_hex(4)}"}), 201)["id"]
        bound = owner.with_key(rest.make_key(service, ["apps:*"], facility=here)[1])
        whole = self.connect("demo")
        own = self.connect("demo", bound)
        self.assertEqual(own["facilityId"], here)
        listed, = self.check(bound.get(APPS, app="demo"), 200)["data"]
        self.assertEqual({each["id"] for each in listed["connections"]}, {whole["id"], own["id"]})
        self.check(self.execute(own, "demo.echo", client=bound), 200)
        self.check_refused(self.execute(whole, "demo.echo", client=bound), 403, "FACILITY_SCOPE_VIOLATION")
        self.check_refused(bound.delete(f"{CONNECTIONS}/{whole['id']}"), 403, "FACILITY_SCOPE_VIOLATION")
        self.check_refused(bound.post(f"{APPS}/demo/connect", {"facilityId": there}), 403, "FACILITY_SCOPE_VIOLATION")
        elsewhere = self.connect("demo", facilityId=there)
        self.execute(elsewhere, "demo.echo")
        self.check_refused(self.execute(elsewhere, "demo.echo", client=bound), 404, "NOT_FOUND")
        self.check_refused(bound.get(f"{CONNECTIONS}/{elsewhere['id']}"), 404, "NOT_FOUND")
        self.check_refused(bound.delete(f"{CONNECTIONS}/{elsewhere['id']}"), 404, "NOT_FOUND")
        self.assertEqual({row["connectionId"] for row in every(bound, EXECUTIONS)} & {elsewhere["id"], own["id"]}, {own["id"]})

    def test_scopes(self):
        connection = self.connect("demo")
        reader = owner.with_key(rest.make_key(service, ["apps:read"])[1])
        self.check(reader.get(APPS), 200)
        self.check(reader.get(EXECUTIONS), 200)
        self.check_refused(reader.post(f"{APPS}/demo/connect"), 403, "INSUFFICIENT_SCOPE")
        self.check_refused(self.execute(connection, "demo.echo", client=reader), 403, "INSUFFICIENT_SCOPE")

    def test_the_sandbox_asks_nobody(self):
        sandbox = rest.client_of(service, "test")
        self.assertEqual([each["app"] for each in self.check(sandbox.get(APPS), 200)["data"]], ["demo"])
        before = len(composio.requests())
        self.check_refused(sandbox.post(f"{APPS}/github/connect"), 404, "NOT_FOUND")
        listed, = self.check(sandbox.get(APPS), 200)["data"]
        connection = (listed["connections"] or [self.connect("demo", sandbox)])[0]
        self.assertEqual((connection["app"], connection["facilityId"]), ("demo", service.demo["facilityIds"][0]))
        self.check(self.execute(connection, "demo.echo", client=sandbox), 200)
        self.assertEqual(len(composio.requests()), before)
        self.check_refused(owner.get(f"{CONNECTIONS}/{connection['id']}"), 404, "NOT_FOUND")

    def test_what_is_audited_and_counted(self):
        connection = self.connect("demo")
        done_here = self.check(self.execute(connection, "demo.echo", {"who": "Quasthoff"}), 200)
        entries = every(people.owner_of(service), "/api/audit-log", resource=f"app:{connection['id']}")
        self.assertEqual({entry["action"] for entry in entries}, {"APP_CONNECTED", "APP_ACTION_EXECUTED"})
        told, = [entry for entry in entries if entry["action"] == "APP_ACTION_EXECUTED"]
        self.assertLessEqual({"app": "demo", "action": "demo.echo", "executionId": done_here["executionId"]}.items(), told["metadata"].items())
        self.assertNotIn("Quasthoff", json.dumps(entries))

        def counted():
            told = self.check(owner.get("/api/api-usage/outcomes"), 200)["data"]
            return [row for row in told if row["outcomeType"] == "composio_execution" and row["totalCount"] > 0]
        self.assertTrue(support.wait_until(counted, 30, "the outcome"))


class ToolTest(AppCase):

    def test_the_tools(self):
        client = mcp.Client(mcp.url_of(service), service.demo["keys"]["live"])
        connection = self.connect("demo")
        listed = client.call("apps_list", {"app": "demo"}).content["data"]
        self.assertEqual([each["app"] for each in listed], ["demo"])
        done_here = client.call("app_execute", {"connectionId": connection["id"], "action": "demo.echo", "arguments": {"a": 1}})
        self.assertEqual(done_here.content["data"], {"a": 1})
        self.ended(connection)
        refused = client.call("app_execute", {"connectionId": connection["id"], "action": "demo.echo"})
        self.assertEqual(refused.failure["code"], "APP_NOT_CONNECTED")


class ApprovalTest(AppCase):

    def test_an_execution_names_the_approval_and_the_run_that_it_is_of(self):
        admin = owner.with_key(service.command("token", "admin@demo.example.com").strip())
        connection = self.connect("demo")
        arguments = {"connectionId": connection["id"], "action": "demo.echo", "arguments": {"a": 1}}
        agent = self.check(admin.post("/api/agent-builder", {"name": "Asks apps", "allowedTools": ["app_execute"],
                                                             "plan": [{"tool": "app_execute", "arguments": arguments}]}), 201)
        run = self.check(admin.post(f"/api/agents/{agent['id']}/runs", {"wait": 55}), 200)
        self.assertEqual(run["status"], "pending_approval")
        self.assertEqual(self.executions(connection), [])
        approval, = [each for each in every(admin, "/api/approvals", status="pending") if each["runId"] == run["id"]]
        self.check(admin.post(f"/api/approvals/{approval['id']}/approve"), 200)
        row, = self.executions(connection)
        self.assertEqual((row["approvalId"], row["runId"], row["status"]), (approval["id"], run["id"], "succeeded"))
        self.check(self.execute(connection, "demo.echo"), 200)
        self.assertEqual([row["approvalId"] for row in self.executions(connection) if row["runId"] is None], [None])


    def test_an_app_may_take_its_time(self):
        """A call that was approved is asked for once, and its answer waited for, however slow others find the app."""
        admin = owner.with_key(service.command("token", "admin@demo.example.com").strip())
        connection = self.connect()
        arguments = {"connectionId": connection["id"], "action": "GITHUB_STAR", "arguments": {"a": 1}}
        agent = self.check(admin.post("/api/agent-builder", {"name": "Waits for apps", "allowedTools": ["app_execute"],
                                                             "plan": [{"tool": "app_execute", "arguments": arguments}]}), 201)
        run = self.check(admin.post(f"/api/agents/{agent['id']}/runs", {"wait": 55}), 200)
        before = len(composio.carried_out), len(composio.requests("/api/v3/tools/execute/GITHUB_STAR"))
        composio.misbehave.append(dataclasses.replace(done({"late": True}), wait=8))
        answered = self.check(admin.post(f"/api/approvals/{run['approvalId']}/approve"), 200)
        self.assertEqual((answered["success"], answered["result"]["data"]), (True, {"late": True}), answered)
        self.assertEqual((len(composio.carried_out), len(composio.requests("/api/v3/tools/execute/GITHUB_STAR"))),
                         (before[0] + 1, before[1] + 1))
        row, = self.executions(connection)
        self.assertEqual((row["approvalId"], row["status"]), (run["approvalId"], "succeeded"))


class ErasureTest(AppCase):

    def test_what_was_done_is_forgotten(self):
        digits = "".join(secrets.choice("123456789") for _ in range(12))
        connection = self.check(owner.post(f"{APPS}/demo/connect", {"accountLabel": f"Q{digits}"}), 201)
        self.check(self.execute(connection, "demo.echo", {"who": digits}), 200)
        self.check(self.execute(connection, "demo.create_ticket", {"title": "", "description": digits}), 200)
        service.wait_projected()
        self.assertFalse(any(service.log_text_hits([digits]).values()), "the log has it sealed")
        self.assertTrue(json.loads(service.command("erase", f"app/{connection['id']}", "--reason", "asked for"))["recorded"])
        service.wait_projected()
        left = self.check(owner.get(f"{CONNECTIONS}/{connection['id']}"), 200)
        self.assertEqual((left["accountLabel"], left["status"]), ("", "disconnected"))
        rows = self.executions(connection)
        self.assertEqual(len(rows), 2)
        self.assertTrue(all(is_empty(row[name]) for row in rows for name in ("arguments", "result", "error")), rows)
        for schema in ("read", "log", "projection", "ops", "auth", "vault", "reactor"):
            for table in support.tables_of(service.postgres, schema):
                self.assertEqual(support.clear_text_hits(service.postgres, table, [digits]), [], table)
        self.check_refused(self.execute(connection, "demo.echo"), 409, "APP_NOT_CONNECTED")

    def test_what_names_a_person_is_not_kept(self):
        connection, key = self.connect("demo"), fresh_key()
        arguments = {"staffId": 7, "phone": "+1 555 0142"}
        self.assertEqual(self.check(self.execute(connection, "demo.echo", arguments, key), 200)["data"], arguments)
        again = self.execute(connection, "demo.echo", arguments, key)
        self.assertEqual((again.body["successful"], again.body["data"], again.headers["Idempotency-Replayed"]), (True, None, "true"))
        row, = self.executions(connection)
        self.assertEqual((row["arguments"], row["result"]), ({}, None))

    def test_a_rebuild_gives_the_same(self):
        connection = self.connect("demo")
        self.check(self.execute(connection, "demo.echo", {"a": "b"}), 200)
        before, after = support.checksums_around_rebuild(service)
        self.assertEqual(after, before)
        self.assertFalse(before["read.app_execution"].startswith("0 rows"))
