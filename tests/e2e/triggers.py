# What suites of triggers share: agents whose runs do little, triggers, and events that they see.

import itertools

import rest
import support

BUILDER = "/api/agent-builder"
RUN_SECONDS = 120
PLAN = [{"id": "open", "tool": "shifts_list", "arguments": {"status": "open", "limit": 1}}]
FAILING = [{"id": "none", "tool": "shifts_get", "arguments": {"shiftId": 999999999}}]
SHIFT = {"title": "Night", "date": "2031-03-03", "startTime": "08:00", "endTime": "16:00"}


class TriggerCase(rest.RestCase):
    """Uses cls.admin, a client of the customer's admin, and cls.facility."""

    admin = facility = service = None
    numbers = itertools.count()

    def agent(self, plan=None, **fields):
        body = {"name": f"Agent {next(self.numbers)}", "allowedTools": ["*"], "plan": PLAN if plan is None else plan}
        return self.check(self.admin.post(BUILDER, body | fields), 201)

    def where(self, trigger, *parts):
        return "/".join([BUILDER, str(trigger["agentId"]), "triggers", str(trigger["id"]), *parts])

    def trigger(self, agent, **fields):
        body = {"name": "Each morning", "type": "schedule", "cron": "0 9 * * *"} if "eventType" not in fields else {
            "name": "New shifts", "type": "event"}
        return self.check(self.admin.post(f"{BUILDER}/{agent['id']}/triggers", body | fields), 201)

    def read(self, trigger):
        return self.check(self.admin.get(self.where(trigger)), 200)

    def post_shift(self, client=None, **fields):
        body = SHIFT | {"facilityId": self.facility} | fields
        return self.check((client or self.admin).post("/api/shifts", body), 201)

    def runs(self, trigger):
        path = f"/api/agents/{trigger['agentId']}/runs"
        return [run for page in rest.pages(self.admin, path, triggerId=trigger["id"], limit=200) for run in page]

    def until_runs(self, trigger, count):
        """Its runs, once there are so many."""
        support.wait_until(lambda: len(self.runs(trigger)) >= count, RUN_SECONDS, f"{count} runs of trigger {trigger['id']}")
        return self.runs(trigger)

    def until(self, trigger, **fields):
        """The trigger, once it is so."""
        support.wait_until(lambda: fields.items() <= self.read(trigger).items(), RUN_SECONDS, f"trigger {trigger['id']} is {fields}")
        return self.read(trigger)

    def events(self, kind, service=None):
        """The events of triggers of that type, from the log."""
        return [event for event in support.logged_events(service or self.service) if event["type"] == f"trigger.{kind}"]

    def settle(self, service=None):
        """Returns once all that the log has so far was seen, and what is to be done for it is done."""
        service = service or self.service
        heads = service.heads()

        def done():
            folded = {partition: int(position) for partition, position in service.postgres.psql(
                "SELECT partition, position FROM reactor.checkpoint WHERE projection = 'triggers'")}
            return (all(folded.get(partition, -1) >= head for partition, head in heads.items())
                    and service.postgres.value("SELECT count(*) FROM reactor.trigger_work") == "0")
        support.wait_until(done, RUN_SECONDS, "triggers have seen everything")
        service.wait_projected()
