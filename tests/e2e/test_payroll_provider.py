# Payroll runs and their provider: one that answers, refuses, hangs, answers garbage or twice, calls back early, late, forged or not
# at all. Whatever it does, a run is submitted under one key and paid once.

import json
import tempfile
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import approvals
import payroll
import people
import rest
import support
from payroll import RUNS, Provider, call_back
from receiver import SLOW, Reply

NOTIFICATIONS = "/api/notifications"

service = provider = owner = None


def setUpModule():
    global service, provider, owner
    directory = Path(unittest.enterModuleContext(tempfile.TemporaryDirectory()))
    provider = unittest.enterModuleContext(Provider())
    settings = provider.settings(directory) | {"WORKFORCE_PAYROLL_POLL_SECONDS": "3600"}
    service = rest.start_service(settings)
    owner = rest.client_of(service)


class ProviderCase(payroll.PayrollCase):

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.owner, cls.facility = owner, service.demo["facilityIds"][0]

    def setUp(self):
        provider.misbehave.clear()

    def report(self, report, **how):
        return call_back(service.demo["adminUrl"], provider.secret, report, **how)

    def check_reported(self, report, **how):
        status, text = self.report(report, **how)
        self.assertEqual(status, 200, text)
        return json.loads(text)

    def check_paid_once(self, run, attempt=1):
        """All submissions of the attempt had one key and one body, and the log knows of one."""
        key = f"pr_{run['id']}_{attempt}"
        bodies = [body for sent, body in provider.submitted(run) if sent == key]
        self.assertTrue(bodies)
        self.assertTrue(all(body == bodies[0] for body in bodies))
        self.assertEqual(provider.paid_keys(run).count(key), 1)
        self.assertEqual(provider.unsigned, [])
        self.assertEqual(self.types_of(service, run).count("submitted"), 1)


