# What schemas/openapi.json and schemas/events don't say of a resource: a row each, by which test_resources.py runs the contract of
# resources over it. Lists, sorts, filters, bodies and what is sealed are read from there.

import dataclasses
from collections.abc import Callable
from datetime import datetime, timedelta, timezone

OWN, NONE, TWIN = "rows of its own", "no rows", "a twin of each live row"  # what the sandbox has of a resource
# Lists that are no resource's, with where they are tested.
NO_RESOURCES = {"auth.sessions": "test_sign_in", "oauth.grants": "test_oauth", "webhooks.deliveries": "test_webhook_deliveries",
                "billing.outbox": "test_billing", "triggers.list": "test_triggers", "agents.list": "test_agents", "agent_runs.list": "test_agents",
                "agent_runs.list_of_agent": "test_agents", "apps.executions": "test_apps", "messages.list": "test_messaging"}
# Kinds of which something is sealed and that are no list's rows, or that no body makes, with where their erasure is tested.
SEALED_ELSEWHERE = {"app": "test_apps", "agent_run": "test_agents", "message": "test_messaging", "shift_claim": "test_shift_claims"}


@dataclasses.dataclass(frozen=True)
class Resource:
    """A resource whose list is `<name>.list`. In functions `side` is the live data or the sandbox (test_resources.Side), `n` counts
    rows, and `world` is test_resources.World. What a body leaves out of the members that are sorted and filtered by is varied."""

    name: str
    kind: str  # as events and the audit log call it
    body: Callable | None  # (side, n): of the n-th; None: nobody makes it
    texts: Callable | None = None  # (row): what `q` looks through
    change: dict = dataclasses.field(default_factory=dict)  # a body that changes a new row
    count: int = 12  # rows that are made; of those that nobody makes, how many come by themselves
    bulk: str = ""  # the member of a body that makes many at once
    calls: Callable | None = None  # (side, n): the tool, and its arguments, whose call waits as the n-th
    steps: dict = dataclasses.field(default_factory=dict)  # by n: (method, path below the row, body(side)) that follow
    acts: dict = dataclasses.field(default_factory=dict)  # bodies(side) of operations on a row that need one, by name
    by: str = "owner"  # who makes and lists them: a client of the world
    names_organization: bool = False  # `by` acts on any organization, and says on which
    unique: tuple = ()  # sort keys in which no two are equal
    keys: dict = dataclasses.field(default_factory=dict)  # sort keys that are no member: (row)
    # Those that are about no member of their name: values, or (rows) that gives some; and whether a row passes, (world, row, value).
    filters: dict = dataclasses.field(default_factory=dict)
    unset: tuple = ()  # filters by what nothing sets yet
    nested: dict = dataclasses.field(default_factory=dict)  # lists below a staff member: whether it has a row, (row, id)
    seen: Callable | None = None  # (world, row): whether who is bound to `here` sees it; None: nobody bound asks
    own: Callable | None = None  # (world, row): whether the staff member sees it; None: they may not ask
    mine: bool = False  # that person makes some
    makes: Callable | None = None  # (world): makes the rows, where no body does and they do not come by themselves
    sandbox: str = NONE
    holder: str = ""  # the member that names the staff member under whose key what is personal is; else it has a key of its own
    told_by: dict = dataclasses.field(default_factory=dict)  # what is sealed in events and in no body that makes one: act, row's member
    told_elsewhere: frozenset = frozenset()  # what is sealed in its events and is no member of the row: its own suite tries that
    tells_of_others: bool = False  # what is sealed in its events is of several people: its own suite tries that
    shown_once: tuple = ()  # members of the answer that makes it alone
    shortened: tuple = ()  # members that the list, or somebody else, is shown otherwise


def day(ahead):
    return str(datetime.now(timezone.utc).date() + timedelta(days=ahead))


def hour(n, of_day):
    """Each third row at the same time, and later ones before."""
    return f"{day(-1 - n // 3)}T{of_day:02}:00:00Z"


def is_here(world, row):
    return row["facilityId"] == world.here


def sees_person(world, row):
    return not row["facilityIds"] or world.here in row["facilityIds"]


def sees_holder(world, row):
    return sees_person(world, world.people[row["staffId"]])


