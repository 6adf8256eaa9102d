# Payroll from the client's side: a run from clock-in to the provider, what a run takes and holds, what people get of it, who sees what,
# and what is left once a person is forgotten.

import datetime
import json
import secrets

import mcp
import people
import rest
import support
import webhooks

RUNS, PAYMENTS, TIMESHEETS, STAFF = "/api/payroll/runs", "/api/payroll/payments", "/api/timesheets", "/api/staff"
FIELDS = {"id", "organizationId", "facilityId", "currency", "periodStart", "periodEnd", "payDate", "type", "status", "externalPayrollId",
          "approvedBy", "approvedAt", "failureReason", "timesheetIds", "timesheetCount", "adjustments", "totals", "createdAt",
          "updatedAt"}
PAYMENT = {"id", "organizationId", "staffId", "grossAmount", "adjustmentAmount", "netAmount", "regularMinutes", "overtimeMinutes",
           "payrollRunId", "facilityId", "currency", "method", "createdAt", "status", "externalPaymentId", "failureReason", "paidAt", "updatedAt"}
service = receiving = owner = None


def setUpModule():
    global service, receiving, owner
    service, receiving, _ = webhooks.start()
    owner = rest.client_of(service)


def made(path, body):
    answer = owner.post(path, body)
    assert answer.status == 201, str(answer)
    return answer.body["id"]


def house():
    return made("/api/facilities", {"name": secrets.token_hex(8), "timezone": "Etc/UTC"})


def hire(*facilities, rate=20):
    return made(STAFF, {"firstName": "Ada", "lastName": "Byron", "facilityIds": list(facilities), "hourlyRate": rate,
                        "email": f"{secrets.token_hex(6)}@example.test"})


def worked(staff, place, day, hours=8, approve=True):
    """An approved log."""
    log = made(TIMESHEETS, {"staffId": staff, "facilityId": place, "clockIn": f"2026-03-{day:02}T06:00:00Z",
                            "clockOut": f"2026-03-{day:02}T{6 + hours:02}:00:00Z"})
    if approve:
        answer = owner.post(f"{TIMESHEETS}/{log}/approve")
        assert answer.status == 200, str(answer)
    return log


def march(place, **fields):
    return {"facilityId": place, "periodStart": "2026-03-02", "periodEnd": "2026-03-08"} | fields


def where(run):
    return f"{RUNS}/{run['id']}"


class WeekTest(webhooks.WebhookCase):

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.service, cls.receiving, cls.owner = service, receiving, owner

    def test_a_week_is_paid(self):
        """A nurse clocks in and out, the manager approves and draws up a run, looks at it, has it paid."""
        place = house()
        person, other = hire(place, rate=31), hire(place, rate=17.5)
        nurse = people.sign_in(service, people.make_user(service, role="staff", staffId=person)["email"])
        log = self.check(nurse.post(f"{TIMESHEETS}/clock-in", {"facilityId": place}), 201)
        begins = webhooks.moment(log["clockIn"]) - datetime.timedelta(hours=2)
        self.check(nurse.patch(f"{TIMESHEETS}/{log['id']}", {"clockIn": str(begins).replace(" ", "T")}), 200)
        log = self.check(nurse.post(f"{TIMESHEETS}/{log['id']}/clock-out", {}), 200)
        log = self.check(owner.post(f"{TIMESHEETS}/{log['id']}/approve"), 200)
        body = {"facilityId": place, "periodStart": log["date"], "periodEnd": log["date"],
                "adjustments": [{"staffId": other, "kind": "reimbursement", "amount": 12.34, "note": "Parking"}]}
        answer = owner.post(RUNS, body)
        draft = self.check(answer, 201)
        self.assertEqual(set(draft), FIELDS)
        self.assertEqual(answer.headers["Location"], where(draft))
        gross = log["grossAmount"]
        self.assertEqual((draft["status"], draft["timesheetIds"], draft["timesheetCount"]), ("draft", [log["id"]], 1))
        self.assertEqual(draft["totals"], {"staffCount": 2, "regularMinutes": log["workedMinutes"], "overtimeMinutes": 0,
                                           "grossAmount": gross, "adjustmentAmount": 12.34, "netAmount": round(gross + 12.34, 2)})
        self.assertEqual(self.check(owner.get(where(draft)), 200), draft)
        expected = self.check(owner.get(f"{where(draft)}/preview"), 200)
        self.assertEqual({name: expected[name] for name in FIELDS}, draft)
        self.assertEqual([(each["staffId"], each["netAmount"], each["status"]) for each in expected["payments"]],
                         sorted([(person, gross, "pending"), (other, 12.34, "pending")]))
        for refused in (owner.post(f"{TIMESHEETS}/{log['id']}/unapprove"), owner.post(f"{TIMESHEETS}/{log['id']}/void")):
            self.assertEqual(self.check_refused(refused, 409, "TIMESHEET_LOCKED"), {"timesheetIds": [log["id"]]})

        hook = self.subscribe(events=["payroll_completed"])
        approved = self.check(owner.post(f"{where(draft)}/approve"), 200)
        self.assertEqual((approved["status"], approved["totals"]), ("processing", draft["totals"]))
        told = json.loads(self.arrived(hook)[0].body)
        self.assertEqual((told["type"], told["data"]), ("payroll_completed", {
            "payrollRunId": draft["id"], "externalPayrollId": approved["externalPayrollId"], "status": "processing"}))
        self.check_refused(owner.post(f"{where(draft)}/approve"), 409, "INVALID_STATE_TRANSITION")
        support.wait_until(lambda: owner.get(where(draft)).body["status"] == "paid", 60, "the simulated provider pays it")
        service.wait_projected()
        paid = self.check(owner.get(PAYMENTS, payrollRunId=draft["id"]), 200)["data"]
        self.assertEqual([each["status"] for each in paid], ["paid", "paid"])
        self.assertEqual(self.check(owner.get(f"{TIMESHEETS}/{log['id']}"), 200)["status"], "paid")
        self.assertEqual([set(each) for each in paid], [PAYMENT, PAYMENT])
        self.assertEqual([(each["staffId"], each["netAmount"], each["facilityId"]) for each in paid],
                         sorted([(person, gross, place), (other, 12.34, place)]))
        self.assertEqual(self.check(owner.get(f"{PAYMENTS}/{paid[0]['id']}"), 200), paid[0])
        own = self.check(nurse.get(PAYMENTS), 200)["data"]
        self.assertEqual([each["staffId"] for each in own], [person], "one's own alone")
        self.check_refused(nurse.get(where(draft)), 403, "FORBIDDEN")