class LifeTest(ProviderCase):

    def test_a_run_is_submitted_and_settled(self):
        run = self.draft(people=3)
        approved = self.approve(run)
        self.assertEqual((approved["status"], approved["externalPayrollId"]), ("processing", provider.external(run)))
        (key, sent), = provider.submitted(run)
        self.assertEqual((key, sent["key"], sent["attempt"]), (f"pr_{run['id']}_1", key, 1))
        self.assertEqual((sent["payrollRunId"], sent["organizationId"], sent["periodStart"], sent["payDate"]),
                         (run["id"], run["organizationId"], run["periodStart"], run["payDate"]))
        made = {each["id"]: each for each in self.payments(run)}
        self.assertEqual({each["paymentId"]: (each["staffId"], each["netAmount"], sent["currency"]) for each in sent["payments"]},
                         {each: (row["staffId"], row["netAmount"], row["currency"]) for each, row in made.items()})
        self.assertEqual({row["status"] for row in made.values()}, {"processing"})
        self.assertNotIn("example.test", json.dumps(sent), "names and addresses stay here")

        self.check_reported(provider.report_of(run, fail=run["people"][:1]))
        settled = self.until(run, "partially_paid")
        self.assertEqual(settled["externalPayrollId"], provider.external(run))
        told = {each["staffId"]: each for each in self.payments(run)}
        for person in run["people"]:
            paid = person != run["people"][0]
            found = told[person]
            self.assertEqual((found["status"], found["externalPaymentId"], found["failureReason"]),
                             ("paid", f"pay_{found['id']}", "") if paid else ("failed", None, "The account is closed."))
        self.check_logs(run, ["approved", "paid", "paid"])
        self.check_paid_once(run)

    def test_a_whole_run_that_fails_can_be_approved_again(self):
        run = self.draft()
        self.approve(run)
        self.check_reported({"externalPayrollId": provider.external(run), "status": "failed", "payments": []})
        self.until(run, "failed")
        self.assertEqual({each["status"] for each in self.payments(run)}, {"failed"})
        self.check_logs(run, ["approved"] * 2)
        self.approve(run)
        self.assertEqual(provider.paid_keys(run), [f"pr_{run['id']}_{attempt}" for attempt in (1, 2)])
        self.check_reported(provider.report_of(run, attempt=2))
        self.until(run, "paid")
        self.check_logs(run, ["paid"] * 2)
        # What comes late of the first attempt is nothing.
        self.check_reported(provider.report_of(run, attempt=1, fail=run["people"]))
        self.assertEqual({each["status"] for each in self.payments(run)}, {"paid"})

    def test_approved_twice_at_once(self):
        run = self.draft()
        with ThreadPoolExecutor(4) as pool:
            answers = list(pool.map(lambda _: owner.post(f"{RUNS}/{run['id']}/approve"), range(4)))
        self.assertEqual(sorted(answer.status for answer in answers), [200, 409, 409, 409])
        self.check_refused(owner.post(f"{RUNS}/{run['id']}/approve"), 409, "INVALID_STATE_TRANSITION")
        self.assertEqual(len(provider.submitted(run)), 1)
        self.check_paid_once(run)

    def test_a_retry_gets_the_first_answer(self):
        run, key = self.draft(), {"Idempotency-Key": "approve once"}
        first = owner.post(f"{RUNS}/{run['id']}/approve", headers=key)
        again = owner.post(f"{RUNS}/{run['id']}/approve", headers=key)
        self.assertEqual((again.status, again.body, again.headers["Idempotency-Replayed"]),
                         (200, self.check(first, 200), "true"))
        self.assertEqual(first.headers["ETag"], owner.get(f"{RUNS}/{run['id']}").headers["ETag"])
        self.check_paid_once(run)

    def test_a_run_that_is_processing_is_cancelled_if_the_provider_can(self):
        run = self.draft()
        self.approve(run)
        self.assertEqual(self.check(owner.post(f"{RUNS}/{run['id']}/cancel"), 200)["status"], "cancelled")
        self.assertEqual({each["status"] for each in self.payments(run)}, {"cancelled"})
        for answer, status, code in ((Reply(409), 409, "INVALID_STATE_TRANSITION"), (Reply(500), 502, "UPSTREAM_ERROR"),
                                     (SLOW, 504, "UPSTREAM_TIMEOUT")):
            with self.subTest(answer=answer):
                other = self.draft()
                self.approve(other)
                provider.cancels[provider.external(other)] = answer
                self.check_refused(owner.post(f"{RUNS}/{other['id']}/cancel"), status, code)
                self.assertEqual(self.run_of(other)["status"], "processing")

    def test_what_the_provider_cancels(self):
        """One that it has not begun to pay is cancelled; of one that it has begun, what it has not paid failed."""
        run = self.draft()
        self.approve(run)
        self.check_reported({"externalPayrollId": provider.external(run), "status": "cancelled", "payments": []})
        self.until(run, "cancelled")
        self.check_logs(run, ["approved"] * 2)
        begun = self.draft(people=3)
        self.approve(begun)
        whole = provider.report_of(begun)
        self.check_reported(whole | {"status": "processing", "payments": whole["payments"][:1]})
        self.until_paid(begun, 1)
        self.check_refused(owner.post(f"{RUNS}/{begun['id']}/cancel"), 409, "INVALID_STATE_TRANSITION")
        self.check_reported(whole | {"status": "cancelled", "payments": whole["payments"][1:2]})
        self.until(begun, "partially_paid")
        found = [(each["status"], each["failureReason"]) for each in sorted(self.payments(begun), key=lambda each: each["id"])]
        self.assertEqual(found, [("paid", ""), ("paid", ""), ("failed", "The provider cancelled the payment.")])
        self.check_logs(begun, ["paid", "paid", "approved"])
        self.check_paid_once(begun)

    def test_the_sandbox_pays_nobody(self):
        """A sandbox key's run settles by itself; the provider hears nothing of it, and no live row changes."""
        scopes = owner.get("/api/auth/me").body["scopes"]
        tester = owner.with_key(rest.make_key(service, scopes, kind="test", facility=self.facility)[1])
        live = self.draft()
        self.approve(live)
        before, heard = self.run_of(live), len(provider.requests())
        run = self.draft(emails=["ada+fail@example.test"], client=tester)
        self.assertEqual(self.approve(run, client=tester)["externalPayrollId"], f"sim_pr_{run['id']}")
        self.until(run, "partially_paid", client=tester)
        by_person = {each["staffId"]: each["status"] for each in self.payments(run, tester)}
        self.assertEqual([by_person[person] for person in run["people"]], ["failed", "paid"])
        self.assertEqual((self.run_of(live), len(provider.requests())), (before, heard))
        self.check_refused(owner.get(f"{RUNS}/{run['id']}"), 404, "NOT_FOUND")
        # A report about it is nobody's.
        payments = [{"paymentId": each["id"], "status": "failed"} for each in self.payments(run, tester)]
        self.check_reported({"externalPayrollId": f"sim_pr_{run['id']}", "status": "failed", "payments": payments})
        self.assertEqual(self.run_of(run, tester)["status"], "partially_paid")


