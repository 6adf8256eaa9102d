# Agents that have a model, in both formats of providers: what the model is told, and what becomes of a run whose model calls tools, invents some,
# asks for what it may not, goes on for ever, or does not answer.

import json
import tempfile
from pathlib import Path

import llm
import mcp
import people
import rest
import support
from llm import call, says
from receiver import CUT, SLOW, Reply

BUILDER, AGENTS = "/api/agent-builder", "/api/agents"
ENDED = {"completed", "failed", "rejected", "cancelled"}
RUN_SECONDS = 120


class Llm:
    """Mixed into a case for each format; `WIRE` names it."""

    WIRE = ""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        directory = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.model = cls.enterClassContext(llm.Model(cls.WIRE))
        postgres = cls.enterClassContext(support.Postgres())
        cls.service = cls.enterClassContext(support.Service(postgres, environment=cls.model.settings(directory)))
        cls.owner = people.owner_of(cls.service)

    def setUp(self):
        self.model.turns.clear()
        self.model.asked.clear()
        self.model.faults.clear()
        self.addCleanup(lambda: self.assertEqual(self.model.faults, []))

    def agent(self, **fields):
        body = {"name": f"Planner {self.id()} {len(self.model.requests())}", "executor": "llm", "allowedTools": ["*"],
                "instructions": "Fill open shifts."} | fields
        return self.check(self.owner.post(BUILDER, body), 201)

    def run_of(self, agent, *turns, client=None, **fields):
        """A run that has ended."""
        self.model.turns[:] = turns
        answer = (client or self.owner).post(f"{AGENTS}/{agent['id']}/runs", {"wait": 0} | fields)
        self.assertIn(answer.status, (200, 202), str(answer))
        path = f"{AGENTS}/{agent['id']}/runs/{answer.body['id']}"

        def ended():
            run = self.check((client or self.owner).get(path), 200)
            return run if run["status"] in ENDED else None
        return support.wait_until(ended, RUN_SECONDS, "the run has ended")

    def test_a_run_by_tools(self):
        staff = self.check(self.owner.post("/api/staff", {"firstName": "Ida", "lastName": "Quist", "email": f"{self.WIRE}@example.test"}), 201)
        run = self.run_of(self.agent(), says("I look.", call("staff_get", {"staffId": staff["id"]}), call("facilities_list")),
                          says("", call("staff_update", {"staffId": staff["id"], "phone": "+1 555 0101"})), says("Done: called.", tokens=(7, 3)),
                          input={"why": "test"})
        self.assertEqual((run["status"], run["output"], run["error"]), ("completed", "Done: called.", None))
        self.assertEqual([(step["id"], step["tool"], step["status"]) for step in run["steps"]],
                         [("s1", "staff_get", "ok"), ("s2", "facilities_list", "ok"), ("s3", "staff_update", "ok")])
        self.assertEqual(run["usage"], {"toolCalls": 3, "inputTokens": 207, "outputTokens": 23})
        self.assertEqual(self.check(self.owner.get(f"/api/staff/{staff['id']}"), 200)["phone"], "+1 555 0101")
        first, second, third = self.model.asked
        self.assertIn("Fill open shifts.", first["system"])
        self.assertIn('{"why":"test"}', first["user"])
        self.assertEqual(first["results"], [])
        self.assertEqual([tool for tool, _, _ in second["results"]], ["staff_get", "facilities_list"])
        self.assertEqual(second["results"][0][1]["email"], staff["email"])
        self.assertEqual(third["results"][2][1]["phone"], "+1 555 0101")
        self.assertIn("shifts_assign", first["tools"])
        self.assertEqual(first["tools"]["staff_get"]["required"], ["staffId"])

    def test_only_what_the_agent_may_call_is_offered(self):
        run = self.run_of(self.agent(allowedTools=["staff_*"]), says("", call("facilities_list"), call("staff_list")), says("Well."))
        self.assertEqual({name.split("_")[0] for name in self.model.asked[0]["tools"]}, {"staff"})
        self.assertNotIn("staff_deactivate_everybody", self.model.asked[0]["tools"])
        self.assertEqual([(step["status"], step["error"] and step["error"]["code"]) for step in run["steps"]],
                         [("error", "FORBIDDEN"), ("ok", None)])
        self.assertEqual((run["status"], run["output"]), ("completed", "Well."))
        self.assertEqual([is_error for _, _, is_error in self.model.asked[1]["results"]], [True, False])

    def test_a_model_that_invents(self):
        """Tools, arguments, ids: each is told as an error, and the run goes on."""
        run = self.run_of(self.agent(), says("", call("shifts_conjure"), call("x" * 300), call("staff_get", {"staffId": "seven"}),
                                             call("staff_get", {}), call("staff_list", {"nothing": True}), call("staff_get", {"staffId": 9_999_999}),
                                             call("agents_list"), call("staff_get", {"staffId": -1})), says("I give up."))
        self.assertEqual((run["status"], run["output"]), ("completed", "I give up."))
        self.assertEqual([step["tool"] for step in run["steps"]][:3], ["unknown", "unknown", "staff_get"])
        self.assertIn("shifts_conjure", run["steps"][0]["error"]["message"])
        self.assertEqual([tool for tool, _, _ in self.model.asked[1]["results"]][:2], ["shifts_conjure", llm.told_name("x" * 300)])
        self.assertEqual({step["status"] for step in run["steps"]}, {"error"})
        codes = [step["error"]["code"] for step in run["steps"]]
        self.assertEqual(codes[:2] + codes[5:7], ["NOT_FOUND", "NOT_FOUND", "NOT_FOUND", "NOT_FOUND"])
        self.assertTrue(all(is_error for _, _, is_error in self.model.asked[1]["results"]))

    def test_what_its_user_may_not(self):
        """The user's role counts, whatever the agent is allowed."""
        agent = self.agent()
        viewer = people.make_user(self.service, people.operator_of(self.service), role="manager")
        client = people.sign_in(self.service, viewer["email"])
        run = self.run_of(agent, says("", call("payroll_runs_list")), says("No."), client=client)
        self.assertEqual([step["error"]["code"] for step in run["steps"]], ["FORBIDDEN"])
        self.assertEqual(run["status"], "completed")

    def test_a_call_that_waits_for_a_person(self):
        """Once it is let, the model is told what came of it; after a rejection it is asked nothing more."""
        approver = people.take_token(self.service, people.make_user(self.service, role="admin")["email"])
        agent, facility = self.agent(), self.service.demo["facilityIds"][0]
        for decision, status, asked in (("approve", "completed", 2), ("reject", "rejected", 1)):
            shift = self.check(self.owner.post("/api/shifts", {"facilityId": facility, "title": "Asked for", "date": "2031-07-01",
                                                               "startTime": "08:00", "endTime": "16:00"}), 201)["id"]
            self.model.asked.clear()
            self.model.turns[:] = [says("", call("shifts_cancel", {"shiftId": shift, "reason": "Closed"})), says("It is done.")]
            waits = self.check(self.owner.post(f"{AGENTS}/{agent['id']}/runs", {"wait": 55}), 200)
            self.assertEqual((waits["status"], len(self.model.asked)), ("pending_approval", 1), waits)
            self.check(approver.post(f"/api/approvals/{waits['approvalId']}/{decision}"), 200)
            path = f"{AGENTS}/{agent['id']}/runs/{waits['id']}"
            support.wait_until(lambda: self.check(self.owner.get(path), 200)["status"] in ENDED, RUN_SECONDS, "the run has ended")
            run = self.check(self.owner.get(path), 200)
            self.assertEqual((run["status"], len(self.model.asked)), (status, asked), run)
            self.assertEqual(run["output"], "It is done." if decision == "approve" else None)
            if decision == "approve":
                (tool, content, is_error), = self.model.asked[1]["results"]
                self.assertEqual((tool, content["id"], content["status"], is_error), ("shifts_cancel", shift, "cancelled", False))

    def test_it_ends_within_its_limits(self):
        turn = says("", call("facilities_list"), tokens=(900, 100))
        for limits, code in (({"maxSteps": 3}, "LIMIT_EXCEEDED"), ({"maxToolCalls": 2}, "LIMIT_EXCEEDED"), ({"maxTokens": 2_500}, "LIMIT_EXCEEDED")):
            run = self.run_of(self.agent(limits=limits), *[turn] * 60)
            self.assertEqual((run["status"], run["error"]["code"]), ("failed", code), limits)
            self.assertLessEqual(len(self.model.asked), 4)
            self.model.asked.clear()

    def test_a_provider_that_recovers(self):
        for wrong in (Reply(429, b"{}", (("Retry-After", "1"),)), Reply(500), Reply(529), Reply(200, b"data: {garbage\n\n"), Reply(200), CUT):
            run = self.run_of(self.agent(), wrong, wrong, says("Third time."))
            self.assertEqual((run["status"], run["output"]), ("completed", "Third time."), wrong)

    def test_a_provider_that_does_not(self):
        refused = Reply(400, b'{"error":{"message":"sk-1 is spent","type":"no_credit_left"}}')
        for wrong, asked in ((Reply(429), 3), (Reply(503), 3), (Reply(200, b"<html>"), 3), (refused, 1), (Reply(401), 1)):
            self.model.asked.clear()
            run = self.run_of(self.agent(), *[wrong] * 5)
            self.assertEqual((run["status"], run["error"]["code"], len(self.model.asked)), ("failed", "LLM_ERROR", asked), wrong)
        run = self.run_of(self.agent(), refused)
        self.assertIn("no_credit_left", run["error"]["message"])
        self.assertNotIn("sk-1", run["error"]["message"])

    def test_a_provider_that_hangs(self):
        run = self.run_of(self.agent(), SLOW, SLOW, says("Late."))
        self.assertEqual((run["status"], run["output"]), ("completed", "Late."))
        run = self.run_of(self.agent(limits={"timeoutSeconds": 5}), SLOW, SLOW, SLOW, SLOW)
        self.assertEqual(run["status"], "failed")
        self.assertIn(run["error"]["code"], ("LLM_ERROR", "RUN_TIMEOUT"))

    def test_the_sandbox_asks_no_model(self):
        sandbox = people.sign_in(self.service, people.make_user(self.service, role="admin")["email"])
        sandbox.always = {"Service-Sandbox": "true"}
        facility = self.service.demo["facilityIds"][0]
        made = sandbox.post(BUILDER, {"name": "Sandboxed", "executor": "llm", "allowedTools": ["*"], "facilityId": facility})
        run = self.run_of(self.check(made, 201), says("Never."), client=sandbox)
        self.assertEqual((run["status"], run["error"]["code"], self.model.asked), ("failed", "LLM_ERROR", []))

    def test_nothing_of_it_is_in_clear(self):
        secret = "Quasthoff81726354"
        turn = says(f"About {secret}", call("staff_list", {"q": secret}), call(f"ask_{secret}"))
        run = self.run_of(self.agent(), turn, says("Done."), input={"who": secret})
        self.assertEqual(run["status"], "completed")
        events = [json.loads(body) for _, _, body in self.service.log_records()]
        turns = [event["data"] for event in events if event["type"] == "agent_run.turn_finished" and event["subject"] == f"agent_run/{run['id']}"]
        self.assertEqual([(each["model"], each["agentVersion"]) for each in turns], [(llm.MODEL, 1)] * 2)
        self.service.wait_projected()
        self.assertFalse(any(self.service.log_text_hits([secret]).values()))


