# Every operation with every kind of credential: the answers are those of access_matrix.py, what is refused changes nothing, and
# who doesn't reach a row sees none of it.

import contextlib
import datetime
import functools
import json
import secrets
import threading
import zoneinfo
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import people
import rest
import support
import test_routes
from access_matrix import (ANYONE, BAD_ARGUMENTS, BY_COOKIE, CREDENTIALS, EVERY_SCOPE, IN_SANDBOX, INSTEAD, NO_ERROR, OPEN,
                           OPERATIONS, SCOPES, TOOLS, WITHOUT_THE_SCOPE, expected, missing, of_key, tool_expected)

KEYS = "/api/api-keys"
INTERNAL = test_routes.INTERNAL_ORGANIZATION
THREADS = 4
# Of what a scope alone changes nothing of, of what nothing opens, and of what a session or a rotated key has as a token or key has it:
# all of it is asked by others besides.
USUAL_ONE_IN, UNKNOWN_ONE_IN, AGAIN_ONE_IN = (1, 1, 1) if support.LONG else (10, 4, 5)
NOBODY = {"UNAUTHENTICATED", "INVALID_API_KEY"}
AGAIN = {"a rotated key's new secret", "a rotated key's old secret"} | {name for name in CREDENTIALS if name.endswith(BY_COOKIE)}
ALONE = threading.Lock()  # for what refuses to be done twice at a time
CASE = rest.RestCase()  # for its checks
OF_A_USER = ("a key of a deactivated user", "a deactivated user", "a deactivated user" + BY_COOKIE)
OF_AN_ORGANIZATION = ("a key of a deactivated organization", "a user of a deactivated organization",
                      "a user of a deactivated organization" + BY_COOKIE)
service = world = None
own_facilities = {}  # of a facility_admin's column, by the operation that may change it
clients = {}  # by the credential's name, of those that are ready

# A valid body of what names a row and takes one.
CHANGES = {"facilities": {"phone": "+1 555 0199"}, "staff": {"phone": "+1 555 0199"}, "shifts": {"notes": "Changed"},
           "leads": {"notes": "Changed"}, "api_keys": {"name": "Changed"}, "organizations": {"industry": "Changed"},
           "users": {"firstName": "Changed"}, "webhooks": {"name": "Changed"}, "credentials": {"jurisdiction": "Changed"},
           "timesheets": {"notes": ""}, "triggers": {"name": "Changed"}, "payroll_runs": {"payDate": "2024-02-09"},
           "guardrails": {"description": "Changed"}, "agent_builder": {"description": "Changed"}, "shift_templates": {"notes": "Changed"}}
# What people do with rows of their own alone, which end by it: asked of none.
OF_NO_ROW = {"shift_claims.create", "shift_offers.accept", "shift_offers.decline"}
# What has to have happened to the row before.
BEFORE = {"shifts.complete": ("POST", "/start"), "shifts.reopen": ("POST", "/cancel"), "staff.reactivate": ("DELETE", ""),
          "users.reactivate": ("DELETE", "")}


def setUpModule():
    global service, world
    test_routes.setUpModule()
    service, world = test_routes.service, test_routes.world
    make_people()
    make_keys()
    changed = world.person.patch(f"/api/organizations/{service.demo['organizationId']}", CHANGES["organizations"])
    assert changed.status == 200, str(changed)
    service.wait_projected()


def address_of(name):
    """Of the user whom a column is about."""
    return f"{name.removesuffix(BY_COOKIE).replace(',', '').replace(' ', '.')}@access.example.test"


def make_people():
    """A user for each kind of person, and clients with a token and with a session of theirs."""
    own_facilities.update({name: {operation: make(world.owner, row.path) for operation, row in OPERATIONS.items()
                                  if row.path == "/api/facilities/{id}" and row.writes}
                           for name in ("facility_admin", "facility_admin" + BY_COOKIE)})
    own = [facility for made in own_facilities.values() for facility in made.values()]
    facilities = {"facility_admin": [world.facility, world.other_facility, *own],
                  "facility_admin of another facility": [world.other_facility]}
    columns = [name for name, credential in CREDENTIALS.items() if credential.role]
    for name in columns:
        if not name.endswith(BY_COOKIE):
            credential = CREDENTIALS[name]
            organization = INTERNAL if credential.internal else service.demo["organizationId"]
            body = people.person(email=address_of(name), role=credential.role, facilityIds=facilities.get(name, []),
                                 orgUnitId=organization, staffId=world.staff if name == "staff" else None)
            made = world.person.post("/api/users", body)
            assert made.status == 201, str(made)
    service.wait_projected()
    with ThreadPoolExecutor(THREADS) as pool:
        clients.update(zip(columns, pool.map(signed_in, columns)))