class RefusalTest(ProviderCase):

    def test_a_refusal_is_told_to_whom_it_concerns(self):
        maker, approver = (people.sign_in(service, people.make_user(service, role="admin")["email"]) for _ in range(2))
        run = self.draft(client=maker)
        provider.refusals[run["id"]] = "The company's account is empty."
        answer = approver.post(f"{RUNS}/{run['id']}/approve", headers={"Idempotency-Key": "refused"})
        self.check_refused(answer, 502, "UPSTREAM_ERROR")
        service.wait_projected()
        failed = self.run_of(run)
        self.assertEqual((failed["status"], failed["externalPayrollId"], failed["failureReason"]),
                         ("failed", None, "The company's account is empty."))
        again = approver.post(f"{RUNS}/{run['id']}/approve", headers={"Idempotency-Key": "refused"})
        self.check_refused(again, 502, "UPSTREAM_ERROR")
        self.assertEqual(len(provider.submitted(run)), 1, "a retry of the request is no other attempt")
        for person in (maker, approver):
            support.wait_until(lambda one=person: [
                each for each in one.get(NOTIFICATIONS).body["data"]
                if (each["type"], each["resource"]) == ("payroll_failed", f"payroll_run:{run['id']}")], payroll.WAIT_SECONDS,
                "whoever made or approved it hears that it failed")
        del provider.refusals[run["id"]]
        self.assertEqual(self.check(approver.post(f"{RUNS}/{run['id']}/approve"), 200)["status"], "processing")
        self.assertEqual([key for key, _ in provider.submitted(run)], [f"pr_{run['id']}_{attempt}" for attempt in (1, 2)])
        self.assertNotIn("submitted", self.types_of(service, run)[:-1], "of a refusal subscribers hear nothing")

    def test_each_status_that_refuses(self):
        for status in (400, 402, 413, 422):
            with self.subTest(status=status):
                run = self.draft(people=1)
                provider.misbehave.append(lambda *_, status=status: Reply(status, b"no"))
                self.check_refused(owner.post(f"{RUNS}/{run['id']}/approve"), 502, "UPSTREAM_ERROR")
                service.wait_projected()
                self.assertEqual(self.run_of(run)["failureReason"], f"The provider answered {status}.")