def may_work(world, row):
    """Shifts that the staff member is on or was called off, and open ones where they work."""
    return (world.staff in row["assignedStaffIds"] or row["id"] == world.live.made["shifts"][8]["id"]
            or (row["status"] == "open" and is_here(world, row)))


def is_ahead(row):
    return row["status"] == "open" and row["endsAt"] > datetime.now(timezone.utc).isoformat()


def assign(person):
    return ("POST", "/assign", lambda side: {"staffId": side.person(person), "override": True, "overrideComment": "Set up"})


def change_places(side, n):
    """A request of two of three people, on shifts of their own days."""
    def on_shift(person, day_of_two):
        shift = {"facilityId": side.facility(n), "title": "Swapped", "date": day(2000 + 2 * n + day_of_two), "startTime": "08:00", "endTime": "12:00",
                 "assignedStaffIds": [person]}
        made = side.client.post("/api/shifts", shift)
        assert made.status == 201, str(made)
        side.made["shifts"].append(made.body)
        return made.body["id"]
    one, other = side.person(n % 3), side.person((n + 1) % 3)
    return {"staffId": one, "shiftId": on_shift(one, 0), "otherStaffId": other, "otherShiftId": on_shift(other, 1)}


def others(side, n):
    """Who takes part besides who begins: a user where there are any, staff, or several."""
    if n % 3 == 0 and side.users[1]:
        return {"participantUserIds": [side.users[1]]}
    return {"participantStaffIds": [side.person(0)] if n % 3 == 1 else [side.person(1), side.person(2)]}


def claims(world):
    """Of three people, where each works, which is both facilities: one was approved, one declined, one withdrawn."""
    done = {1: "approve", 2: "decline", 5: "withdraw"}
    clients = [world.client_of_staff(n) for n in range(3)]
    for n in range(12):
        shift = world.open_shift(n % 3, 40 + n)
        claim = world.posted(clients[n % 3], f"/api/shifts/{shift}/claim", 201)
        if verb := done.get(n):
            world.posted(clients[n % 3] if verb == "withdraw" else world.owner, f"/api/shifts/{shift}/claims/{claim['id']}/{verb}")


def offers(world):
    """Likewise, of offers to three people."""
    done = {1: "accept", 2: "decline", 5: "withdraw"}
    people = [world.live.person(n) for n in range(3)]
    for n in range(4):
        shift = world.open_shift(n, 50 + n)
        made = world.posted(world.owner, f"/api/shifts/{shift}/offers", 201, {"staffIds": people})["data"]
        for place, offer in enumerate(made):
            if verb := done.get(3 * n + place):
                world.posted(world.owner if verb == "withdraw" else world.client_of_staff(place), f"/api/shift-offers/{offer['id']}/{verb}")


DELETE = ("DELETE", "", None)
APPROVE = ("POST", "/approve", None)
CANCEL = ("POST", "/cancel", lambda _: {"reason": "Closed"})
VERIFY = ("POST", "/verify", None)