def signed_in(name):
    """A client with a new token or session of whom the column is about."""
    take = people.sign_in if name.endswith(BY_COOKIE) else people.take_token
    client = take(service, address_of(name))
    if CREDENTIALS[name].asks_sandbox:
        client.always = {"Service-Sandbox": "true"}
    return client


def user_of(name):
    return service.postgres.value(f"SELECT id FROM read.user_account WHERE email = '{address_of(name)}'")


def new_key(scopes=EVERY_SCOPE, **fields):
    """The answer of making a key of the customer's, or with `orgUnitId` None one that is bound to nothing."""
    fields = {"name": "access", "scopes": sorted(scopes), "orgUnitId": service.demo["organizationId"]} | fields
    made = world.person.post(KEYS, {name: value for name, value in fields.items() if value is not None})
    assert made.status == 201, str(made)
    rest.wait_for_key(service, made.body["id"])
    return made.body


def make_keys():
    """A client for each kind of key, and for what is none."""
    def keyed(token):
        return world.owner.with_key(token)

    def bound(*options):
        scopes = ",".join(sorted(EVERY_SCOPE))
        return json.loads(service.command("keys", "create", "--name", "access", "--organization", customer, "--scopes", scopes,
                                          "--user", user_of("admin"), *options))["key"]

    customer = str(service.demo["organizationId"])
    soon = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=10)
    expired = new_key(expiresAt=soon.isoformat())["key"]
    invented = "svc_live_" + "".join(secrets.choice(rest.BASE62) for _ in range(43))
    rotated = [new_key(), new_key()]
    renewed = [world.person.post(f"{KEYS}/{key['id']}/rotate").body["key"] for key in rotated]
    revoked = new_key()
    world.person.delete(f"{KEYS}/{revoked['id']}")
    clients.update({
        "none": keyed(None),
        "a key that nobody made": keyed(invented + rest.checksum(invented)),
        "a key that is none": keyed("svc_live_nonsense"),
        "a live key": keyed(new_key()["key"]),
        "a personal token": keyed(bound("--type", "pat")),
        "an operator's personal token": keyed(new_key(type="pat", orgUnitId=None)["key"]),
        "the system's key": keyed(rest.make_key(service, ["*"], organization=INTERNAL, everywhere=True)[1]),
        "a rotated key's new secret": keyed(renewed[0]),
        "a rotated key's old secret": keyed(rotated[0]["key"]),
        "a rotated key's old secret after a day": keyed(rotated[1]["key"]),
        "an expired key": keyed(expired),
        "a revoked key": keyed(revoked["key"]),
        "a key of another organization": keyed(new_key(orgUnitId=INTERNAL)["key"]),
        "a key of another facility": keyed(new_key(facilityId=world.other_facility)["key"]),
        "a sandbox key, live rows": keyed(new_key(type="test", facilityId=world.facility)["key"]),
        IN_SANDBOX: keyed(new_key(type="test", facilityId=world.facility)["key"]),
        "a key of a deactivated user": keyed(bound()),
        "a deactivated user": clients["admin"],
        "a deactivated user" + BY_COOKIE: clients["admin" + BY_COOKIE],
        "a key of a deactivated organization": keyed(new_key()["key"]),
        "a user of a deactivated organization": clients["viewer"],
        "a user of a deactivated organization" + BY_COOKIE: clients["viewer" + BY_COOKIE],
    })
    service.wait_projected()
    service.postgres.psql("UPDATE auth.api_key_secret SET valid_until = now() WHERE valid_until IS NOT NULL "
                          f"AND key_id = {rotated[1]['id']}")
    for ended in ("an expired key", "a rotated key's old secret after a day", "a revoked key"):
        support.wait_until(lambda of=ended: clients[of].get("/api/auth/me").status == 401, 60, ended)


