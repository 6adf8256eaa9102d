# What test_resources.py holds every resource to: lists and operations as the service describes them, values for bodies and filters, and
# an organization with rows of each resource, its sandbox, and whoever looks at them.

import itertools
import json
import re

import mcp
import oauth
import people
import rest
import support
from access_matrix import EVERY_SCOPE
from resources import NO_RESOURCES, OWN, RESOURCES, SEALED_ELSEWHERE, day

DESCRIPTION = json.loads((support.PROJECT_ROOT / "schemas/openapi.json").read_text(encoding="utf-8"))
HANDLED = {"limit", "cursor", "sort", "facilityId", "orgUnitId", "updatedSince", "q"}  # parameters of lists that are no filters
VOLATILE = {"lastUsedAt", "lastUsedIp", "daysUntilExpiry"}  # what changes by itself
WORDS = ("Abel", "abel", "Ödön", "Zed")
check = rest.RestCase().check


def resolved(schema):
    """The schema that a reference names, and of alternatives the first."""
    while found := next((name for name in ("$ref", "anyOf", "oneOf", "allOf") if name in schema), None):
        if found == "$ref":
            schema = DESCRIPTION["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
        else:
            schema = {name: value for name, value in schema.items() if name != found} | schema[found][0]
    return schema | {"type": schema["type"][0]} if isinstance(schema.get("type"), list) else schema  # null is the second


OPERATIONS = {operation["operationId"]: (method.upper(), path, operation)
              for path, methods in DESCRIPTION["paths"].items() for method, operation in methods.items()}


class List:
    """A list, as the description has it."""

    def __init__(self, name):
        _, self.path, operation = OPERATIONS[name]
        self.name = name
        parameters = {each["name"]: each["schema"] for each in operation["parameters"] if each.get("in") == "query"}
        self.sorts = parameters["sort"]["enum"]
        self.searches = "q" in parameters
        self.since = "updatedSince" in parameters
        self.filters = {key: schema for key, schema in parameters.items() if key not in HANDLED}
        # Of those, what holds where they are not given.
        self.defaults = {each["name"]: said[1] for each in operation["parameters"] if (
            said := re.search(r"(true|any) \(the default\)", each.get("description", "")))}
        self.whole = {key: "any" for key, schema in self.filters.items() if "any" in schema.get("enum", ())}
        self.members = resolved(resolved(page_of(operation))["properties"]["data"]["items"])["properties"]


def page_of(operation):
    """The schema of the page that a list answers with; {} of other operations."""
    schema = operation["responses"].get("200", {}).get("content", {}).get("application/json", {}).get("schema", {})
    return schema if schema.get("$ref", "").endswith("Page") else {}


LISTS = {name: List(name) for name, (method, _, operation) in OPERATIONS.items()
         if method == "GET" and page_of(operation) and name not in NO_RESOURCES}


def main_list(resource):
    return LISTS[f"{resource.name}.list"]


def is_changed(resource):
    """Whether clients change its rows by PUT and PATCH."""
    return "patch" in DESCRIPTION["paths"].get(main_list(resource).path + "/{id}", {})


def create_schema(resource):
    """The members of a body that makes one."""
    return resolved(DESCRIPTION["paths"][main_list(resource).path]["post"]["requestBody"]["content"]["application/json"]["schema"])["properties"]


def row_operations(resource):
    """What is done to a row and read below it: (name, method, path below the row, operation)."""
    start = main_list(resource).path + "/{id}"
    for name, (method, path, operation) in OPERATIONS.items():
        if name.split(".")[0] + ".list" in NO_RESOURCES:
            continue
        if operation.get("security") == []:  # anybody asks, with a token of its own
            continue
        if path.startswith(start) and path.count("{") == 1 and (method != "GET" or path != start):
            yield name, method, path.removeprefix(start), operation


def takes(operation, parameter):
    return any(each.get("$ref", "").endswith(f"/{parameter}") for each in operation["parameters"])


def sealed_members():
    """By kind of resource the members that events have under a person's key alone."""
    sealed = {}
    for file in (support.PROJECT_ROOT / "schemas/events").glob("*.schema.json"):
        kind = file.name.split(".")[0]
        data = json.loads(file.read_text(encoding="utf-8"))["properties"]["data"]
        sealed.setdefault(kind, set()).update(name for name, schema in data.get("properties", {}).items()
                                              if "Sealed under" in json.dumps(schema))
    others = {"command", *SEALED_ELSEWHERE}  # answers go with the rest
    return {kind: names for kind, names in sealed.items() if names and kind not in others}


def varied(schema, n):
    """A value of the schema: over a few n all that there are, some of them equal."""
    schema = resolved(schema)
    if "enum" in schema:
        return schema["enum"][n % len(schema["enum"])]
    if schema.get("format") == "date":
        return f"2031-01-0{1 + n % 3}"
    return {"boolean": n % 4 != 3, "string": WORDS[n % 4]}.get(schema["type"], schema.get("minimum", 0) + n % 3)


def marked(schema, digits):
    """A value of the schema that has those digits in every text."""
    schema = resolved(schema)
    if schema["type"] == "object":
        return {name: value for name, member in schema["properties"].items() if (value := marked(member, digits)) is not None}
    if schema["type"] == "array":
        return [marked(schema["items"], digits)]
    if schema["type"] != "string":
        return None
    for start, text in (("^https", f"https://{digits}.example/x"), ("^[+0-9", f"+{digits}")):
        if schema.get("pattern", "").startswith(start):
            return text
    return {"email": f"q{digits}@mail.example", "date": "2019-01-01"}.get(schema.get("format"), f"Quasthoff{digits}")


def is_empty(value):
    return all(map(is_empty, value.values())) if isinstance(value, dict) else value in ("", None, [])


def lasting(row):
    return {name: value for name, value in row.items() if name not in VOLATILE}


def every(client, path, **query):
    return [row for page in rest.pages(client, path, limit=200, **query) for row in page]


def ids(rows):
    return [row["id"] for row in rows]


def has_rule(schema):
    """Whether not every text will do as a value of that parameter."""
    schema = resolved(schema)
    schema = resolved(schema["items"]) if schema.get("type") == "array" else schema
    return "enum" in schema or schema["type"] != "string" or "format" in schema


def sort_key(resource, sort):
    """What rows are sorted by: an enumeration in its order, texts but for case, what is not known last."""
    name = sort.lstrip("-")
    order = resolved(main_list(resource).members.get(name, {"type": ""})).get("enum")

    def key(row):
        value = resource.keys[name](row) if name in resource.keys else row[name]
        return value is None, order.index(value) if order else value.casefold() if isinstance(value, str) else value
    return key


def in_order(resource, rows, sort):
    """The rows as the list has them, those with equal keys by their ids."""
    key = sort_key(resource, sort)
    return sorted(rows, key=lambda row: (key(row), row["id"]), reverse=sort.startswith("-"))


def filter_values(resource, name, schema, rows):
    """What to filter such rows by, as a query has it."""
    schema = resolved(schema)
    if name in resource.filters:
        values = resource.filters[name][0]
        return sorted(values(rows)) if callable(values) else values
    items = resolved(schema["items"]) if schema.get("type") == "array" else {}
    if "enum" in items:
        return [*items["enum"], ",".join(items["enum"][1:3])]
    if "any" in schema.get("enum", ()):
        return ["true", "false", "any"]
    known = sorted({row[name] for row in rows if row[name] not in (None, "")})[:2]
    if items:
        return [*known, ",".join(known)]
    return known + [text.upper() for text in known if isinstance(text, str) and text.lower() != text]


def passes(resource, world, name, schema, row, value):
    """Whether the list that is filtered so has the row."""
    if name in resource.filters:
        return bool(resource.filters[name][1](world, row, value))
    if resolved(schema).get("type") == "array":
        return row[name] in value.split(",")
    if value in ("true", "false", "any"):
        return value in ("any", str(row[name]).lower())
    return row[name] == value or (isinstance(value, str) and row[name].casefold() == value.casefold())


class Side:
    """The live data or the sandbox: who makes rows, where they may be (None: in no facility), and what was made, by resource."""

    def __init__(self, client, places, users):
        self.client, self.places, self.users, self.made = client, places, users, {}

    def place(self, n):
        return self.places[n % len(self.places)]

    def facility(self, n):
        within = [place for place in self.places if place]
        return within[n % len(within)]

    def person(self, n):
        return self.made["staff"][n % len(self.made["staff"])]["id"]


class World:
    """An organization with rows of every resource, and whoever looks at them."""

    def __init__(self, service):
        self.service, self.numbers = service, itertools.count(100)
        self.operator, self.foreign = people.operator_of(service), rest.client_of(service)
        self.organization = check(self.operator.post("/api/organizations", {"name": "Contract", "timezone": "Etc/UTC"}), 201)["id"]
        check(self.operator.get(f"/api/organizations/{self.organization}"), 200)
        admin = people.make_user(service, self.operator, role="admin", orgUnitId=self.organization)
        self.owner_key = self.make_key(userId=admin["id"], modelTier="advanced")
        self.owner = self.foreign.with_key(self.owner_key)
        self.live = Side(self.owner, (), (admin["id"], admin["id"]))
        for resource in RESOURCES:
            self.fill(resource, self.live, resource.count)
            self.follow(resource)
        self.sandbox = Side(self.key(type="test", facilityId=self.here), (self.here,), (None, None))
        for resource in RESOURCES:
            if resource.body and resource.sandbox == OWN:
                self.fill(resource, self.sandbox, 3)
        self.bound = self.key(facilityId=self.here)

    def all_told(self):
        """Whether each has the notifications that come of what was done so far."""
        self.settle()
        reactors = json.loads(self.service.command("reactors", "--json"))["reactors"]
        return all(each["lag"] == 0 and each["pending"] == 0 for each in reactors if each["name"] == "notifications")

    def key(self, **fields):
        """A client with a new key of the organization."""
        return self.foreign.with_key(self.make_key(**fields))

    def make_key(self, **fields):
        """A new key of the organization."""
        body = {"name": "contract", "scopes": sorted(EVERY_SCOPE), "orgUnitId": self.organization} | fields
        made = check(self.operator.post("/api/api-keys", body), 201)
        rest.wait_for_key(self.service, made["id"])
        return made["key"]

    def fill(self, resource, side, count):
        """Makes so many rows."""
        if resource.bulk:
            bodies = {resource.bulk: [self.body(resource, side, n) for n in range(count)]}
            side.made[resource.name] = check(side.client.post(main_list(resource).path, bodies), 201)["data"]
        elif resource.body:
            side.made[resource.name] = [self.make(resource, side, n).body for n in range(count)]
        elif resource.calls:
            side.made[resource.name] = [self.defer(*resource.calls(side, n)) for n in range(count)]
        elif resource.makes:
            resource.makes(self)
        elif resource.by == "person":
            side.made[resource.name] = people.told(self.person, count)

    def defer(self, tool, arguments):
        """Has the owner call a tool; the approval that its call waits for."""
        called = mcp.Client(mcp.url_of(self.service), self.owner_key).request("tools/call", {"name": tool, "arguments": arguments})
        return check(self.owner.get(f"/api/approvals/{called.content['approvalId']}"), 200)

    def follow(self, resource):
        """Does to rows what their resource says, and what others need."""
        self.settle()  # of what operators do the row says whose it is
        for n, steps in resource.steps.items():
            for method, verb, body in steps:
                done = self.client(resource).send(method, self.at(resource, self.live.made[resource.name][n]) + verb, body and body(self.live))
                assert done.status in (200, 201, 204), str(done)
        if resource.name == "facilities":
            self.here, there = ids(self.live.made[resource.name][:2])
            self.live.places = (self.here, there, None)
        if resource.name == "users":
            self.staff = self.live.person(0)
            user = people.make_user(self.service, self.owner, role="staff", staffId=self.staff, facilityIds=[self.here])
            self.person, self.user = people.take_token(self.service, user["email"]), user["id"]
            self.live.users = (self.live.users[0], self.user)
            oauth.connected(self.service, user["email"])
        if resource.name == "agent_builder":
            self.automate(self.live.made[resource.name][0])
        if resource.mine:
            self.make(resource, self.live, 0, self.person)

    def client_of_staff(self, n):
        """A client of the n-th staff member, who sees open shifts of all facilities."""
        user = people.make_user(self.service, self.owner, role="staff", staffId=self.live.person(n))
        return people.take_token(self.service, user["email"])

    def open_shift(self, n, ahead):
        """A new shift for many people in the n-th facility, so many days ahead."""
        body = {"facilityId": self.live.facility(n), "title": "Open", "date": day(ahead), "startTime": "08:00", "endTime": "12:00",
                "requiredWorkers": 9}
        return self.posted(self.owner, "/api/shifts", 201, body)["id"]

    def posted(self, client, path, status=200, body=None):
        return check(client.post(path, body), status)

    def automate(self, agent):
        """A trigger of the agent, and a run of it that has ended; a connection to an app, and what it was asked."""
        trigger = {"name": "Weekly", "type": "schedule", "cron": "0 9 * * mon", "isEnabled": False}
        self.trigger = check(self.owner.post(f"/api/agent-builder/{agent['id']}/triggers", trigger), 201)
        self.run = check(self.owner.post(f"/api/agents/{agent['id']}/runs", {"wait": 55}), 200)
        assert self.run["status"] == "completed", self.run
        self.connection = check(self.owner.post("/api/apps/demo/connect"), 201)
        check(self.owner.post(f"/api/apps/connections/{self.connection['id']}/actions/demo.echo", {"arguments": {"a": 1}}), 200)

    def client(self, resource, operation=None):
        """Whoever makes the rows; the operator, who has signed in, where keys may not do the operation."""
        return self.operator if operation and "x-people-only" in operation else getattr(self, resource.by)

    def body(self, resource, side, n):
        """Of the n-th row."""
        listed = main_list(resource)
        wanted = {name for name in ({sort.lstrip("-") for sort in listed.sorts} | set(listed.filters)) if not name.endswith("Id")}
        fixed = resource.body(side, n) | ({"orgUnitId": self.organization} if resource.names_organization else {})
        return {name: varied(schema, n) for name, schema in create_schema(resource).items() if name in wanted} | fixed

    def make(self, resource, side=None, n=None, client=None, headers=None, **fields):
        """The answer of a new row, which its maker sees then."""
        side, n = side or self.live, next(self.numbers) if n is None else n
        client = client or (self.client(resource) if side is self.live else side.client)
        made = client.post(main_list(resource).path, self.body(resource, side, n) | fields, headers)
        check(made, 201)
        check(client.get(made.headers["Location"]), 200)
        return made

    def at(self, resource, row):
        return f"{main_list(resource).path}/{row['id']}"

    def settle(self):
        """Returns once everybody sees what anybody has done."""
        self.service.wait_projected()

    def query(self, resource):
        """The list with all that it has."""
        return main_list(resource).whole | ({"orgUnitId": self.organization} if resource.names_organization else {})

    def rows(self, resource):
        return every(self.client(resource), main_list(resource).path, **self.query(resource))

    def views(self, resource):
        """Clients, what they ask for to get all that they see of the live rows, and these in the order of the list."""
        self.settle()
        rows, whole = self.rows(resource), main_list(resource).whole
        self.people = {row["id"]: row for row in every(self.owner, "/api/staff", isActive="any")}
        self.held = {}  # by staff member how their credentials stand
        for row in every(self.owner, "/api/credentials"):
            self.held.setdefault(row["staffId"], set()).add(row["status"])
        yield self.client(resource), self.query(resource), rows
        if resource.seen:
            yield self.bound, whole, [row for row in rows if resource.seen(self, row)]
        if resource.own:
            yield self.person, whole, [row for row in rows if resource.own(self, row)]

    def listings(self, resource):
        """All lists of the resource and who looks at them: the list, its path, and as views() has it."""
        for client, query, rows in self.views(resource):
            self.asking = client
            yield main_list(resource), main_list(resource).path, client, query, rows
        for name, has in resource.nested.items():
            for client in (self.owner, self.person):
                self.asking = client
                path, rows = LISTS[name].path.replace("{id}", str(self.staff)), self.rows(resource)
                yield LISTS[name], path, client, {}, [row for row in rows if has(row, self.staff)]

    def snapshot(self):
        self.settle()
        return {resource.name: {row["id"]: lasting(row) for row in self.rows(resource)} for resource in RESOURCES}

    def body_of(self, resource, name, operation):
        """A body that the operation on a row takes, if any."""
        if "requestBody" not in operation:
            return None
        if name.endswith((".update", ".put")):
            return resource.change
        return resource.acts.get(name, lambda _: {})(self.live)