class RulesTest(rest.RestCase):

    def test_a_run_takes_what_is_approved(self):
        place = house()
        person = hire(place)
        logs = [worked(person, place, day) for day in (2, 3, 8)]
        worked(person, place, 1), worked(person, place, 9), worked(person, place, 4, approve=False)
        run = self.check(owner.post(RUNS, march(place)), 201)
        self.assertEqual(run["timesheetIds"], logs)
        self.assertEqual(run["totals"]["grossAmount"], 480)
        self.assertEqual(self.check_refused(owner.post(RUNS, march(place)), 409, "PAYROLL_OVERLAP"), {"payrollRunId": run["id"]})
        held = self.check(owner.get(TIMESHEETS, payrollRunId=run["id"], sort="clockIn"), 200)["data"]
        self.assertEqual([log["id"] for log in held], logs)
        extra = march(place, type="off_cycle")
        self.assertEqual(self.check(owner.post(RUNS, extra), 201)["timesheetCount"], 0, "what one run holds is not another's")
        taken = owner.post(RUNS, extra | {"timesheetIds": logs[:1]})
        self.assertEqual(self.check_refused(taken, 409, "TIMESHEET_LOCKED"), {"timesheetIds": logs[:1]})
        self.check(owner.delete(where(run)), 204)
        self.check_refused(owner.get(where(run)), 404, "NOT_FOUND")
        self.assertEqual(self.check(owner.get(TIMESHEETS, payrollRunId=run["id"]), 200)["data"], [])
        self.assertEqual(self.check(owner.post(RUNS, extra | {"timesheetIds": logs[:1]}), 201)["timesheetIds"], logs[:1])

    def test_a_draft_changes(self):
        place = house()
        person = hire(place)
        first, second = worked(person, place, 2), worked(person, place, 3)
        run = self.check(owner.post(RUNS, march(place)), 201)
        self.assertEqual(self.check(owner.put(where(run), run), 200), run)
        fewer = self.check(owner.patch(where(run), {"timesheetIds": [second]}), 200)
        self.assertEqual((fewer["timesheetIds"], fewer["totals"]["grossAmount"]), ([second], 160))
        all_again = self.check(owner.patch(where(run), {"timesheetIds": None, "periodEnd": "2026-03-03"}), 200)
        self.assertEqual((all_again["timesheetIds"], all_again["payDate"]), ([first, second], run["payDate"]))
        self.check_fields(owner.patch(where(run), {"facilityId": None}), "facilityId")
        self.check_fields(owner.patch(where(run), {"adjustments": [{"staffId": person, "kind": "deduction", "amount": 320.01}]}), "adjustments")
        net = self.check(owner.patch(where(run), {"adjustments": [{"staffId": person, "kind": "deduction", "amount": 320}]}), 200)
        self.assertEqual((net["totals"]["adjustmentAmount"], net["totals"]["netAmount"]), (-320, 0))
        self.assertEqual(self.check(owner.post(f"{where(run)}/cancel"), 200)["status"], "cancelled")
        details = self.check_refused(owner.patch(where(run), {"payDate": "2026-04-01"}), 409, "INVALID_STATE_TRANSITION")
        self.assertEqual(details, {"from": "cancelled", "command": "update", "allowed": []})

    def test_a_run_of_many_logs_goes_back_as_it_is_shown(self):
        place = house()
        person = hire(place, rate=0.01)
        logs = [made(TIMESHEETS, {"staffId": person, "facilityId": place, "clockIn": f"2026-03-0{2 + hour // 24}T{hour % 24:02}:00:00Z",
                                  "clockOut": f"2026-03-0{2 + hour // 24}T{hour % 24:02}:30:00Z"}) for hour in range(101)]
        for some in (logs[:100], logs[100:]):
            self.check(owner.post(f"{TIMESHEETS}/approve", {"ids": some}), 200)
        run = self.check(owner.post(RUNS, march(place)), 201)
        self.assertEqual(run["timesheetIds"], logs)
        self.assertEqual(self.check(owner.put(where(run), run), 200), run)
        later = self.check(owner.put(where(run), run | {"payDate": "2026-04-01"}), 200)
        self.assertEqual((later["payDate"], later["timesheetIds"]), ("2026-04-01", logs))
        self.check(owner.delete(where(run)), 204)
        self.assertEqual(self.check(owner.post(RUNS, march(place, timesheetIds=logs)), 201)["timesheetCount"], 101)

    def test_bad_input_names_its_fields(self):
        self.check_fields(owner.post(RUNS, {}), "periodStart", "periodEnd")
        self.check_fields(owner.post(RUNS, march(None, periodEnd="2026-03-01")), "periodEnd")
        self.check_fields(owner.post(RUNS, march(None, periodEnd="2026-05-03")), "periodEnd")
        bad = march(None, type="odd", timesheetIds=[0], adjustments=[{"staffId": 1, "kind": "gift", "amount": 0.001}])
        self.check_fields(owner.post(RUNS, bad), "type", "timesheetIds[0]", "adjustments[0].kind", "adjustments[0].amount")
        self.check_fields(owner.post(RUNS, march(None, timesheetIds=list(range(1, 10_002)))), "timesheetIds")

    def test_tools_draw_up_and_show_runs(self):
        place = house()
        person = hire(place)
        worked(person, place, 2)
        key = people.operator_of(service).post("/api/api-keys", {
            "name": "Payday", "scopes": ["payroll:*"], "modelTier": "advanced", "orgUnitId": service.demo["organizationId"]})
        rest.wait_for_key(service, self.check(key, 201)["id"])
        client = mcp.client_of(service, key.body["key"])
        run = client.call("payroll_runs_create", march(place)).content
        self.assertEqual(run["totals"]["netAmount"], 160)
        self.assertEqual(client.call("payroll_runs_get", {"runId": run["id"]}).content, run)
        listed = client.call("payroll_runs_list", {"facilityId": place, "status": ["draft"]}).content["data"]
        self.assertEqual(listed, [run])
        self.check(owner.post(f"{where(run)}/approve"), 200)
        service.wait_projected()  # by another key
        paid = client.call("payroll_payments_list", {"payrollRunId": run["id"]}).content["data"]
        self.assertEqual([each["staffId"] for each in paid], [person])

    def test_a_forgotten_person_leaves_sums(self):
        place, needle = house(), "".join(secrets.choice("123456789") for _ in range(14))
        person = hire(place)
        worked(person, place, 2)
        key = {"Idempotency-Key": secrets.token_hex(8)}
        body = march(place, adjustments=[{"staffId": person, "kind": "bonus", "amount": 10, "note": f"Quasthoff{needle}"}])
        run = self.check(owner.post(RUNS, body, key), 201)
        self.assertIn(needle, run["adjustments"][0]["note"])
        again = self.check(owner.post(RUNS, body, key), 201)
        self.assertEqual((again["id"], again["adjustments"][0]["note"]), (run["id"], ""), "what is kept for retries has no notes")
        self.check(owner.post(f"{where(run)}/approve"), 200)
        service.wait_projected()
        self.assertFalse(any(service.log_text_hits([needle]).values()), "the log has it sealed")
        service.command("erase", f"staff/{person}", "--reason", "asked for")
        kept = self.check(owner.get(where(run)), 200)
        self.assertEqual((kept["adjustments"][0]["note"], kept["totals"]), ("", run["totals"]))
        service.wait_projected()
        for table in support.tables_of(service.postgres, "read"):
            self.assertEqual(support.clear_text_hits(service.postgres, table, [needle]), [], table)
        told = json.dumps([service.command("tap", "--from", "start", "--until-idle"), owner.get("/api/audit-log", limit=200).text])
        self.assertNotIn(needle, told)