def body_of(name):
    """A valid body of what makes something."""
    return test_routes.CREATE[name]()


def maker_of(path):
    """Which operation makes what lies at that path, and the path where it does."""
    collection = path.split("/{id}")[0]
    return next((name, collection) for name, operation in OPERATIONS.items()
                if operation.method == "POST" and operation.path == collection)


def soon():
    """Date and times of a shift that can be started now."""
    zone = zoneinfo.ZoneInfo(world.owner.get(f"/api/facilities/{world.facility}").body["timezone"])
    begin = datetime.datetime.now(zone) + datetime.timedelta(minutes=30)
    end = begin + datetime.timedelta(hours=4)
    return {"date": str(begin.date()), "startTime": begin.strftime("%H:%M"), "endTime": end.strftime("%H:%M")}


def make(maker, path, **fields):
    """Makes a row; its id."""
    if path.startswith("/api/shift-offers"):
        return offer(maker)
    name, collection = maker_of(path)
    if name == "credentials.add":
        fields = {"staffId": make(maker, "/api/staff")} | fields  # of the sandbox where the maker is
    if name in ("timesheets.create", "time_off.create") and maker is not world.owner:
        fields = {"staffId": make(maker, "/api/staff")} | fields  # likewise; live ones are of the shared staff member
    if name == "shift_swaps.create":
        person = world.staff if maker is world.owner else make(maker, "/api/staff")  # likewise
        fields = test_routes.swap_of(maker, person, world.facility) | fields
    made = maker.post(collection, body_of(name) | fields)
    assert made.status == 201, str(made)
    return made.body["id"]


def offer(maker):
    """Offers a shift to somebody; the offer's id."""
    shift, staff = make(maker, "/api/shifts"), make(maker, "/api/staff")
    made = maker.post(f"/api/shifts/{shift}/offers", {"staffIds": [staff]})
    assert made.status == 201, str(made)
    return made.body["data"][0]["id"]


def throw_away(name, maker, row=None):
    """A row that the operation may have, made by a client of its own place where it is not given, and a body that fits: the id,
    and the body."""
    operation, resource = OPERATIONS[name], name.split(".")[0]
    if resource == "apps":  # one that was ended stays as it is
        return world.connection, None
    if resource == "api_keys":
        maker = world.person
    body = body_for(name)
    # A key of the customer's stands for nobody, and so for nobody above whoever manages it.
    fields = {"orgUnitId": service.demo["organizationId"]} if resource == "api_keys" else {}
    if name in ("shifts.assign", "shifts.unassign"):
        body = {"staffId": make(maker, "/api/staff")}
    if name == "shifts.offer":
        body = {"staffIds": [make(maker, "/api/staff")]}
    if name == "shifts.unassign":
        fields = {"assignedStaffIds": [body["staffId"]]}
    if name == "payroll_runs.approve":
        fields = test_routes.bonus(make(maker, "/api/staff"))
    if name in ("shifts.start", "shifts.complete"):
        fields = soon() | {"assignedStaffIds": [make(maker, "/api/staff")]}
    if name == "organizations.deactivate":
        row = make(world.person, operation.path)
    elif resource == "organizations":
        row = service.demo["organizationId"]  # as CHANGES have it
    if resource == "calendars" and maker is world.owner:
        row = world.staff  # whose own it is to somebody
    row = row or make(maker, "/api/agent-builder" if resource == "agent_runs" else operation.path, **fields)
    if name in BEFORE:
        method, verb = BEFORE[name]
        done = maker.send(method, f"{maker_of(operation.path)[1]}/{row}{verb}")
        assert done.status == 200, str(done)
    return row, body


def body_for(name):
    """A valid body of what names a row, or None."""
    method = OPERATIONS[name].method
    if method in ("PATCH", "PUT") and name not in test_routes.BODY_OF:
        return CHANGES[name.split(".")[0]]
    return test_routes.BODY_OF.get(name, dict)() if method in ("POST", "PUT", "PATCH") else None