class OpenAiTest(Llm, rest.RestCase):
    WIRE = "openai"

    def test_arguments_that_are_no_json(self):
        run = self.run_of(self.agent(), says("", call("staff_list", raw="{\"q\": "), call("staff_list", raw="[1]"), call("staff_list", raw="")), says("Well."))
        self.assertEqual([(step["status"], step["error"] and step["error"]["code"]) for step in run["steps"]],
                         [("error", "VALIDATION_ERROR"), ("error", "VALIDATION_ERROR"), ("ok", None)])
        self.assertEqual(run["status"], "completed")

    def test_grades_are_as_they_are_configured(self):
        self.assertEqual(self.check(self.owner.get(f"{AGENTS}/model-tiers"), 200), [
            {"tier": "basic", "rank": 1, "equivalence": ["tiny-*", f"{llm.MODEL}-lite"]},
            {"tier": "standard", "rank": 2, "equivalence": [llm.MODEL]},
            {"tier": "advanced", "rank": 3, "equivalence": ["local/large:70b"]}])
        made = json.loads(self.service.command("keys", "create", "--name", "low", "--organization", str(self.service.demo["organizationId"]),
                                               "--scopes", "shifts:read,shifts:write", "--model-tier", "basic"))
        rest.wait_for_key(self.service, made["id"])
        refused = mcp.Client(mcp.url_of(self.service), made["key"]).call("shifts_create", {"title": "Watch"}).error["data"]
        self.assertEqual((refused["code"], refused["tierEquivalence"]), ("TIER_REQUIRED", [llm.MODEL, "local/large:70b"]))


class AnthropicTest(Llm, rest.RestCase):
    WIRE = "anthropic"


class NoProviderTest(rest.RestCase, support.ServiceCase):

    def test_no_agent_has_a_model(self):
        owner = people.owner_of(self.service)
        for sent in (lambda: owner.post(BUILDER, {"name": "P", "executor": "llm", "allowedTools": ["*"]}),
                     lambda: owner.patch(f"{BUILDER}/{scripted['id']}", {"executor": "llm"})):
            scripted = self.check(owner.post(BUILDER, {"name": f"S {sent}", "allowedTools": ["*"]}), 201)
            self.check_fields(sent(), "executor")
