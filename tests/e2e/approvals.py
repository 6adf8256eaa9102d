# What suites of calls that wait for a person share: keys of agents, and what the log tells of approvals.

import json
import secrets

import mcp
import rest

LIST, IN_APP = "/api/approvals", "/api/ai/actions"


class Agent:
    """A key of a model: what it does with tools, and by REST. `service` is one, or a cluster's `client` is a process of it."""

    def __init__(self, service, scopes, user=None, facility=None, key_type=None, tier="advanced", url=None, mcp_url=None):
        options = ["--name", f"agent {secrets.token_hex(4)}", "--organization", str(service.demo["organizationId"]),
                   "--scopes", ",".join(scopes), "--model-tier", tier]
        options += ["--user", str(user)] if user else []
        options += ["--facility", str(facility)] if facility else []
        options += ["--type", key_type] if key_type else []
        made = json.loads(service.command("keys", "create", *options))
        self.id, self.key = made["id"], made["key"]
        self.rest = rest.Client(url or service.demo["baseUrl"], self.key)
        self.tools = mcp.Client(mcp_url or service.demo["mcpUrl"], self.key)

    def call(self, tool, **arguments):
        return self.tools.request("tools/call", {"name": tool, "arguments": arguments})

    def defer(self, tool="staff_deactivate", headers=None, **arguments):
        """The approval of a call that waits."""
        reply = self.tools.request("tools/call", {"name": tool, "arguments": arguments}, headers=headers)
        content = reply.content
        assert content["status"] == "pending_approval", str(reply)
        return content["approvalId"]


def onboard(client, **fields):
    """A new staff member."""
    made = client.post("/api/staff", {"firstName": "Ada", "lastName": "Byron", "email": f"{secrets.token_hex(8)}@example.test",
                                      **fields})
    assert made.status == 201, str(made)
    return made.body["id"]


def draft_run(client, facility):
    """A payroll run that is to be approved."""
    staff = onboard(client, facilityIds=[facility])

    def send(path, body=None, status=201):
        made = client.post(path, body)
        assert made.status == status, str(made)
        return made.body["id"]
    log = send("/api/timesheets", {"staffId": staff, "facilityId": facility, "clockIn": "2024-03-04T08:00:00Z",
                                   "clockOut": "2024-03-04T16:00:00Z"})
    send(f"/api/timesheets/{log}/approve", status=200)
    return send("/api/payroll/runs", {"periodStart": "2024-03-04", "periodEnd": "2024-03-10", "type": "off_cycle",
                                      "timesheetIds": [log]})


def events_of(service, subject, *options):
    """The events of an aggregate in the log, as the tap shows them."""
    lines = service.command("tap", "--from", "start", "--until-idle", "--aggregate", subject, *options).splitlines()
    return [json.loads(line) for line in lines]