def live_rows():
    """A row of each kind that all columns share, for they leave it as it is; by where it lies."""
    return {collection: row() for collection, row in test_routes.ROW_OF.items()}


def live_names():
    """What activities call them."""
    return {f"{kind}:{row}" for kind, row in (("staff", world.staff), ("shift", world.shift), ("lead", world.lead))}


def sandbox_rows(client):
    """The same in the sandbox, where there are no facilities and keys besides those."""
    payment = test_routes.paid_run(client, make(client, "/api/staff"), world.facility)
    rows = live_rows() | {"/api/payroll/payments": payment} | {
        collection: make(client, collection) for collection in ("/api/staff", "/api/credentials", "/api/timesheets", "/api/time-off",
                                                                "/api/shift-offers", "/api/shift-swaps", "/api/payroll/runs",
                                                                "/api/shifts", "/api/crm/leads", "/api/webhooks", "/api/guardrails",
                                                                "/api/agent-builder", "/api/shift-templates")}
    return rows | {"/api/agents": rows["/api/agent-builder"]}


class Column:
    """All operations and tools with one credential, but those of which `asks` says no: called with a number, and a function of what a
    credential is answered. `client_of` gives the client for an operation, `maker` makes rows that it may change, and `rows` are the
    shared ones."""

    def __init__(self, name, credential, client_of, maker, rows, asks=lambda number, answer: True):
        self._name, self._credential, self._client_of, self._rows = name, credential, client_of, rows
        self._operations = [each for number, (each, row) in enumerate(OPERATIONS.items())
                            if asks(number, functools.partial(expected, row))]
        self._tools = [tool for number, tool in enumerate(TOOLS) if asks(number, functools.partial(tool_expected, tool))]
        # Who acts on any organization says on which.
        everywhere = credential.internal or name in ("an operator's personal token", "the system's key")
        self._place = {"orgUnitId": service.demo["organizationId"]} if everywhere else {}
        own = dict(own_facilities.get(name, {}))  # others are out of their reach
        for each in ("staff.set_availability", "staff.put_availability"):
            own[each] = rows["/api/staff"]  # which says nothing of it, and goes on to
        if credential.role and "auth.end_session" in self._operations:
            own["auth.end_session"] = people.sign_in(service, address_of(name)).session
        self._own = {each: throw_away(each, maker, own.get(each)) for each in self._operations
                     if OPERATIONS[each].by_id and OPERATIONS[each].writes and self._may(each)}

    def _may(self, name):
        return expected(OPERATIONS[name], self._credential)[1] == NO_ERROR

    def faults(self):
        """What is otherwise than the matrix says, a text each."""
        service.wait_projected()
        faults = []
        for name in self._operations:
            try:
                self._check(name)
            except AssertionError as fault:
                faults.append(f"{self._name}, {name}: {fault}")
        for tool in self._tools:
            try:
                self._check_tool(tool)
            except AssertionError as fault:
                faults.append(f"{self._name}, tool {tool}: {fault}")
        return faults

    def _check_tool(self, tool):
        """A call of it, and whether tools/list has it. The Host field tells the hosts apart, so the client is REST's."""
        name, arguments = TOOLS[tool]
        operation = OPERATIONS[name]
        code, seen = tool_expected(tool, self._credential)
        own = {"row": self._rows.get(operation.path.split("/{id}")[0]), "none": test_routes.ABSENT, "place": world.facility}
        arguments = {argument: own.get(value, value) if isinstance(value, str) and argument.endswith("Id") else value
                     for argument, value in arguments.items()}
        if tool == "leads_create":
            arguments |= self._place
        client = self._client_of(operation)
        host = {"Host": urlsplit(service.demo["mcpUrl"]).netloc}

        def ask(method, params):
            return client.post("/mcp", {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}, host)
        answer = ask("tools/call", {"name": tool, "arguments": arguments})
        if seen is None:
            CASE.assertEqual((answer.status, answer.body["error"]["data"]["code"]), (401, code), str(answer))
            return
        CASE.assertEqual(answer.status, 200, str(answer))
        if not seen:
            error = answer.body.get("error", {})
            CASE.assertEqual((error.get("code"), error.get("data", {}).get("code")), (-32003, code), str(answer))
            CASE.assertEqual(error["data"]["permission"], missing(operation, self._credential), str(answer))
        elif code in ("FORBIDDEN", "INSUFFICIENT_SCOPE", "TIER_REQUIRED"):  # of what the operation itself finds
            error = answer.body.get("error", {})
            CASE.assertEqual((error.get("code"), error.get("data", {}).get("code")), (-32003, code), str(answer))
        elif code == BAD_ARGUMENTS:
            CASE.assertEqual(answer.body.get("error", {}).get("code"), -32602, str(answer))
        else:
            content = answer.body["result"]["structuredContent"]
            error = content.get("error") if answer.body["result"]["isError"] else None
            CASE.assertEqual(error["code"] if error else NO_ERROR, code, str(answer))
        if tool == "whoami" and self._name != WITHOUT_THE_SCOPE:  # that one has a key for each operation
            listed = {each["name"] for each in ask("tools/list", {}).body["result"]["tools"]}
            CASE.assertEqual(listed, {each for each in TOOLS if tool_expected(each, self._credential)[1]})

    def _check(self, name):
        operation = OPERATIONS[name]
        status, code = expected(operation, self._credential)
        row, body, query = None, None, test_routes.QUERY_OF.get(name, dict)()
        if operation.by_id:
            row, body = self._own.get(name) or (self._rows[operation.path.split("/{id}")[0]], body_for(name))
        elif operation.writes:
            body, query = body_of(name), {} if operation.needs in (OPEN, ANYONE) else self._place
            if name in ("credentials.add", "timesheets.create", "time_off.create"):
                body["staffId"] = self._rows["/api/staff"]
            if name == "shift_swaps.create" and code == NO_ERROR:  # others are refused what is asked already
                live = self._rows["/api/staff"] == world.staff
                body = test_routes.swap_of(world.owner if live else clients[IN_SANDBOX], self._rows["/api/staff"], world.facility)
        client = self._client_of(operation)
        path = operation.path.replace("{id}", str(row))
        if name in OF_NO_ROW:
            path = operation.path.replace("{id}", str(test_routes.ABSENT))
        for absent in ("{deliveryId}", "{runId}", "{triggerId}", "{claimId}"):
            path = path.replace(absent, str(test_routes.ABSENT))
        path = path.replace("{app}", "none").replace("{action}", "demo.echo")
        with ALONE if name == "sandbox.reset" else contextlib.nullcontext():
            answer = client.send(operation.method, path, body, **query)
        if code != NO_ERROR:
            details = CASE.check_refused(answer, status, code)
            if code == "INSUFFICIENT_SCOPE":
                lacked = missing(operation, self._credential)
                CASE.assertEqual(details, {"permission": lacked}, str(answer))
                CASE.assertIn(lacked, answer.body["error"]["message"])
            return
        CASE.check(answer, status)
        if row and operation.writes and operation.answers_row and status != 204:
            CASE.assertEqual(answer.body["id"], row)
        if not row and not operation.writes:
            self._check_view(name, client, answer)

    def _check_view(self, name, client, answer):
        """A list has the shared row for whom may read it, and figures tell other organizations and facilities nothing."""
        path, of_others = OPERATIONS[name].path, test_routes.NOTHING_OF_THE_DEMO.get(name)
        if name == "dashboard.activity" and self._credential.reach == "sandbox":
            CASE.assertFalse(live_names() & {item["resource"] for item in answer.body}, str(answer))
        if path in self._rows:
            listed = {row["id"] for page in rest.pages(client, path, limit=200) for row in page}
            if name in ("auth.sessions", "oauth.grants", "notifications.list"):
                CASE.assertNotIn(self._rows[path], listed, "it is another user's")
                return
            CASE.assertEqual(self._rows[path] in listed, self._may(name.replace(".list", ".get")), "whether it is in the list")
        if of_others and self._credential.reach in ("other_organization", "other_facility"):
            CASE.assertTrue(of_others(answer.body), str(answer))