class UnknownOutcomeTest(ProviderCase):
    """Answers that say nothing: the run goes to the provider again, under the same key."""

    def until_submitted(self, run):
        """Returns once the provider is known to have the run, with no pauses between attempts."""
        def submitted():
            # Those that wait, and not those that are claimed, for 20 seconds.
            service.postgres.psql("UPDATE reactor.payroll_work SET due_at = now() WHERE due_at < now() + interval '9 seconds'")
            return self.run_of(run)["externalPayrollId"]
        support.wait_until(submitted, payroll.WAIT_SECONDS, "the reactor goes on")

    def check_goes_on(self, run, tries=2):
        self.until_submitted(run)
        self.assertGreaterEqual(len(provider.submitted(run)), tries)
        self.check_paid_once(run)

    def test_garbage(self):
        for garbage in (Reply(200, b"<html>fine</html>"), Reply(200, b'{"externalPayrollId":5}'), Reply(200, b'{"externalPayrollId":""}'),
                        Reply(200, b"{}"), Reply(204), Reply(302, headers=(("Location", "/elsewhere"),)), Reply(401), Reply(404), Reply(500),
                        Reply(503), Reply(200, b'{"externalPayrollId":"half"}' + b" " * 1000, cut=True)):
            with self.subTest(garbage=garbage):
                run = self.draft(people=1)
                provider.misbehave.append(lambda *_, garbage=garbage: garbage)
                self.approve(run)
                self.check_goes_on(run)

    def test_it_hangs(self):
        run = self.draft()
        provider.misbehave.append(lambda *_: Reply(200, b"{}", wait=3600))
        began = time.monotonic()
        approved = self.approve(run)
        self.assertEqual((approved["status"], approved["externalPayrollId"]), ("processing", None))
        self.assertGreater(time.monotonic() - began, 5, "it was waited for")
        self.check_goes_on(run)

    def test_it_answers_twice(self):
        """Once lost on the way, and then as another run: the first that the log knows stays, whatever is called back."""
        run = self.draft()
        provider.misbehave += [lambda *_: Reply(500), lambda *_: payroll.accepted("first")]
        self.approve(run)
        support.wait_until(lambda: self.run_of(run)["externalPayrollId"] == "first", payroll.WAIT_SECONDS, "it is submitted")
        self.check_reported(provider.report_of(run))  # under the id that nobody heard of
        self.check_reported(provider.report_of(run) | {"externalPayrollId": "first"})
        self.assertEqual(self.until(run, "paid")["externalPayrollId"], "first")
        self.check_paid_once(run)

    def test_it_refuses_what_it_had_taken(self):
        """An answer is lost, and the question that is repeated is refused: what the provider has under the key is the truth."""
        run = self.draft()
        key = f"pr_{run['id']}_1"
        provider.searches[key] = [Reply(500), Reply(200, b"[]")]
        provider.misbehave += [lambda *_: Reply(500)] + [lambda *_: payroll.refused("It is here already.")] * 3
        self.approve(run)
        self.until_submitted(run)
        self.assertEqual(self.run_of(run)["externalPayrollId"], provider.external(run))
        self.assertEqual(provider.searches[key], [], "what says nothing is asked again")
        self.check_reported(provider.report_of(run))
        self.until(run, "paid")
        self.check_paid_once(run)

    def test_it_refuses_what_it_had_not_taken(self):
        run = self.draft()
        provider.refusals[run["id"]] = "The company's account is empty."
        provider.misbehave.append(lambda *_: Reply(503))
        answer = owner.post(f"{RUNS}/{run['id']}/approve")
        self.check_refused(answer, 502, "UPSTREAM_ERROR")
        self.assertEqual(self.run_of(run)["failureReason"], "The company's account is empty.")
        asked = [request.path for request in provider.requests() if "key=" in request.path]
        self.assertIn(f"/payroll?key=pr_{run['id']}_1", asked)
        self.assertEqual(provider.paid_keys(run), [])

    def test_it_calls_back_before_its_own_answer(self):
        run, told = self.draft(), []

        def early(self_, request, answer):
            external = json.loads(answer.body)["externalPayrollId"]
            payments = [{"paymentId": each["paymentId"], "status": "paid", "externalPaymentId": "early"}
                        for each in json.loads(request.body)["payments"]]
            told.append(self.report({"externalPayrollId": external, "status": "paid", "payments": payments}))
            support.wait_until(lambda: self.run_of(run)["status"] == "paid", payroll.WAIT_SECONDS, "the report is applied")
        provider.misbehave.append(early)
        approved = self.approve(run)
        self.assertEqual(told[0][0], 200, told)
        self.assertEqual(approved["externalPayrollId"], provider.external(run))
        paid = self.until(run, "paid")
        self.assertEqual(paid["externalPayrollId"], provider.external(run))
        self.assertEqual({each["externalPaymentId"] for each in self.payments(run)}, {"early"})
        self.check_paid_once(run)


