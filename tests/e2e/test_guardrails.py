# Guardrails: which calls of tools they refuse or have wait, everywhere and soon, and what is refused of a policy itself.

import itertools
import unittest

import approvals
import cluster
import kafka_cluster
import mcp
import people
import rest
import support
from access_matrix import EVERY_SCOPE

GUARDRAILS = "/api/guardrails"
IN_SANDBOX = {"Service-Sandbox": "true"}
numbers = itertools.count()
service = owner = live = None


def setUpModule():
    global service, owner, live
    service = rest.start_service()
    owner, live = rest.client_of(service), mcp.client_of(service)


def shift(facility=None, **fields):
    """Arguments of shifts_create."""
    return {"facilityId": facility or service.demo["facilityIds"][0], "title": "Night", "date": "2031-05-01", "startTime": "20:00",
            "endTime": "23:00"} | fields


def some_value(schema):
    """A value that the schema of a tool's argument takes."""
    if "enum" in schema:
        return schema["enum"][0]
    for form in ("anyOf", "oneOf"):
        if form in schema:
            return some_value(schema[form][0])
    kind = schema.get("type", "string")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "array":
        return [some_value(schema["items"])] if schema.get("minItems") else []
    return {"integer": 1, "number": 1, "boolean": True, "object": {}}.get(kind, "2031-01-01")


def policy(**fields):
    """A policy that blocks a tool which nothing else here calls."""
    return {"name": f"Policy {next(numbers)}", "effect": "block", "tools": ["leads_create"]} | fields


def is_blocked(reply):
    return "error" in reply.body and reply.error["data"]["code"] == "GUARDRAIL_BLOCKED"


class GuardrailCase(rest.RestCase):

    def guard(self, client=None, headers=None, **fields):
        """Makes a policy, and has it gone at the end; the policy."""
        client = client or owner
        made = self.check(client.post(GUARDRAILS, policy(**fields), headers), 201)
        self.addCleanup(client.delete, f"{GUARDRAILS}/{made['id']}", headers)
        return made

    def wait_blocked(self, call, name):
        """Waits until the call is refused because of that policy; the refusal."""
        def blocked():
            reply = call()
            self.assertNotIn(reply.status, (401, 403), str(reply))
            return is_blocked(reply) and reply.error["data"]["guardrail"] == name
        support.wait_until(blocked, support.FOLD_SECONDS, f"{name} binds")
        return self.check_blocked(call(), name)

    def check_blocked(self, reply, name):
        self.assertEqual((reply.status, reply.error["code"]), (200, mcp.DENIED), str(reply))
        data = reply.error["data"]
        self.assertEqual((data["code"], data["guardrail"]), ("GUARDRAIL_BLOCKED", name), str(reply))
        self.assertIn("\nSuggestion: ", reply.error["message"])
        self.assertIn(name, reply.error["message"])
        return data

    def wait_allowed(self, call):
        support.wait_until(lambda: not is_blocked(call()), support.FOLD_SECONDS, "the call goes on")