def column(name):
    """The column of a kind of credential."""
    credential = CREDENTIALS[name]

    def client_of(operation):
        """What ends the session that asks has one of its own."""
        return signed_in(name) if credential.role and operation.path == people.LOGOUT else clients[name]

    def asks(number, answer):
        if name in AGAIN:
            return (number + place) % AGAIN_ONE_IN == 0
        return name == "none" or NOBODY.isdisjoint(answer(credential)) or (number + place) % UNKNOWN_ONE_IN == 0

    place = list(CREDENTIALS).index(name)
    if credential.reach == "in_sandbox":
        maker = clients[IN_SANDBOX]
        return Column(name, credential, client_of, maker, sandbox_rows(maker), asks)
    return Column(name, credential, client_of, world.owner, live_rows(), asks)


def all_rows():
    """The shared rows, as who acts on any organization sees them. Session and notification are other users'; the session opens what it
    did."""
    rows = [world.person.get(f"{collection}/{row}").text for collection, row in live_rows().items()
            if collection not in (people.SESSIONS, people.NOTIFICATIONS) and row != test_routes.ABSENT]
    told = service.postgres.value(f"SELECT doc FROM read.notification WHERE id = {world.notification}")
    return [*rows, world.browser.get(people.ME).text, told]


def deactivations():
    """What may be deactivated, as the command line names it, and the credentials that end with it."""
    customer = str(service.demo["organizationId"])
    return [(("users", "--organization", customer, user_of("admin")), OF_A_USER), (("organizations", customer), OF_AN_ORGANIZATION)]