class ApprovalTest(ProviderCase):
    """A call that waited for a person, of whose run the provider says nothing for some time."""

    def test_an_approval_tells_what_the_provider_said_in_the_end(self):
        admin = people.make_user(service, role="admin")
        session = people.sign_in(service, admin["email"])
        agent = approvals.Agent(service, ["payroll:run"], admin["id"])
        rest.wait_for_key(service, agent.id)
        for refusal in (None, "The account has no money."):
            with self.subTest(refusal=refusal), ThreadPoolExecutor(1) as pool:
                run = self.draft()
                approval = agent.defer("payroll_runs_approve", runId=run["id"])
                provider.refusals |= {run["id"]: refusal} if refusal else {}
                provider.misbehave += [lambda *_: Reply(503)] * 100
                deciding = pool.submit(people.sign_in(service, admin["email"]).post, f"{approvals.IN_APP}/{approval}/approve")

                def result():
                    return self.check(session.get(f"{approvals.LIST}/{approval}"), 200)["executionResult"]
                support.wait_until(lambda: service.postgres.psql(
                    f"SELECT 1 FROM reactor.approval_work WHERE approval_id = {approval} AND task = 'execute' AND last_error <> ''"),
                    payroll.WAIT_SECONDS, "whoever carries it out has waited in vain")
                self.assertIsNone(result())
                provider.misbehave.clear()
                deciding.result()
                done = support.wait_until(result, payroll.WAIT_SECONDS, "the provider answered")
                self.assertEqual(done["success"], refusal is None, done)
                if refusal:
                    self.assertTrue(done["error"].startswith("UPSTREAM_ERROR: "), done)
                    self.assertIn(refusal, done["error"])
                else:
                    self.assertEqual(done["result"]["externalPayrollId"], provider.external(run))
                    self.check_paid_once(run)