class CallTest(GuardrailCase):

    def test_a_policy_blocks_by_its_name(self):
        made = self.guard(name='No "leads"', tools=["leads_c*"])
        data = self.wait_blocked(lambda: live.call("leads_create", {"name": "Ada"}), made["name"])
        self.assertEqual(data["tool"], "leads_create")
        self.assertIn("leads_create", live.tools(), "what the caller may call in general is listed")
        live.call("leads_list").content
        self.check(owner.post("/api/crm/leads", {"name": "By REST"}), 201)
        self.assertEqual(owner.get("/api/crm/leads", q="Ada").body["data"], [], "nothing was done")
        self.check(owner.patch(f"{GUARDRAILS}/{made['id']}", {"isEnabled": False}), 200)
        self.wait_allowed(lambda: live.call("leads_create", {"name": "Ada"}))

    def test_bad_arguments_and_absent_scopes_come_first(self):
        self.guard(name="No leads at all", tools=["leads_*"])
        self.wait_blocked(lambda: live.call("leads_list"), "No leads at all")
        self.assertEqual(live.call("leads_list", {"limits": 1}).error["code"], mcp.INVALID_PARAMS)
        _, key = rest.make_key(service, ["shifts:read"])
        reader = mcp.client_of(service, key)
        self.assertEqual(reader.call("leads_list").error["data"]["code"], "INSUFFICIENT_SCOPE")

    def test_conditions_on_arguments(self):
        self.guard(name="Dear nights", tools=["shifts_create"],
                   conditions=[{"path": "arguments.rate", "op": "gt", "value": 80}, {"path": "arguments.title", "op": "matches", "value": "Night*"}])
        self.wait_blocked(lambda: live.call("shifts_create", shift(rate=81)), "Dear nights")
        self.check_blocked(live.call("shifts_create", shift(rate=81, title=" NIGHT at last")), "Dear nights")
        self.check_blocked(live.call("shifts_create", {"shifts": [shift(rate=10), shift(rate=81)]}), "Dear nights")
        live.call("shifts_create", {"shifts": [shift(rate=10), shift(rate=81, title="Day")]}).content
        for fields in ({"rate": 80}, {}, {"rate": 81, "title": "Day"}):
            live.call("shifts_create", shift(**fields)).content

    def test_which_policy_names_itself(self):
        self.guard(name="Ask", tools=["leads_create"], effect="require_approval", priority=900)
        self.guard(name="Low", tools=["leads_create"], priority=-5)
        self.guard(name="High", tools=["leads_*"], priority=5)
        self.wait_blocked(lambda: live.call("leads_create", {"name": "Ada"}), "High")
        tried = self.check(owner.post(f"{GUARDRAILS}/test", {"tool": "leads_create", "arguments": {"name": "Ada"}}), 200)
        self.assertEqual(tried, {"effect": "block", "guardrail": "High"})

    def test_facilities(self):
        """The one that the arguments name counts, else that of what the call is about, and who is bound calls within their own."""
        here, there = service.demo["facilityIds"]
        theirs = {place: live.call("shifts_create", shift(place)).content["id"] for place in (here, there)}
        self.guard(name="Not there", tools=["shifts_*"], facilityIds=[there])
        self.wait_blocked(lambda: live.call("shifts_create", shift(there)), "Not there")
        live.call("shifts_create", shift(here)).content
        live.call("shifts_get", {"shiftId": theirs[here]}).content
        live.call("shifts_update", {"shiftId": theirs[here], "notes": "Changed"}).content
        self.check_blocked(live.call("shifts_get", {"shiftId": theirs[there]}), "Not there")
        self.check_blocked(live.call("shifts_update", {"shiftId": theirs[there], "notes": "Changed"}), "Not there")
        self.check_blocked(live.call("shifts_list"), "Not there")
        for place, blocked in ((here, False), (there, True)):
            _, key = rest.make_key(service, ["shifts:read"], facility=place)
            self.assertEqual(is_blocked(mcp.client_of(service, key).call("shifts_list")), blocked, place)

    def test_whatever_the_tool_nothing_is_done(self):
        """Not even where the call has an idempotency key, for which the writer is asked whether it knows an answer."""
        self.guard(name="Nothing at all", tools=["*"])
        agent = approvals.Agent(service, sorted(EVERY_SCOPE), people.make_user(service, role="admin")["id"])
        rest.wait_for_key(service, agent.id)
        tools = agent.tools
        self.wait_blocked(lambda: tools.call("shifts_list"), "Nothing at all")
        writes = {name: tool["inputSchema"] for name, tool in tools.tools().items() if not tool["annotations"]["readOnlyHint"]}
        self.assertGreater(len(writes), 10)
        service.wait_projected()
        before = service.heads()
        for name, schema in writes.items():
            for meta in ({}, {"svc/idempotencyKey": f"blocked {name}"}):
                with self.subTest(tool=name, **meta):
                    arguments = {field: some_value(schema["properties"][field]) for field in schema.get("required", ())}
                    self.check_blocked(tools.call(name, arguments, **meta), "Nothing at all")
        self.assertEqual(service.heads(), before, "nothing was appended")

    def test_people_of_all_facilities(self):
        """What is of all facilities concerns each of them, also where it is to be of one from now on."""
        here, there = service.demo["facilityIds"]
        everywhere, one = (self.check(owner.post("/api/staff", {"firstName": "Of", "lastName": "All", "email": f"{next(numbers)}@all.example.test",
                                                                "facilityIds": places}), 201)["id"] for places in ([], [here]))
        service.wait_projected()
        self.guard(name="Nobody there", tools=["staff_update"], facilityIds=[there])
        self.wait_blocked(lambda: live.call("staff_update", {"staffId": everywhere, "specialty": "Changed"}), "Nobody there")
        self.check_blocked(live.call("staff_update", {"staffId": everywhere, "facilityIds": [here]}), "Nobody there")
        live.call("staff_update", {"staffId": one, "specialty": "Changed"}).content
        self.check_blocked(live.call("staff_update", {"staffId": one, "facilityIds": [here, there]}), "Nobody there")

    def test_what_was_done_is_told_again(self):
        """A policy that came later changes nothing of what a key's first call did, and what it refuses is not kept."""
        done, refused = ({"svc/idempotencyKey": name} for name in ("done before", "refused meanwhile"))
        first = live.call("leads_create", {"name": "Once"}, **done).content
        made = self.guard(name="Later", tools=["leads_create"])
        self.wait_blocked(lambda: live.call("leads_create", {"name": "Ada"}), "Later")
        again = live.call("leads_create", {"name": "Once"}, **done)
        self.assertEqual(again.content, first)
        self.assertTrue(again.result["_meta"]["svc/replayed"], str(again))
        self.assertEqual(live.call("leads_create", {"name": "Another"}, **done).failure["code"], "IDEMPOTENCY_KEY_CONFLICT")
        self.check_blocked(live.call("leads_create", {"name": "Twice"}, **refused), "Later")
        self.check(owner.delete(f"{GUARDRAILS}/{made['id']}"), 204)
        self.wait_allowed(lambda: live.call("leads_create", {"name": "Twice"}, **refused))
        self.assertEqual(len(owner.get("/api/crm/leads", q="Twice").body["data"]), 1)

    def test_roles(self):
        self.guard(name="Not schedulers", tools=["leads_list", "shifts_list"], roles=["scheduler"])
        scheduler = people.make_user(service, role="scheduler")
        theirs = mcp.client_of(service, service.command("token", scheduler["email"]).strip())
        self.wait_blocked(lambda: theirs.call("shifts_list"), "Not schedulers")
        live.call("shifts_list").content
        _, key = rest.make_key(service, ["shifts:read"])
        mcp.client_of(service, key).call("shifts_list").content  # nobody stands behind it, and so it has no role

    def test_the_sandbox_has_its_own(self):
        admin = rest.Client(service.demo["baseUrl"], service.command("token", "admin@demo.example.com").strip())
        self.guard(admin, IN_SANDBOX, name="Sandbox alone", tools=["leads_list"])
        _, key = rest.make_key(service, ["crm:read"], kind="test", facility=service.demo["facilityIds"][0])
        sandbox = mcp.client_of(service, key)
        self.wait_blocked(lambda: sandbox.call("leads_list"), "Sandbox alone")
        live.call("leads_list").content

    def test_other_organizations_are_not_bound(self):
        self.guard(name="Ours", tools=["leads_list"])
        self.wait_blocked(lambda: live.call("leads_list"), "Ours")
        _, key = rest.make_key(service, ["crm:read"], organization=1)
        self.assertFalse(is_blocked(mcp.client_of(service, key).call("leads_list")))

    def test_an_operator_is_bound_where_it_acts(self):
        """Whose rows a call is about, their policies count."""
        self.guard(name="For all", tools=["leads_list"])
        operator = mcp.client_of(service, service.command("token", "super.admin@platform.example.com").strip())
        demo = {"orgUnitId": service.demo["organizationId"]}
        self.wait_blocked(lambda: operator.call("leads_list", demo), "For all")
        self.assertFalse(is_blocked(operator.call("leads_list", {"orgUnitId": 1})))

    def test_a_refusal_is_metered_without_outcome(self):
        self.guard(name="Metered", tools=["leads_create"])
        _, key = rest.make_key(service, ["crm:write"])
        client = mcp.client_of(service, key)
        data = self.wait_blocked(lambda: client.call("leads_create", {"name": "Ada"}), "Metered")
        where = f"WHERE request_id = '{data['requestId'].removeprefix('req_')}'"
        support.wait_until(lambda: service.postgres.value(f"SELECT count(*) FROM usage.call {where}") == "1", support.FOLD_SECONDS, "it is metered")
        row = service.postgres.psql(f"SELECT status_code, error_code, tool FROM usage.call {where}")[0]
        self.assertEqual(tuple(row), ("403", "GUARDRAIL_BLOCKED", "leads_create"))
        self.assertEqual(service.postgres.value(f"SELECT count(*) FROM reactor.usage_marker {where}"), "0", "and has no outcome")


