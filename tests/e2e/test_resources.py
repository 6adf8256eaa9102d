# What holds of every resource, by its row in resources.py and the service's description: in an organization of its own, beside which
# there are its sandbox, another organization, somebody bound to a facility, and somebody who sees rows of their own alone.

import functools
import getpass
import itertools
import json
import secrets
import tempfile
from pathlib import Path
from urllib.parse import urlsplit

import api_clients
import llm
import rest
import support
import webhooks
from contract import (DESCRIPTION, LISTS, OPERATIONS, World, create_schema, every, filter_values, has_rule, ids, in_order, is_changed,
                      is_empty, lasting, main_list, marked, page_of, passes, row_operations, sealed_members, sort_key, takes)
from kafka_cluster import OnKafka
from resources import OWN, RESOURCES, TWIN

PAGE = 5
MADE = [resource for resource in RESOURCES if resource.body]


def of_each(resources):
    """A case of one resource becomes one of all these, a subtest each."""
    def decorate(case):
        @functools.wraps(case)
        def run(self):
            for resource in resources:
                with self.subTest(resource=resource.name):
                    case(self, resource)
        return run
    return decorate


def leaves_all(case):
    """A case after which all live rows are what they were before."""
    @functools.wraps(case)
    def run(self):
        support.wait_until(self.world.all_told, 60, "nobody is to be told any more of what was done before")
        before = self.world.snapshot()
        case(self)
        self.assertEqual(self.world.snapshot(), before)
    return run


class Contract:
    """Mixed into a support.ServiceCase: `world`, and what depends on the log's engine."""

    # Payroll runs stay as they are once they were approved.
    ENVIRONMENT = webhooks.settings() | webhooks.MANY | {"WORKFORCE_PAYROLL_SIMULATED_DELAY_MS": "86400000"}

    @classmethod
    def setUpClass(cls):
        # An agent may be of either executor where models are configured; none is asked here.
        model = cls.enterClassContext(llm.Model("openai"))
        cls.ENVIRONMENT = cls.ENVIRONMENT | model.settings(Path(cls.enterClassContext(tempfile.TemporaryDirectory())))
        super().setUpClass()
        cls.service.env["WORKFORCE_PERSONAL_READERS"] = getpass.getuser()
        cls.world = World(cls.service)

    def test_erasure(self):
        """What is sealed in events is empty wherever anybody looks, and a retry of what told of the person finds nobody."""
        world, sealed, erased, needles = self.world, sealed_members(), {}, []
        self.assertLessEqual(set(sealed), {resource.kind for resource in RESOURCES})
        personal = [resource for resource in RESOURCES if resource.kind in sealed and not resource.tells_of_others]
        for resource in personal:
            digits, key = ["".join(secrets.choice("123456789") for _ in range(12)) for _ in "12"], {"Idempotency-Key": secrets.token_hex(8)}
            schema = create_schema(resource)
            members = sealed[resource.kind] & set(schema)
            body = world.body(resource, world.live, next(world.numbers)) | {name: marked(schema[name], digits[0]) for name in members}
            if "isActive" in body:
                body["isActive"] = True  # of a person who holds what others tell of
            if resource.holder:
                body[resource.holder] = erased["staff"][0]["id"]
            row = self.check(world.owner.post(main_list(resource).path, body, key), 201)
            after = row
            if is_changed(resource):
                after = self.check(world.owner.patch(world.at(resource, row), {name: marked(schema[name], digits[1]) for name in members}), 200)
            for name in members:
                self.assertTrue(digits[0] in json.dumps(row[name]), name)
                self.assertEqual(digits[1] in json.dumps(after[name]), is_changed(resource), name)
            for name in sealed[resource.kind] - members - resource.told_elsewhere:
                verb, shown = resource.told_by[name]
                told = self.check(world.owner.post(world.at(resource, row) + verb, {name: digits[0]}), 200)
                self.assertIn(digits[0], told[shown])
                members |= {shown}
            erased[resource.name] = row, body, key, members
            needles += digits
        world.settle()
        self.assertFalse(any(self.service.log_text_hits(needles).values()), "the log has it sealed")
        for resource in personal:
            if not resource.holder:
                person = f"{resource.kind}/{erased[resource.name][0]['id']}"
                self.assertTrue(json.loads(self.service.command("erase", person, "--reason", "asked for"))["recorded"])
        world.settle()
        for resource in personal:
            row, body, key, members = erased[resource.name]
            left = self.check(world.owner.get(world.at(resource, row)), 200)
            listed = next(each for each in world.rows(resource) if each["id"] == row["id"])
            self.assertEqual([name for name in members if not (is_empty(left[name]) and is_empty(listed[name]))], [], resource.name)
            self.check_refused(world.owner.post(main_list(resource).path, body, key), 404, "NOT_FOUND")
        self.check_nowhere(needles)

    def check_nowhere(self, needles):
        """They stand in no table, in no stream of events, and in nothing that is told of what was done."""
        for schema in ("read", "log", "projection", "ops", "auth", "vault", "reactor"):
            for table in support.tables_of(self.service.postgres, schema):
                self.assertEqual(support.clear_text_hits(self.service.postgres, table, needles), [], table)
        told = [self.service.command("tap", "--from", "start", "--until-idle", *personal) for personal in ((), ("--personal",))]
        told += [self.world.owner.get(path, limit=200).text for path in ("/api/audit-log", "/api/dashboard/recent-activity")]
        for text in told:
            self.assertEqual([needle for needle in needles if needle in text], [])

    def test_rebuild(self):
        before, after = support.checksums_around_rebuild(self.service)
        self.assertEqual([table for table, rows in before.items() if rows.startswith("0 rows")], [], "the case proves nothing")
        self.assertEqual(after, before)