class ReportTest(ProviderCase):
    """What comes to the callback."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        case = cls()
        cls.run_ = case.draft(people=3)
        case.approve(cls.run_)

    def wait_applied(self, run):
        waiting = f"SELECT count(*) FROM reactor.payroll_callback WHERE report IS NOT NULL AND external_id = '{provider.external(run)}'"
        support.wait_until(lambda: service.postgres.value(waiting) == "0", payroll.WAIT_SECONDS, "the reports are applied")

    def check_untouched(self):
        self.assertEqual(self.run_of(self.run_)["status"], "processing")
        self.assertEqual({each["status"] for each in self.payments(self.run_)}, {"processing"})

    def test_forged_and_old_ones(self):
        report, now = provider.report_of(self.run_), time.time()
        body = json.dumps(report).encode()
        for name, how in {
                "another secret": {"headers": {"webhook-signature": payroll.sign(payroll.new_secret(), body, "m", now)}, "message": "m"},
                "another body": {"headers": {"webhook-signature": payroll.sign(provider.secret, b"{}", "m", now)}, "message": "m"},
                "another id": {"headers": {"webhook-id": "n"}, "message": "m"},
                "another time": {"headers": {"webhook-timestamp": str(int(now) + 1)}, "at": now},
                "another version": {"headers": {"webhook-signature": payroll.sign(provider.secret, body, "m", now).replace("v1", "v2")},
                                    "message": "m", "at": now},
                "none": {"headers": {"webhook-signature": ""}}, "no id": {"headers": {"webhook-id": ""}},
                "no time": {"headers": {"webhook-timestamp": "soon"}},
                "six minutes old": {"at": now - 360}, "of the future": {"at": now + 360}}.items():
            with self.subTest(name):
                status, text = self.report(report, **how)
                self.assertEqual((status, json.loads(text)["error"]["code"]), (401, "UNAUTHENTICATED"))
        self.check_untouched()
        for at in (now - 240, now + 240):  # clocks differ
            unknown = {"externalPayrollId": "nobody's", "status": "processing", "payments": []}
            self.check_reported(unknown, at=at)

    def test_garbage(self):
        many = [{"paymentId": 1, "status": "paid"}] * 10_001
        for raw in (b"", b"[]", b"not json", b'{"externalPayrollId":"x"}', b'{"externalPayrollId":"x","status":"maybe"}',
                    b'{"externalPayrollId":"","status":"paid"}', b'{"externalPayrollId":"x","status":"paid","payments":[{}]}',
                    b'{"externalPayrollId":"x","status":"paid","payments":[{"paymentId":1,"status":7}]}',
                    b'{"externalPayrollId":"x","externalPayrollId":"y","status":"paid"}',
                    json.dumps({"externalPayrollId": "x", "status": "paid", "payments": many}, separators=(",", ":")).encode()):
            with self.subTest(raw=raw[:80]):
                status, text = self.report(None, raw=raw)
                self.assertEqual((status, json.loads(text)["error"]["code"]), (400, "VALIDATION_ERROR"), text[:500])
        self.assertEqual(self.report(None, raw=b" " * (1 << 20))[0], 413)
        self.check_untouched()

    def test_payments_of_others(self):
        """A report that names payments of another run changes neither."""
        other = self.draft()
        self.approve(other)
        report = provider.report_of(other) | {"externalPayrollId": provider.external(self.run_)}
        self.check_reported(report)
        service.wait_projected()
        self.check_untouched()
        self.assertEqual(self.run_of(other)["status"], "processing")

    def test_what_is_no_payment_of_the_run_holds_up_nothing(self):
        """Payments of others, and those that are said to be what nobody knows, count for nothing, and all others do."""
        run, other = self.draft(people=3), self.draft(people=1)
        self.approve(run)
        self.approve(other)
        whole, foreign = provider.report_of(run), provider.report_of(other)["payments"][0]
        first, *rest = whole["payments"]
        beyond = rest[-1] | {"paymentId": rest[-1]["paymentId"] + 1}
        number = "workforce_payroll_payments_passed_over_total"
        before, written = service.metrics()[number], service.log_size()
        self.check_reported(whole | {"status": "partially_paid", "payments": [foreign, first | {"status": "returned"}, beyond, *rest]})
        self.until_paid(run, 2)
        self.assertEqual([each["status"] for each in self.payments(run) if each["id"] == first["paymentId"]], ["processing"])
        self.assertEqual(self.run_of(other)["status"], "processing")
        self.assertEqual(service.metrics()[number] - before, 3)
        told = [json.loads(line)["payments"] for line in service.log_from(written).splitlines() if "are passed over" in line]
        self.assertEqual(told, [f"not of the run: 2: {foreign['paymentId']}, {beyond['paymentId']}",
                                f"their status is unknown: 1: {first['paymentId']}"])
        self.check_reported(whole | {"status": "processing", "payments": [first]})
        self.until(run, "paid")
        self.check_paid_once(run)

    def test_a_run_is_not_paid_by_a_status_that_nobody_knows(self):
        run = self.draft()
        self.approve(run)
        whole = provider.report_of(run)
        self.check_reported(whole | {"payments": [each | {"status": "settling"} for each in whole["payments"]]})
        self.wait_applied(run)
        self.assertEqual({each["status"] for each in self.payments(run)}, {"processing"})
        self.check_reported(whole)
        self.until(run, "paid")

    def test_one_that_comes_again_counts_once(self):
        run = self.draft(people=2)
        self.approve(run)
        report = provider.report_of(run, fail=run["people"])
        self.assertNotIn("repeated", self.check_reported(report, message="msg_again"))
        self.until(run, "failed")
        self.approve(run)  # another attempt
        self.assertTrue(self.check_reported(report, message="msg_again")["repeated"])
        self.assertEqual(self.run_of(run)["status"], "processing")

    def test_payments_that_are_under_way_are_not_settled_by_the_runs_status(self):
        run = self.draft()
        self.approve(run)
        whole = provider.report_of(run)
        under_way = [{"paymentId": each["paymentId"], "status": "processing"} for each in whole["payments"]]
        for status in ("paid", "failed", "cancelled"):
            self.check_reported(whole | {"status": status, "payments": under_way})
        self.wait_applied(run)
        self.assertEqual({each["status"] for each in self.payments(run)}, {"processing"})
        self.check_reported(whole)
        self.until(run, "paid")
        self.check_paid_once(run)

    def test_in_parts(self):
        run = self.draft(people=3)
        self.approve(run)
        whole = provider.report_of(run)
        self.check_reported(whole | {"status": "processing", "payments": whole["payments"][:1]})
        self.until_paid(run, 1)
        self.assertEqual(self.run_of(run)["status"], "processing")
        self.check_reported(whole | {"payments": whole["payments"][:2]})
        self.check_reported(whole | {"payments": whole["payments"][2:]})
        self.until(run, "paid")
        self.check_paid_once(run)


if __name__ == "__main__":
    unittest.main()