class PolicyTest(GuardrailCase):

    def test_a_new_one_shows_defaults(self):
        made = self.guard(name="Defaults", description="")
        self.assertEqual({name: made[name] for name in ("channels", "conditions", "window", "facilityIds", "roles", "agentIds", "priority",
                                                        "isEnabled", "createdBy")},
                         {"channels": ["mcp", "agent"], "conditions": [], "window": None, "facilityIds": [], "roles": [], "agentIds": [],
                          "priority": 0, "isEnabled": True, "createdBy": owner.get("/api/auth/me").body["user"]["id"]})
        self.assertEqual(owner.get(f"{GUARDRAILS}/{made['id']}").body, made)

    def test_changes_are_audited(self):
        made = self.guard(name="Audited", priority=1)
        self.check(owner.patch(f"{GUARDRAILS}/{made['id']}", {"priority": 2, "effect": "require_approval"}), 200)
        self.check(owner.delete(f"{GUARDRAILS}/{made['id']}"), 204)
        service.wait_projected()
        entries = [entry for entry in owner.get("/api/audit-log", limit=200).body["data"] if entry["resource"] == f"guardrail:{made['id']}"]
        self.assertEqual([entry["action"] for entry in entries], ["GUARDRAIL_DELETED", "GUARDRAIL_UPDATED", "GUARDRAIL_CREATED"])
        self.assertEqual(entries[1]["changes"], {"priority": {"from": 1, "to": 2}, "effect": {"from": "block", "to": "require_approval"}})

    def test_what_is_no_policy(self):
        bad = {
            "name": [None, "", 5, "x" * 300], "effect": [None, "allow"], "tools": [None, [], "shifts_*", ["Shifts"], ["no_such_tool"], [""]],
            "channels": [[], ["rest"]], "priority": [1001, 0.5], "isEnabled": ["yes"], "roles": [["boss"]],
            "facilityIds": [["x"], [0], [-1], [1.5], [2**53], [2**63], None], "agentIds": [["x"], [0]],
            "window": [{}, "22:00-06:00", {"days": [1], "from": "22:00", "to": "24:00", "timezone": "UTC"},
                       {"days": [0], "from": "22:00", "to": "06:00", "timezone": "UTC"},
                       {"days": [1], "from": "22:00", "to": "06:00", "timezone": "Nowhere"}],
            "conditions": [[{}], [{"path": "rate", "op": "gt", "value": 1}], [{"path": "arguments.", "op": "gt", "value": 1}],
                           [{"path": "arguments.rate", "op": "gt", "value": None}], [{"path": "arguments.rate", "op": "near", "value": 1}],
                           [{"path": "arguments.rate", "op": "in", "value": 1}], [{"path": "arguments.a[x]", "op": "exists", "value": True}],
                           [{"path": "arguments.rate", "op": "eq", "value": 1}] * 21]}
        for field, values in bad.items():
            for value in values:
                with self.subTest(field=field, value=str(value)[:80]):
                    answer = owner.post(GUARDRAILS, policy() | {field: value})
                    self.check_refused(answer, 400, "VALIDATION_ERROR")
                    self.assertTrue(any(named.startswith(field) for named in answer.fields), str(answer))
        self.check_refused(owner.post(GUARDRAILS, policy(facilityIds=[999_999])), 403, "FACILITY_SCOPE_VIOLATION")
        answer = owner.post(GUARDRAILS, policy(agentIds=[999_999]))
        self.check_refused(answer, 400, "VALIDATION_ERROR")

    def test_ids_of_every_bad_form(self):
        for id_ in ("0", "-1", "1.5", "x", "1e3", "%20", str(2**53), str(2**63), "1/2"):
            for ask in (owner.get, owner.delete):
                with self.subTest(id=id_, ask=ask.__name__):
                    self.assertIn(ask(f"{GUARDRAILS}/{id_}").status, (400, 404))
        self.check_refused(owner.get(f"{GUARDRAILS}/999999"), 404, "NOT_FOUND")
        self.check_refused(owner.patch(f"{GUARDRAILS}/999999", {"priority": 1}), 404, "NOT_FOUND")

    def test_try_a_call(self):
        self.guard(name="Nights", tools=["leads_create"], window={"days": [5], "from": "22:00", "to": "06:00", "timezone": "Europe/Berlin"})

        def tried(**fields):
            return self.check(owner.post(f"{GUARDRAILS}/test", {"tool": "leads_create"} | fields), 200)
        self.assertEqual(tried(at="2026-07-24T20:00:00Z"), {"effect": "block", "guardrail": "Nights"}, "Friday, 22:00")
        self.assertEqual(tried(at="2026-07-25T03:59:00Z"), {"effect": "block", "guardrail": "Nights"}, "it belongs to Friday")
        self.assertEqual(tried(at="2026-07-25T20:00:00Z"), {"effect": "allow", "guardrail": None})
        self.guard(name="Ask for agents", tools=["leads_create"], effect="require_approval", channels=["agent"], roles=["viewer"])
        self.assertEqual(tried(channel="agent", role="viewer", at="2026-07-25T20:00:00Z"),
                         {"effect": "require_approval", "guardrail": "Ask for agents"})
        self.assertEqual(tried(channel="agent", role="admin", at="2026-07-25T20:00:00Z")["effect"], "allow")
        for body, field in (({}, "tool"), ({"tool": "no_such_tool"}, "tool"), ({"tool": "leads_create", "arguments": []}, "arguments"),
                            ({"tool": "leads_create", "channel": "rest"}, "channel"), ({"tool": "leads_create", "at": "soon"}, "at")):
            self.check_fields(owner.post(f"{GUARDRAILS}/test", body), field)