class ResourcesTest(Contract, rest.RestCase, support.ServiceCase):

    def test_a_row_stands_for_each_resource(self):
        nested = {name for resource in RESOURCES for name in resource.nested}
        self.assertEqual({f"{resource.name}.list" for resource in RESOURCES} | nested, set(LISTS), "resources.py beside the description")
        for resource in RESOURCES:
            self.assertEqual(resource.body is not None, "post" in DESCRIPTION["paths"][main_list(resource).path], "whether somebody makes it")
            for name in main_list(resource).filters:
                self.assertTrue(name in resource.filters or name in main_list(resource).members, f"say what {name} filters by")

    @of_each(MADE)
    def test_a_row_lives(self, resource):
        """It is read as it was made, changed where clients may, and it goes."""
        client = self.world.client(resource)
        made = self.world.make(resource)
        where, tag = made.headers["Location"], made.headers["ETag"]
        row = {name: value for name, value in made.body.items() if name not in resource.shown_once}
        self.assertEqual(where, self.world.at(resource, row))
        self.check_read(resource, where, row, tag)
        if is_changed(resource):
            self.check_changes(resource, where, row, tag)
        self.check_gone(resource, where)

    def check_changes(self, resource, where, row, tag):
        """It is written as it was read, and changed in what is said alone, by nobody who saw it before."""
        client = self.world.client(resource)
        for sent in (client.put(where, row), client.put(where, {}), client.patch(where, {}), client.patch(where, {
                "id": 1, "createdAt": "2001-01-01T00:00:00.000Z", "updatedAt": "2001-01-01T00:00:00.000Z"})):
            self.assertEqual((self.check(sent, 200), sent.headers["ETag"]), (row, tag), "nothing changes")
        changed = client.patch(where, resource.change, {"If-Match": tag})
        after = self.check(changed, 200)
        self.assertEqual({name for name in row if row[name] != after[name]}, {*resource.change, "updatedAt"})
        self.assertEqual({name: after[name] for name in resource.change}, resource.change)
        for name, method, verb, operation in row_operations(resource):
            if takes(operation, "IfMatch"):
                stale = self.world.client(resource, operation).send(
                    method, where + verb, self.world.body_of(resource, name, operation), {"If-Match": tag})
                # An act that the row's state or another rule refuses is refused for that.
                self.assertIn(stale.status, (404, 409, 412) if method == "POST" else (412,), str(stale))
        self.check_read(resource, where, after, changed.headers["ETag"])

    def check_read(self, resource, where, row, tag):
        """Whoever made the row reads it so."""
        read = self.world.client(resource).get(where)
        body = self.check(read, 200)
        self.assertEqual(({name: body[name] for name in row}, read.headers["ETag"]), (row, tag))

    def check_gone(self, resource, where):
        """It is deleted, where it can be: it is there no more, or as the deletion left it, and so after a second one."""
        client = self.world.client(resource)
        if "delete" not in DESCRIPTION["paths"][main_list(resource).path + "/{id}"]:
            return
        gone = client.delete(where)
        self.assertIn(gone.status, (200, 204), str(gone))
        for answer in (client.get(where), client.delete(where)):
            if answer.status == 404:
                self.check_refused(answer, 404, "NOT_FOUND")
            else:
                body = self.check(answer, 200)
                self.assertEqual({name: body[name] for name in gone.body}, gone.body)

    @of_each(MADE)
    def test_a_repeated_idempotency_key(self, resource):
        """It gets the first answer and does nothing twice; under another request it is refused."""
        client, path = self.world.client(resource), main_list(resource).path
        before = set(ids(self.world.rows(resource)))
        body = self.world.body(resource, self.world.live, next(self.world.numbers))
        row = self.check_once(lambda key, body=body, **more: client.post(path, body, key, **more), 201).body
        key = {"Idempotency-Key": secrets.token_hex(8)}
        self.check(client.post(path, self.world.body(resource, self.world.live, next(self.world.numbers)), key), 201)
        self.check_refused(client.post(path, body, key), 409, "IDEMPOTENCY_KEY_CONFLICT")
        self.assertEqual(len(set(ids(self.world.rows(resource))) - before), 2)
        where = self.world.at(resource, row)
        self.world.settle()
        for name, method, verb, operation in row_operations(resource):
            if takes(operation, "IdempotencyKey"):
                sent, doer = self.world.body_of(resource, name, operation), self.world.client(resource, operation)
                self.check_once(lambda key, **more: doer.send(method, where + verb, sent, key, **more), 200, 201, 202, 204, 404, 409,
                                state=lambda: client.get(where).headers["ETag"])

    def check_once(self, send, *statuses, state=lambda: None):
        """The first answer, which a repetition gets without any effect, and another query under the key does not."""
        key = {"Idempotency-Key": secrets.token_hex(8)}
        first = send(key)
        self.assertIn(first.status, statuses, str(first))
        self.assertNotIn("Idempotency-Replayed", first.headers)
        after = state()
        self.check_refused(send(key, a="b"), 409, "IDEMPOTENCY_KEY_CONFLICT")
        again = send(key)
        self.assertEqual((again.status, again.body, again.headers["Idempotency-Replayed"]), (first.status, first.body, "true"), str(again))
        for name in ("Location", "ETag"):
            self.assertEqual(again.headers[name], first.headers[name], name)
        self.assertEqual(state(), after)
        return first

    @of_each(RESOURCES)
    def test_sorts_and_pages(self, resource):
        """Each order both ways, rows of equal keys by their ids, in pages that have each row once, for whoever sees some of them."""
        for listed, path, client, query, rows in self.world.listings(resource):
            for sort in listed.sorts:
                expected = in_order(resource, rows, sort)
                got = list(rest.pages(client, path, sort=sort, limit=PAGE, **query))
                self.assertEqual(ids(row for page in got for row in page), ids(expected), f"{path} {sort}")
                self.assertEqual({len(page) for page in got[:-1]} - {PAGE}, set())
            self.assertEqual(ids(rows), ids(in_order(resource, rows, listed.sorts[0])), "by default the first")

    @of_each(MADE)
    def test_the_rows_try_each_order(self, resource):
        listed = main_list(resource)
        for sort in listed.sorts:
            keys = [str(sort_key(resource, sort)(row)) for row in self.world.rows(resource)]
            self.assertGreater(len(set(keys)), 1, sort)
            if sort.lstrip("-") not in ("createdAt", *resource.unique):
                self.assertLess(len(set(keys)), len(keys), sort)

    @of_each(RESOURCES)
    def test_what_a_list_refuses(self, resource):
        """Pages of no rows, and values that a parameter can't have; of more than a page can have it has as many as it can."""
        client = self.world.client(resource)
        for listed in (main_list(resource), *(LISTS[name] for name in resource.nested)):
            path = listed.path.replace("{id}", str(self.world.staff))
            for text in ("0", "-1", "abc", "1.5", "", "1e2", "99999999999999999999"):
                self.check_fields(client.get(path, limit=text), "limit")
            for query, limit in (({}, 50), ({"limit": 200}, 200), ({"limit": 201}, 200), ({"limit": 1_000_000}, 200)):
                self.assertEqual(self.check(client.get(path, **query), 200)["pagination"]["limit"], limit)
            wrong = {"sort": "~", "facilityId": "a", "orgUnitId": "1.0"} | ({"updatedSince": "yesterday"} if listed.since else {})
            for name, value in (wrong | {name: "~" for name, schema in listed.filters.items() if has_rule(schema)}).items():
                answer = client.get(path, **{name: value})
                self.check_refused(answer, 400, "VALIDATION_ERROR")
                self.assertEqual({field.split("[")[0] for field in answer.fields}, {name}, str(answer))

    @of_each(RESOURCES)
    def test_cursors(self, resource):
        """One leads on in its own list alone, by its own filters, order and credential."""
        for listed, path, client, query, rows in self.world.listings(resource):
            if len(rows) < 2:
                continue
            cursor = self.check(client.get(path, limit=1, **query), 200)["pagination"]["nextCursor"]
            self.assertEqual(ids(self.check(client.get(path, limit=3, cursor=cursor, **query), 200)["data"]), ids(rows[1:4]))
            others = [{"sort": listed.sorts[1]}, *([{"updatedSince": rows[0]["updatedAt"]}] if listed.since else [])]
            others += [{name: value} for name, schema in listed.filters.items() if name not in query
                       for value in filter_values(resource, name, schema, rows)[:1]]
            refused = [client.get(path, cursor=cursor, **query, **other) for other in others]
            refused.append(client.get("/api/staff" if path != "/api/staff" else "/api/shifts", cursor=cursor, **query))
            if resource.seen and client is not self.world.bound:
                refused.append(self.world.bound.get(path, cursor=cursor, **query))
            for answer in refused:
                self.check_refused(answer, 400, "INVALID_CURSOR")

    @of_each(MADE)
    def test_pages_while_rows_come(self, resource):
        """Those that come and change disturb no others."""
        client, path, query = self.world.client(resource), main_list(resource).path, self.world.query(resource)
        for sort in ("createdAt", "-createdAt"):
            before, seen, cursor = ids(every(client, path, sort=sort, **query)), [], {}
            for turn in itertools.count():
                page = self.check(client.get(path, sort=sort, limit=PAGE, **query, **cursor), 200)
                seen += ids(page["data"])
                if not page["pagination"]["hasMore"]:
                    break
                cursor = {"cursor": page["pagination"]["nextCursor"]}
                if turn < 2:
                    new = self.world.make(resource).body
                if turn < 2 and is_changed(resource):
                    self.check(client.patch(self.world.at(resource, new), resource.change), 200)
            self.assertEqual(len(seen), len(set(seen)))
            self.assertEqual([one for one in seen if one in set(before)], before)

    @of_each(RESOURCES)
    def test_filters(self, resource):
        """Each gives the rows that its value names, all of them and no other, of those that one sees."""
        everything = self.world.rows(resource)
        for number, (listed, path, client, query, rows) in enumerate(self.world.listings(resource)):
            for name, schema in listed.filters.items():
                proven = False
                for value in filter_values(resource, name, schema, everything):
                    expected = [row for row in rows if passes(resource, self.world, name, schema, row, value)]
                    self.assertEqual(ids(every(client, path, **query | {name: value})), ids(expected), f"{path} {name}={value}")
                    proven |= 0 < len(expected) < len(rows)
                self.assertTrue(proven or number or name in resource.unset, f"{path} {name}: the case proves nothing")
                if name in listed.whole:
                    self.assertEqual(ids(every(client, path, **{key: value for key, value in query.items() if key != name})),
                                     ids(row for row in rows if row[name] or listed.defaults.get(name) == "any"), "what is active")
            self.check_common_filters(resource, listed, path, client, query, rows)

    def check_common_filters(self, resource, listed, path, client, query, rows):
        """`q` and `updatedSince`, and the place that the list was taken from."""
        if listed.searches and rows:
            for text in {text for text in resource.texts(rows[0]) if len(text) > 1} | {"%%", "__", "(.*)"}:
                expected = [row for row in rows if any(text.casefold() in each.casefold() for each in resource.texts(row))]
                self.assertEqual(ids(every(client, path, q=text.upper(), **query)), ids(expected), f"{path} q={text}")
        if listed.since and rows:
            since = sorted(row["updatedAt"] for row in rows)[len(rows) // 2]
            self.assertEqual(ids(every(client, path, updatedSince=since, **query)), ids(row for row in rows if row["updatedAt"] >= since))

    def check_apart(self, resource, client, hidden, shown=None):
        """The client sees `shown` in the list, at least none of `hidden`, and can neither read nor change any of these."""
        listed = main_list(resource)
        answer = client.get(listed.path)
        if answer.status == 403 and not shown:
            self.check_refused(answer, 403, answer.code)
        else:
            seen = ids(every(client, listed.path, **listed.whole))
            self.assertEqual(seen if shown is not None else [], ids(shown or []), listed.path)
            self.assertEqual(set(seen) & set(ids(hidden)), set(), listed.path)
        answers = [client.get(self.world.at(resource, row)) for row in hidden[:3] if f"{resource.name}.get" in OPERATIONS]
        answers += [client.send(method, self.world.at(resource, row) + verb, self.world.body_of(resource, name, operation))
                    for row in hidden[:1] for name, method, verb, operation in row_operations(resource)]
        for answer in answers:
            if answer.status == 404:
                self.check_refused(answer, 404, "NOT_FOUND")
            else:
                self.assertIn(answer.code, ("FORBIDDEN", "INSUFFICIENT_SCOPE"), str(answer))

    def check_partly_seen(self, resource, client, shown):
        """The client sees these rows, as whoever made them does, and no others."""
        rows = self.world.rows(resource)
        self.check_apart(resource, client, [row for row in rows if row["id"] not in set(ids(shown))], shown)
        self.assertTrue(0 < len(shown) <= len(rows), "the case proves nothing")
        for row in shown[:3]:
            if f"{resource.name}.get" in OPERATIONS:
                read = self.check(client.get(self.world.at(resource, row)), 200)
                self.assertEqual({name: read[name] for name in lasting(row) if name not in resource.shortened},
                                 {name: value for name, value in lasting(row).items() if name not in resource.shortened})

    @leaves_all
    @of_each(RESOURCES)
    def test_who_is_bound_to_a_facility(self, resource):
        """They see and change what is of it, and make nothing elsewhere."""
        there = self.world.live.facility(1)
        if not resource.seen:
            return
        _, (client, _, shown), *_ = self.world.views(resource)
        self.check_partly_seen(resource, client, shown)
        at = every(self.world.client(resource), main_list(resource).path, facilityId=self.world.here, **self.world.query(resource))
        self.assertEqual(ids(at), ids(shown), "as a filter")
        if f"{resource.name}.update" in OPERATIONS and resource.by == "owner":
            self.check(client.patch(self.world.at(resource, shown[0]), {}), 200)
        place = {"facilityId": there, "facilityIds": [there]}
        for name in place.keys() & (create_schema(resource) if resource.body else {}):
            body = self.world.body(resource, self.world.live, next(self.world.numbers)) | {name: place[name]}
            refused = client.post(main_list(resource).path, body)
            self.assertIn((refused.status, refused.code), ((403, "FACILITY_SCOPE_VIOLATION"), (404, "NOT_FOUND")), str(refused))

    @leaves_all
    @of_each(RESOURCES)
    def test_who_sees_rows_of_their_own(self, resource):
        if resource.own:
            self.check_partly_seen(resource, self.world.person, list(self.world.views(resource))[-1][2])
        else:
            self.check_refused(self.world.person.get(main_list(resource).path), 403, "FORBIDDEN")

    @leaves_all
    @of_each(RESOURCES)
    def test_another_organization(self, resource):
        home = self.service.demo["organizationId"]
        rows = [row for row in self.world.rows(resource) if row.get("organizationId", row["id"]) != home]
        self.check_apart(resource, self.world.foreign, rows)
        if resource.name not in ("api_keys", "notifications"):  # of people, and of a user wherever they act
            refused = self.world.foreign.get(main_list(resource).path, orgUnitId=self.world.organization)
            self.check_refused(refused, 403, "ORG_SCOPE_VIOLATION")

    @leaves_all
    @of_each(RESOURCES)
    def test_the_sandbox(self, resource):
        """Its rows are invisible live, and the reverse."""
        rows, sandbox = self.world.rows(resource), self.world.sandbox
        if resource.sandbox == TWIN:
            self.assertEqual(ids(every(sandbox.client, main_list(resource).path)), list(sandbox.places))
            self.check_apart(resource, sandbox.client, [row for row in rows if row["id"] not in sandbox.places])
            return
        own = every(sandbox.client, main_list(resource).path, **main_list(resource).whole) if resource.sandbox == OWN else []
        self.assertTrue(own or resource.sandbox != OWN)
        if resource.name in sandbox.made:
            self.assertEqual(sorted(ids(own)), sorted(ids(sandbox.made[resource.name])))
        self.check_apart(resource, sandbox.client, rows, own)
        self.check_apart(resource, self.world.client(resource), own, rows if not resource.names_organization else None)

    def test_the_python_client_reads_every_answer(self):
        """What operations that read, and those on a row, answer is what the models of the client say, member by member."""
        with api_clients.recorded() as answers:
            for resource in RESOURCES:
                client = self.world.client(resource)
                for listed in (main_list(resource), *(LISTS[name] for name in resource.nested)):
                    path = listed.path.replace("{id}", str(self.world.staff))
                    every(client, path, **self.world.query(resource) if listed is main_list(resource) else {})
                for name, method, verb, operation in row_operations(resource) if resource.body else ():
                    where = self.world.at(resource, self.world.make(resource).body)
                    self.world.client(resource, operation).send(method, where + verb, self.world.body_of(resource, name, operation))
                if not resource.body and f"{resource.name}.get" in OPERATIONS:
                    client.get(self.world.at(resource, self.world.rows(resource)[0]))
            self.read_the_rest()
        self.assertEqual(api_clients.faults(answers), "")
        reads = {api_clients.method_of(operation) for method, _, operation in OPERATIONS.values() if method == "GET"}
        read = {api_clients.operation_of(method, path) for method, path, answer in answers if method == "GET" and answer.status == 200}
        self.assertEqual(reads - read, set(), "operations that nobody asked")
        pages = {api_clients.method_of(operation) for _, _, operation in OPERATIONS.values() if page_of(operation)}
        full = {api_clients.operation_of(method, path) for method, path, answer in answers if isinstance(answer.body, dict) and answer.body.get("data")}
        self.assertEqual(pages - full, set(), "pages that show no row")

    def read_the_rest(self):
        """What is not below a row, by everybody; deliveries, of which a new subscription has none; and what works by itself."""
        world, named = self.world, {resource.name: resource for resource in RESOURCES}
        needed = {"search.all": {"q": "ex"}, "sandbox.get": {"facilityId": world.here}, "staff.available": {"shiftId": world.make(named["shifts"]).body["id"]}}
        for name, (method, path, _) in OPERATIONS.items():
            for client in (world.owner, world.operator, world.person) if method == "GET" and "{" not in path else ():
                client.get(path, **needed.get(name, {}))
        agent, run, connection = world.trigger["agentId"], world.run["id"], f"/api/apps/connections/{world.connection['id']}"
        for path in (f"/api/agents/{agent}", f"/api/agents/{agent}/runs", f"/api/agents/{agent}/runs/{run}", f"/api/agent-runs/{run}",
                     connection, "/api/apps/executions"):
            self.check(world.owner.get(path), 200)
        for path in ("", f"/{world.trigger['id']}"):
            self.check(world.owner.get(f"/api/agent-builder/{agent}/triggers{path}"), 200)
        address = urlsplit(self.check(world.owner.post(f"/api/staff/{world.staff}/calendar-token"), 200)["url"])
        self.check(world.owner.get(address.path, token=address.query.partition("=")[2]), 200)
        where = world.make(named["conversations"]).headers["Location"] + "/messages"
        sent = world.owner.post(where, {"body": "Hello"})
        for path in (where, sent.headers["Location"]):
            self.check(world.owner.get(path), 200)
        where = world.make(named["webhooks"]).headers["Location"]
        self.check(world.owner.post(f"{where}/test"), 200)
        support.wait_until(lambda: self.check(world.owner.get(f"{where}/deliveries"), 200)["data"], webhooks.SENT_SECONDS, "a delivery")


class ResourcesOnKafkaTest(OnKafka, Contract, rest.RestCase, support.ServiceCase):
    pass