class AccessTest(rest.RestCase):

    def check_columns(self, columns):
        """`columns`: functions that give one each. What they are refused changes nothing."""
        before = all_rows()
        with ThreadPoolExecutor(THREADS) as pool:
            faults = [fault for found in pool.map(lambda column: column().faults(), columns) for fault in found]
        self.assertEqual(len(faults), 0, "\n".join(faults))
        self.assertEqual(all_rows(), before)

    def test_the_table_has_every_operation(self):
        described = {operation["operationId"]: (method.upper(), path)
                     for path, method, operation in rest.operations_of(world.owner.get("/openapi.json").body)}
        self.assertEqual({name: (operation.method, operation.path) for name, operation in OPERATIONS.items()}, described)

    def test_every_kind_of_credential(self):
        apart = {*OF_A_USER, *OF_AN_ORGANIZATION, WITHOUT_THE_SCOPE}
        self.check_columns([functools.partial(column, name) for name in CREDENTIALS if name not in apart])

    def test_without_the_scope(self):
        def all_but(permission, instead):
            enough = SCOPES[permission] | SCOPES.get(INSTEAD.get(permission), set()) | SCOPES.get(instead, set())
            return world.owner.with_key(new_key(EVERY_SCOPE - enough)["key"])

        def lacks(operation):
            return operation.of_others if operation.needs == ANYONE else operation.needs, operation.instead
        without = {lacks(operation): all_but(*lacks(operation)) for operation in OPERATIONS.values() if lacks(operation)[0] in SCOPES}

        def client_of(operation):
            return without.get(lacks(operation), clients["a live key"])
        self.check_columns([lambda: Column(WITHOUT_THE_SCOPE, CREDENTIALS[WITHOUT_THE_SCOPE], client_of, world.owner, live_rows())])

    def test_each_scope_alone(self):
        def alone(place, scope):
            client, key, keyless = world.owner.with_key(new_key({scope})["key"]), of_key({scope}), of_key(set())
            return Column(f"a key with {scope} alone", key, lambda _: client, world.owner, live_rows(),
                          lambda number, answer: answer(key) != answer(keyless) or (number + place) % USUAL_ONE_IN == 0)
        self.check_columns([functools.partial(alone, place, scope) for place, scope in enumerate(sorted(EVERY_SCOPE))])

    def test_what_is_deactivated_opens_nothing(self):
        for (noun, *which), names in deactivations():
            for name in names:
                self.check(clients[name].get(people.ME), 200)
            service.command(noun, "deactivate", *which)
            self.check_columns([functools.partial(column, name) for name in names])
            service.command(noun, "reactivate", *which)
            key, *sessions = (clients[name] for name in names)
            support.wait_until(lambda of=key: of.get(people.ME).status == 200, support.READY_SECONDS, "the key opens all again")
            for session in sessions:
                self.check_refused(session.get(people.ME), 401, "UNAUTHENTICATED")