class ClusterTest(GuardrailCase):
    """A policy that is changed through one process binds calls that come to another."""

    KAFKA = False

    @classmethod
    def setUpClass(cls):
        kafka = cls.enterClassContext(kafka_cluster.shared()) if cls.KAFKA else None
        cls.cluster = cls.enterClassContext(cluster.Cluster(cls.enterClassContext(support.Postgres()), kafka))
        cls.first, cls.second = cls.cluster.start("api", "api", "workers")[:2]

    def setUp(self):
        self.addCleanup(lambda: self._outcome.success or self.cluster.print_tails())

    def test_a_change_binds_calls_elsewhere(self):
        client = self.first.client()
        tools = mcp.Client(self.second.mcp_url, self.cluster.demo["keys"]["live"])

        def call():
            return tools.call("leads_list")
        self.wait_allowed(call)  # what another test made is gone
        made = self.guard(client, name="First", tools=["leads_list"])
        path = f"{GUARDRAILS}/{made['id']}"
        self.wait_blocked(call, "First")
        self.check(client.patch(path, {"name": "Renamed"}), 200)
        support.wait_until(lambda: call().error["data"]["guardrail"] == "Renamed", support.FOLD_SECONDS, "the name changes")
        self.check(client.patch(path, {"conditions": [{"path": "arguments.q", "op": "exists", "value": True}]}), 200)
        self.wait_allowed(call)
        self.check_blocked(tools.call("leads_list", {"q": "Ada"}), "Renamed")
        self.check(client.delete(path), 204)
        self.wait_allowed(lambda: tools.call("leads_list", {"q": "Ada"}))

    def test_a_blocked_call_with_a_key_does_nothing_anywhere(self):
        """One of the two processes has to ask the other one whether the key has an answer."""
        self.guard(self.first.client(), name="No leads", tools=["leads_create"])
        for member in (self.first, self.second):
            tools = mcp.Client(member.mcp_url, self.cluster.demo["keys"]["live"])
            self.wait_blocked(lambda of=tools: of.call("leads_create", {}), "No leads")
            for _ in range(2):
                reply = tools.call("leads_create", {"name": "Blocked"}, **{"svc/idempotencyKey": f"to {member.name}"})
                self.check_blocked(reply, "No leads")
        self.cluster.wait_projected()
        self.assertEqual(self.first.client().get("/api/crm/leads", q="Blocked").body["data"], [])

    def test_without_the_read_model_no_call_is_judged_by_old_policies(self):
        """The process that can't look them up refuses calls rather than to let them pass."""
        tools = mcp.Client(self.second.mcp_url, self.cluster.demo["keys"]["live"])
        self.guard(self.first.client(), name="First", tools=["leads_list"])
        self.wait_blocked(lambda: tools.call("leads_list"), "First")
        self.cluster.postgres.psql("REVOKE SELECT ON read.guardrail FROM workforce_operator")
        support.wait_until(lambda: not is_blocked(tools.call("leads_list")), support.FOLD_SECONDS, "they are trusted no longer")
        self.assertNotEqual(tools.call("leads_list").failure["code"], "", "it is no success")
        self.cluster.postgres.psql("GRANT SELECT ON read.guardrail TO workforce_operator")
        self.wait_blocked(lambda: tools.call("leads_list"), "First")


    def test_while_nobody_folds_no_call_is_judged_by_old_policies(self):
        """A policy that is made meanwhile is known to nobody: calls are refused before they pass by it."""
        members = [(member, mcp.Client(member.mcp_url, self.cluster.demo["keys"]["live"])) for member in (self.first, self.second)]
        for _, tools in members:
            tools.call("leads_list").content
        folder = self.cluster.members[2]
        folder.kill9()
        self.guard(self.first.client(), name="While nobody folds", tools=["leads_list"])

        def is_refused(tools):
            reply = tools.post(tools.call_message("leads_list"))  # it is stale, which call() waits for
            return "result" in reply.body and reply.result["isError"] and reply.failure["code"] == "READ_MODEL_BEHIND"
        for member, tools in members:
            support.wait_until(lambda of=tools: is_refused(of), support.READY_SECONDS, f"{member.name} refuses calls")
        folder.start()
        for member, tools in members:
            self.wait_blocked(lambda of=tools: of.call("leads_list"), "While nobody folds")


class KafkaClusterTest(ClusterTest):
    KAFKA = True
    # Of read models alone, which are the same there.
    test_without_the_read_model_no_call_is_judged_by_old_policies = None
    test_while_nobody_folds_no_call_is_judged_by_old_policies = None


if __name__ == "__main__":
    unittest.main()