# In the order in which they are made.
RESOURCES = [
    Resource(
        "facilities", "facility", lambda side, n: {"name": f"House {n}", "code": f"H-{n}"}, lambda row: [row["name"], row["code"]],
        change={"phone": "+1 555 0199"}, steps={3: [DELETE], 7: [DELETE]}, unique=("name",),
        seen=lambda world, row: row["id"] == world.here, own=lambda world, row: row["id"] == world.here, sandbox=TWIN),
    Resource(
        "staff", "staff",
        lambda side, n: {"firstName": f"First{n}", "email": f"staff{n}@contract.test", "skills": ["Knives"] * (n % 5 == 0),
                         "facilityIds": [side.place(n)] if side.place(n) else []},
        lambda row: [f"{row['firstName']} {row['lastName']}", row["email"]],
        change={"phone": "+1 555 0199"},
        acts={"credentials.add_to_staff": lambda _: {"type": "license", "name": "Nurse"},
              "staff.set_availability": lambda _: {"blocks": [{"weekday": 1, "from": "08:00", "to": "16:00"}]}},
        told_elsewhere=frozenset({"blocks"}),
        seen=sees_person, own=lambda world, row: row["id"] == world.staff, sandbox=OWN,
        filters={"skill": (["kNIVES"], lambda _, row, value: value.lower() in map(str.lower, row["skills"])),
                 "credentialStatus": (["pending", "verified,expired"],
                                      lambda world, row, value: world.held.get(row["id"], set()) & set(value.split(",")))}),
    Resource(
        "users", "user",
        lambda side, n: {"firstName": ("Ada", "ada", "Ödön")[n % 3], "lastName": ("Byron", "Rook")[n % 2],
                         "email": f"user{n}@contract.test", "role": ("viewer", "scheduler", "manager")[n % 3],
                         "facilityIds": [side.place(n)] if side.place(n) else []},
        lambda row: [f"{row['firstName']} {row['lastName']}", row["email"]],
        change={"lastName": "Changed"}, steps={2: [DELETE], 4: [DELETE]},
        keys={"name": lambda row: f"{row['firstName']} {row['lastName']}".casefold()},
        seen=lambda world, row: world.here in row["facilityIds"]),
    Resource(
        "shifts", "shift",
        lambda side, n: {"facilityId": side.facility(n), "title": f"Round {n % 7}", "requiredWorkers": 1 + n % 2,
                         "date": day(30 + n % 3) if n != 11 else "2020-01-01", "startTime": ("08:00", "22:00")[n % 2], "endTime": "02:00"},
        lambda row: [row["title"], row["department"], row["specialty"]],
        change={"notes": "Changed"}, bulk="shifts",
        steps={0: [assign(0)], 4: [assign(0)], 5: [CANCEL], 6: [assign(1)], 8: [assign(0), CANCEL], 9: [assign(0)], 10: [DELETE]},
        acts={"shifts.assign": lambda side: {"staffId": side.person(1)}, "shifts.unassign": lambda side: {"staffId": side.person(1)},
              "shifts.offer": lambda side: {"staffIds": [side.person(1)]}},
        filters={"from": ([day(31)], lambda _, row, value: row["date"] >= value),
                 "to": ([day(30)], lambda _, row, value: row["date"] <= value),
                 "staffId": (lambda rows: {person for row in rows for person in row["assignedStaffIds"]},
                             lambda _, row, value: value in row["assignedStaffIds"]),
                 "open": (["true", "false"], lambda _, row, value: value == "false" or is_ahead(row))},
        unset=("templateId",),
        nested={"shifts.list_of_staff": lambda row, person: person in row["assignedStaffIds"]},
        seen=is_here, own=may_work, sandbox=OWN),
    Resource(
        "credentials", "credential",
        lambda side, n: {"staffId": side.person(n % 3), "issuingAuthority": "Board",
                         "expiresOn": (None, day(5), day(5), day(40), day(-1))[n % 5]},
        lambda row: [row["name"], row["issuingAuthority"]],
        change={"jurisdiction": "NY"}, steps={0: [VERIFY], 3: [VERIFY], 6: [("POST", "/reject", lambda _: {"reason": "Unreadable"})],
                                              7: [DELETE]},
        acts={"credentials.reject": lambda _: {"reason": "Unreadable"}},
        filters={"expiringWithinDays": ([3, 30, 60], lambda _, row, value: row["status"] in ("pending", "verified")
                                        and row["expiresOn"] and 0 <= row["daysUntilExpiry"] <= value)},
        nested={"credentials.list_of_staff": lambda row, person: row["staffId"] == person},
        seen=sees_holder, own=lambda world, row: row["staffId"] == world.staff, sandbox=OWN,
        holder="staffId", shortened=("number",)),
    Resource(
        "timesheets", "timesheet",
        lambda side, n: {"staffId": side.person(n % 3), "facilityId": side.place(n % 3) or side.facility(n), "clockIn": hour(n, 8),
                         "clockOut": hour(n, 9) if n != 2 else None} | ({"shiftId": side.made["shifts"][0]["id"]} if n in (3, 6) else {}),
        change={"notes": "Changed"}, acts={"timesheets.reject": lambda _: {"reason": "Unreadable"}},
        steps={0: [APPROVE], 3: [("POST", "/reject", lambda _: {"reason": "Unreadable"})], 4: [("POST", "/void", None)]},
        filters={"from": ([day(-2)], lambda _, row, value: row["date"] >= value),
                 "to": ([day(-3)], lambda _, row, value: row["date"] <= value)},
        unset=("payrollRunId",), nested={"timesheets.list_of_staff": lambda row, person: row["staffId"] == person},
        seen=is_here, own=lambda world, row: row["staffId"] == world.staff, sandbox=OWN,
        holder="staffId", told_by={"reason": ("/reject", "rejectionReason")}),
    Resource(  # of three people on the same days
        "time_off", "time_off",
        lambda side, n: {"staffId": side.person(n % 3), "startDate": day(60 + n // 3 * 2), "endDate": day(60 + n // 3 * 2 + n % 2)},
        steps={0: [APPROVE], 3: [("POST", "/decline", lambda _: {"reason": "Too many"})], 4: [("POST", "/cancel", None)]},
        filters={"from": ([day(64)], lambda _, row, value: row["endDate"] >= value),
                 "to": ([day(62)], lambda _, row, value: row["startDate"] <= value)},
        seen=sees_holder, own=lambda world, row: row["staffId"] == world.staff, sandbox=OWN,
        holder="staffId", told_by={"reason": ("/decline", "declineReason")}),
    Resource(  # whose erasure is in its own suite, for a body names shifts that people are on
        "shift_swaps", "shift_swap", change_places,
        steps={0: [("POST", "/reject", lambda _: {"reason": "Too many"})], 4: [("POST", "/cancel", None)]},
        filters={"staffId": (lambda rows: {rows[0]["staffId"], rows[1]["otherStaffId"]},
                             lambda _, row, value: value in (row["staffId"], row["otherStaffId"])),
                 "shiftId": (lambda rows: {rows[0]["shiftId"], rows[1]["otherShiftId"]},
                             lambda _, row, value: value in (row["shiftId"], row["otherShiftId"]))},
        seen=is_here, own=lambda world, row: world.staff in (row["staffId"], row["otherStaffId"]), sandbox=OWN,
        holder="staffId", tells_of_others=True),
    Resource(
        "shift_claims", "shift_claim", None, makes=claims,
        seen=is_here, own=lambda world, row: row["staffId"] == world.staff, holder="staffId"),
    Resource(
        "shift_templates", "shift_template",
        lambda side, n: {"facilityId": side.facility(n), "weekdays": [1 + n % 7], "startTime": ("08:00", "22:00")[n % 2], "endTime": "02:00"},
        lambda row: [row["title"], row["department"], row["specialty"]], change={"notes": "Changed"},
        acts={"shift_templates.generate": lambda _: {"from": day(90), "to": day(96)}}, seen=is_here, sandbox=OWN),
    Resource(
        "shift_offers", "shift_offer", None, makes=offers, seen=is_here, own=lambda world, row: row["staffId"] == world.staff),
    Resource(
        "payroll_runs", "payroll_run",
        lambda side, n: {"facilityId": side.place(n), "periodStart": day(-30 - n % 5), "periodEnd": day(-30 + n % 5), "type": "off_cycle",
                         "timesheetIds": [], "adjustments": [{"staffId": side.person(n), "kind": "bonus", "amount": 10 + n}]},
        change={"payDate": "2031-02-01"}, steps={**{n: [APPROVE] for n in (0, 1, 2, 3, 4, 6, 9)}, 5: [CANCEL], 7: [DELETE]},
        filters={"from": ([day(-28)], lambda _, row, value: row["periodEnd"] >= value),
                 "to": ([day(-32)], lambda _, row, value: row["periodStart"] <= value)},
        seen=is_here, sandbox=OWN, tells_of_others=True),
    Resource(  # of the runs that were approved: all of them this day, and nothing comes of them meanwhile
        "payroll_payments", "", None,
        filters={"from": ([day(0), day(1)], lambda _, row, value: row["createdAt"][:10] >= value),
                 "to": ([day(0), day(-1)], lambda _, row, value: row["createdAt"][:10] <= value)},
        unset=("status", "from", "to"), seen=is_here, own=lambda world, row: row["staffId"] == world.staff),
    Resource(
        "leads", "lead",
        lambda side, n: {"company": f"Company {n % 2}", "email": f"lead{n}@contract.test", "facilityId": side.place(n),
                         "lostReason": "timing", "ownerUserId": side.users[n % 2]},
        lambda row: [row["name"], row["company"], row["email"]],
        change={"notes": "Changed"}, seen=is_here, sandbox=OWN),
    Resource(  # of the user behind the key with others
        "conversations", "conversation", lambda side, n: {"subject": f"Talk {n % 7}", "facilityId": side.place(n)} | others(side, n),
        lambda row: [row["subject"]], steps={0: [("POST", "/messages", lambda _: {"body": "Hello"})]}, unique=("lastMessageAt",),
        keys={"lastMessageAt": lambda row: row["lastMessageAt"] or row["createdAt"]},
        own=lambda world, row: world.user in row["participantUserIds"] or world.staff in row["participantStaffIds"], sandbox=OWN,
        shortened=("unreadCount",)),
    Resource(
        "guardrails", "guardrail",
        lambda side, n: {"name": f"Policy {n}", "tools": ["shifts_cancel"],
                         "facilityIds": [side.place(n)] if side.place(n) else []},
        lambda row: [row["name"], row["description"]], change={"description": "Changed"}, unique=("name",), seen=sees_person,
        sandbox=OWN),
    Resource(
        "agent_builder", "agent",
        lambda side, n: {"name": f"Agent {n}", "allowedTools": ["whoami"], "plan": [{"tool": "whoami"}], "facilityId": side.place(n)},
        lambda row: [row["name"], row["description"]], change={"description": "Changed"}, steps={3: [DELETE], 7: [DELETE]},
        unique=("name",), seen=is_here, sandbox=OWN),
    Resource(
        "webhooks", "webhook", lambda side, n: {"url": f"http://127.0.0.1:9/{n}", "events": ["test"], "facilityId": side.place(n)},
        lambda row: [row["name"], row["url"]],
        change={"metadata": {"team": "Changed"}}, acts={"webhooks.replay": lambda _: {"since": f"{day(-1)}T00:00:00Z"}},
        seen=is_here, own=lambda world, row: row["createdBy"]["userId"] == world.user,
        mine=True, sandbox=OWN, shown_once=("signingSecret",)),
    Resource(
        "api_keys", "api_key",
        lambda side, n: {"scopes": ["staff:read"], "type": ("live", "test")[n % 2], "facilityId": side.places[0] if n % 2 else None},
        lambda row: [row["name"]],
        change={"name": "Changed"}, count=8, by="operator", names_organization=True, shown_once=("key",),
        steps={2: [DELETE], 3: [("POST", "/rotate", None)]}),
    Resource(
        "organizations", "organization", lambda side, n: {"name": f"Organization {n}"}, lambda row: [row["name"]],
        change={"industry": "Changed"}, count=5, by="operator", steps={1: [("POST", "/deactivate", None)]}, unique=("name",),
        seen=lambda world, row: row["id"] == world.organization),
    Resource(  # those who are on a shift are told
        "notifications", "notification", None, count=5, by="person", steps={0: [("POST", "/read", None)]},
        filters={"unread": (["true", "false"], lambda _, row, value: (value == "false") == row["isRead"])},
        own=lambda world, row: True),
    Resource(  # of calls of tools that wait
        "approvals", "approval", None, count=6, calls=lambda side, n: ("staff_deactivate", {"staffId": side.person(n)}),
        acts={"approvals.reject": lambda _: {}}, steps={1: [("POST", "/reject", None)]},
        filters={"mine": (["true", "false"], lambda world, row, value: value == "false" or world.asking is world.owner)},
        unset=("agentId", "mine"), seen=is_here, tells_of_others=True, shortened=("canApprove",)),
    Resource(  # of what was done to the others
        "audit_log", "", None, seen=is_here, sandbox=OWN,
        filters={"actorId": (lambda rows: {row["actor"]["id"] for row in rows} - {0}, lambda _, row, value: row["actor"]["id"] == value),
                 "from": (lambda rows: [rows[1]["createdAt"]], lambda _, row, value: row["createdAt"] >= value),
                 "to": (lambda rows: [rows[-2]["createdAt"]], lambda _, row, value: row["createdAt"] <= value)}),
]
