# The MCP host: messages of both eras, what tools answer and refuse, limits, and the rules of hosts and origins.

import concurrent.futures
import contextlib
import http.client
import json
import secrets
from urllib.parse import urlsplit

import jsonschema
import mcp
import people
import rest

MISSING = 10**12  # an id that nothing has
# Models of the tier standard or a higher one, which will do as well.
EQUIVALENT_TO_STANDARD = ["*-mini", "*-flash", "*-haiku*", "*-pro", "*-sonnet*", "*-opus*", "gpt-*"]
service = live = api = None


def setUpModule():
    global service, live, api
    service = rest.start_service({"WORKFORCE_MCP_DIAGNOSTICS": "true"})
    live, api = mcp.client_of(service), rest.client_of(service)


def shift(**fields):
    """Arguments of shifts_create."""
    return {"facilityId": service.demo["facilityIds"][0], "title": "Night", "date": "2030-05-01", "startTime": "20:00",
            "endTime": "23:00", "requiredWorkers": 1} | fields


def keyed(scopes, *options):
    """A client with a key of the demo customer that has the scopes."""
    made = json.loads(service.command("keys", "create", "--name", "mcp", "--organization", str(service.demo["organizationId"]),
                                      "--scopes", ",".join(scopes), *options))
    rest.wait_for_key(service, made["id"])
    return mcp.Client(mcp.url_of(service), made["key"])


class HostTest(rest.RestCase):

    def test_each_host_has_its_own_paths(self):
        for path in ("/mcp", "/mcp/", "/mcp/health", "/mcp/stream/st_x", "/.well-known/mcp"):
            details = self.check_refused(api.get(path), 403, "MCP_HOST_NOT_ALLOWED")
            self.assertEqual(details, {"mcpUrl": mcp.url_of(service)})
        host = rest.Client(mcp.url_of(service), service.demo["keys"]["live"])
        for path in ("/api/auth/me", "/openapi.json", "/", "/mcpx", "/mcp/stream/"):
            self.check_refused(host.get(path), 404, "NOT_FOUND")
        self.assertEqual(self.check(host.get("/healthz"), 200), {"status": "ok"})
        # The Host field tells, not the port.
        elsewhere = {"Host": api.get("/healthz").headers.get("Host", service.demo["baseUrl"].split("//")[1])}
        self.check(host.get("/api/auth/me", elsewhere), 200)
        self.check_refused(host.get("/mcp", {"Host": "evil.example"}), 403, "MCP_HOST_NOT_ALLOWED")
        for url in (service.demo["baseUrl"], mcp.url_of(service)):
            told = self.check(rest.Client(url).get("/.well-known/oauth-protected-resource/mcp"), 200)
            self.assertEqual(told["resource"], mcp.url_of(service) + "/mcp")
            self.assertEqual(told["authorization_servers"], [service.demo["baseUrl"]])
            told = self.check(rest.Client(url).get("/.well-known/oauth-protected-resource"), 200)
            self.assertEqual(told["resource"], url)

    def test_a_target_in_absolute_form_names_the_host(self):
        """And Host means nothing then (RFC 9112 3.2.2)."""
        rest_host, mcp_host = (urlsplit(url).netloc for url in (service.demo["baseUrl"], mcp.url_of(service)))
        body = json.dumps(live.message("ping")).encode()
        headers = {"Authorization": f"Bearer {service.demo['keys']['live']}", "Content-Type": "application/json",
                   "MCP-Protocol-Version": live.version}
        for named, said, status in ((rest_host, mcp_host, 403), (mcp_host, rest_host, 200), (mcp_host, "evil.example", 200)):
            for listener in (rest_host, mcp_host):
                with self.subTest(named=named, said=said, listener=listener):
                    connection = http.client.HTTPConnection(listener, timeout=60)
                    self.addCleanup(connection.close)
                    connection.request("POST", f"http://{named}/mcp", body, headers | {"Host": said})
                    answer = rest.Answer(f"POST http://{named}/mcp with Host {said}", connection.getresponse())
                    self.assertEqual(answer.status, status, str(answer))

    def test_health_counts(self):
        with live.open("GET", path="/mcp/health", headers={"Authorization": None}) as reply:
            told = reply.read().body
        tools = [tool for tool in live.tools() if not tool.startswith(("test_", "json_"))]
        self.assertEqual(told["toolCount"], len(tools))
        of_people = {"notifications_list", "usage_summary", "usage_outcomes", "agents_list", "agent_run_get", "agent_run_start",
                     "approvals_list", "approvals_get"}  # not for runs of agents
        self.assertEqual(told["headlessToolCount"], len(set(tools) - of_people))
        paths = api.get("/openapi.json").body["paths"]
        verbs = [operation["operationId"] for path, methods in paths.items() for operation in methods.values()
                 if path.startswith("/api/") and path not in ("/api/scopes", "/api/openapi.json")]  # which are documents
        self.assertEqual(told["verbCount"], len(verbs))
        self.assertIs(told["ok"], True)

    def test_methods(self):
        for method in ("GET", "DELETE", "PUT", "PATCH"):
            with live.open(method) as reply:
                self.assertEqual((reply.read().status, reply.headers["Allow"], reply.body["id"]), (405, "POST", None))
        with live.open("POST", path="/mcp/health") as reply:
            self.assertEqual((reply.read().status, reply.headers["Allow"]), (405, "GET"))

    def test_origins(self):
        for origin, status in ((service.demo["baseUrl"], 200), (mcp.url_of(service), 200), ("http://evil.example", 403), ("null", 403)):
            reply = live.request("ping", headers={"Origin": origin})
            self.assertEqual(reply.status, status, str(reply))
            self.assertEqual(reply.headers.get("Access-Control-Allow-Origin"), origin if status == 200 else None)
        with live.open("OPTIONS", headers={"Origin": service.demo["baseUrl"], "Access-Control-Request-Method": "POST"}) as reply:
            self.assertEqual(reply.read().status, 204)
            self.assertIn("Mcp-Method", reply.headers["Access-Control-Allow-Headers"])

    def test_credentials(self):
        for key, code in ((None, "UNAUTHENTICATED"), ("svc_live_none", "INVALID_API_KEY")):
            reply = mcp.Client(mcp.url_of(service), key).request("ping")
            self.assertEqual((reply.status, reply.body["id"], reply.error["code"]), (401, None, -32001), str(reply))
            self.assertEqual(reply.error["data"]["code"], code)
            self.assertRegex(reply.headers["WWW-Authenticate"], 'Bearer resource_metadata="[^"]*/.well-known/oauth-protected-resource/mcp", '
                                                                'scope="[^"]*staff:read')


class MessageTest(rest.RestCase):

    def test_the_handshake(self):
        for version in (mcp.OLDEST, mcp.HANDSHAKE):
            told = mcp.client_of(service, version=version).initialize()
            self.assertEqual(told["protocolVersion"], version)
            self.assertEqual(told["serverInfo"]["name"], "workforce")
        other = live.request("initialize", {"protocolVersion": "1999-01-01", "capabilities": {}, "clientInfo": {}}).result
        self.assertEqual(other["protocolVersion"], mcp.HANDSHAKE)
        self.assertEqual(live.request("ping").result, {})
        with live.open("POST", json.dumps(live.message("ping")).encode(), {"Content-Type": "application/json"}, "/mcp/") as reply:
            self.assertEqual(reply.read().result, {})

    def test_lists_of_nothing(self):
        for version in mcp.VERSIONS:
            client = mcp.client_of(service, version=version)
            for method, member in (("resources/list", "resources"), ("resources/templates/list", "resourceTemplates"),
                                   ("prompts/list", "prompts")):
                told = client.request(method).result
                self.assertEqual(told[member], [])
                self.assertEqual("ttlMs" in told, version == mcp.STATELESS)

    def test_faults_of_messages(self):
        for body, status, code in ((b"{", 400, mcp.PARSE_ERROR), (b"", 400, mcp.PARSE_ERROR), (b"7", 400, mcp.INVALID_REQUEST),
                                   (b"[]", 400, mcp.INVALID_REQUEST), (b'{"jsonrpc":"2.0","id":1}', 400, mcp.INVALID_REQUEST),
                                   (b"[" * 5000, 400, mcp.PARSE_ERROR), (b" " * (1 << 20) + b"{}", 413, mcp.INVALID_REQUEST)):
            reply = live.post(body)
            self.assertEqual((reply.status, reply.error["code"]), (status, code), str(reply))
        wrong = live.post(live.message("ping"), headers={"Content-Type": "text/plain"})
        self.assertEqual((wrong.status, wrong.error["code"]), (415, mcp.INVALID_REQUEST))
        self.assertEqual(live.request("nothing/here").error["code"], mcp.NO_METHOD)
        self.assertEqual(live.request("nothing/here").status, 200)
        now = mcp.client_of(service, version=mcp.STATELESS)
        for method in ("nothing/here", "ping", "initialize"):
            self.assertEqual((now.request(method).status, now.request(method).error["code"]), (404, mcp.NO_METHOD))
        for params in ({"cursor": "!"}, {"cursor": 7}, {"cursor": "bm90aGluZw"}):
            self.assertEqual(live.request("tools/list", params).error["code"], mcp.INVALID_PARAMS)

    def test_what_is_no_request_gets_no_answer(self):
        for message in ({"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "shifts_create", "arguments": shift(title="Never")}},
                        {"jsonrpc": "2.0", "id": 4, "result": {}}, {"jsonrpc": "2.0", "method": "notifications/initialized"}):
            reply = live.post(message)
            self.assertEqual((reply.status, reply.text), (202, ""))
        self.assertEqual(api.get("/api/shifts", q="Never").body["data"], [])

    def test_ids_come_back_as_they_were(self):
        for id_ in (0, -5, 2**53, "a", "", "ü\"\n", 1.5):
            self.assertEqual(live.post(live.message("ping", id_=id_)).body["id"], id_)


class ToolTest(rest.RestCase):

    def check_denied(self, reply, code, **more):
        self.assertEqual((reply.status, reply.error["code"]), (200, mcp.DENIED), str(reply))
        data = reply.error["data"]
        self.assertEqual(data["code"], code, str(reply))
        self.assertIn("\nSuggestion: ", reply.error["message"])
        self.assertEqual(rest.absent_details(data), [], str(reply))
        for name, value in more.items():
            self.assertEqual(data.get(name), value, str(reply))

    def test_a_tool_answers_what_rest_does(self):
        tools = live.tools()
        facility = service.demo["facilityIds"][0]
        made = live.call("shifts_create", shift()).content
        same = (("whoami", {}, "/api/auth/me", {}), ("facilities_get", {"facilityId": facility}, f"/api/facilities/{facility}", {}),
                ("facilities_list", {"limit": 1}, "/api/facilities", {"limit": 1}),
                ("shifts_get", {"shiftId": made["id"]}, f"/api/shifts/{made['id']}", {}),
                ("shifts_list", {"status": ["open", "assigned"], "limit": 2}, "/api/shifts", {"status": "open,assigned", "limit": 2}),
                ("staff_list", {"isActive": True, "limit": 3}, "/api/staff", {"isActive": "true", "limit": 3}),
                ("staff_list", {"isActive": "any", "limit": 3}, "/api/staff", {"isActive": "any", "limit": 3}),
                ("leads_list", {}, "/api/crm/leads", {}))
        for version in mcp.VERSIONS:
            client = mcp.client_of(service, version=version)
            for tool, arguments, path, query in same:
                reply = client.call(tool, arguments)
                shown = self.check(api.get(path, **query), 200)
                content = dict(reply.content)
                if tool == "whoami":  # the user's role bounds a key here, and not there
                    self.assertLess(set(content.pop("permissions")), set(shown.pop("permissions")))
                self.assertEqual(content, shown)
                jsonschema.validate(reply.result["structuredContent"], tools[tool]["outputSchema"],
                                    jsonschema.Draft202012Validator)
                self.assertEqual(json.loads(reply.result["content"][0]["text"]), reply.result["structuredContent"])
                self.assertEqual(reply.result.get("resultType"), "complete" if version == mcp.STATELESS else None)
        activity = live.call("activity_recent", {"limit": 2}).content
        self.assertEqual(activity, {"data": self.check(api.get("/api/dashboard/recent-activity", limit=2), 200)})
        self.assertIn("recentActivity", live.call("dashboard_stats").content)

    def test_schemas_are_schemas(self):
        for tool in live.tools().values():
            for schema in (tool["inputSchema"], tool.get("outputSchema", {})):
                jsonschema.Draft202012Validator.check_schema(schema)

    def test_lists_page_by_cursor(self):
        seen, cursor = [], None
        for _ in range(100):
            page = live.call("facilities_list", {"limit": 1} | ({"cursor": cursor} if cursor else {})).content
            seen += [row["id"] for row in page["data"]]
            cursor = page["pagination"]["nextCursor"]
            if cursor is None:
                break
        self.assertEqual(len(seen), len(set(seen)))
        self.assertGreaterEqual(len(seen), len(service.demo["facilityIds"]))

    def test_writes_are_done_and_read_back_at_once(self):
        made = live.call("shifts_create", shift(title="Written")).content
        self.assertEqual(self.check(api.get(f"/api/shifts/{made['id']}"), 200)["title"], "Written")
        person = live.call("staff_create", {"firstName": "Ada", "lastName": "Byron", "email": f"{secrets.token_hex(4)}@example.test",
                                            "facilityIds": [made["facilityId"]]}).content
        filled = live.call("shifts_assign", {"shiftId": made["id"], "staffIds": [person["id"]]}).content
        self.assertIs(filled["filled"], True)
        freed = live.call("shifts_unassign", {"shiftId": made["id"], "staffIds": [person["id"]]}).content
        self.assertEqual(freed["assignedStaffIds"], [])
        changed = live.call("shifts_update", {"shiftId": made["id"], "notes": "Bring a torch"}).content
        self.assertEqual(changed["notes"], "Bring a torch")
        self.assertEqual(live.call("shifts_cancel", {"shiftId": made["id"], "reason": "No demand"}).content["status"], "cancelled")
        lead = live.call("leads_create", {"company": "Acme"}).content
        self.assertEqual(live.call("leads_update", {"leadId": lead["id"], "status": "contacted"}).content["status"], "contacted")

    def test_several_shifts_are_created_at_once(self):
        several = {"shifts": [shift(title="First of two"), shift(title="Second of two", date="2030-05-02")]}
        made = live.call("shifts_create", several).content["data"]
        self.assertEqual([each["title"] for each in made], ["First of two", "Second of two"])
        for each in made:
            self.assertEqual(self.check(api.get(f"/api/shifts/{each['id']}"), 200), each)
        for arguments, fields in (({}, {"facilityId", "title", "date", "startTime", "endTime"}), ({"shifts": []}, {"shifts"}),
                                  ({"shifts": [shift(), shift(title="")]}, {"shifts[1].title"}),
                                  (several | {"title": "Both", "notes": "x"}, {"title", "notes"})):
            failure = live.call("shifts_create", arguments).failure
            self.assertEqual((failure["code"], {fault["field"] for fault in failure["details"]["fields"]}),
                             ("VALIDATION_ERROR", fields))

    def test_what_may_be_repeated_says_so(self):
        tools = live.tools()
        person = live.call("staff_create", {"firstName": "Re", "lastName": "Peat", "email": f"{secrets.token_hex(4)}@example.test"}).content
        made = live.call("shifts_create", shift(title="Repeated")).content
        credential = live.call("credentials_add", {"staffId": person["id"], "type": "license", "name": "Nurse"}).content
        lead = live.call("leads_create", {"company": "Repeat"}).content
        repeated = {"staff_update": {"staffId": person["id"], "phone": "+1 555"}, "leads_update": {"leadId": lead["id"], "notes": "n"},
                    "shifts_update": {"shiftId": made["id"], "notes": "n"},
                    "shifts_assign": {"shiftId": made["id"], "staffIds": [person["id"]]},
                    "shifts_cancel": {"shiftId": made["id"], "reason": "No demand"},
                    "credentials_expire": {"credentialId": credential["id"]}}
        hints = {name: tool.get("annotations", {}) for name, tool in tools.items()}
        waiting = {"staff_deactivate", "timesheets_approve"}  # a repeat waits as the first one does
        self.assertEqual({name for name, hint in hints.items() if hint.get("idempotentHint") and not hint["readOnlyHint"]},
                         set(repeated) | waiting)
        for name, arguments in repeated.items():
            first, second = (live.call(name, arguments).content for _ in range(2))
            self.assertEqual(second["updatedAt"], first["updatedAt"], name)

    def test_a_repeated_key_gets_the_first_answer(self):
        key = secrets.token_hex(8)
        for by_header in (False, True):
            title = f"Once {secrets.token_hex(4)}"
            own = {"headers": {"Idempotency-Key": key + "h"}} if by_header else {"svc/idempotencyKey": key}
            first, second = (live.call("shifts_create", shift(title=title), **own) for _ in range(2))
            self.assertEqual(first.content, second.content)
            self.assertEqual(second.result["_meta"], {"svc/replayed": True})
            other = live.call("shifts_create", shift(title="Another"), **own)
            self.assertEqual(other.failure["code"], "IDEMPOTENCY_KEY_CONFLICT")
            self.assertEqual(len(api.get("/api/shifts", q=title).body["data"]), 1)

    def test_what_the_operation_refuses_is_a_result(self):
        for tool, arguments, code in (("shifts_get", {"shiftId": MISSING}, "NOT_FOUND"), ("shifts_get", {"shiftId": 0}, "VALIDATION_ERROR"),
                                      ("shifts_create", shift(date="2030-02-30"), "VALIDATION_ERROR"),
                                      ("shifts_list", {"limit": 0}, "VALIDATION_ERROR"),
                                      ("shifts_list", {"cursor": "x"}, "INVALID_CURSOR"),
                                      ("shifts_list", {"facilityId": MISSING}, "FACILITY_SCOPE_VIOLATION"),
                                      ("staff_list", {"orgUnitId": 1}, "ORG_SCOPE_VIOLATION")):
            reply = live.call(tool, arguments)
            self.assertEqual(reply.failure["code"], code, str(reply))
            self.assertEqual(rest.absent_details(reply.failure), [], str(reply))
            text = reply.result["content"][0]["text"]
            self.assertTrue(text.startswith(f"{code}: ") and "\nSuggestion: " in text, text)
            jsonschema.validate(reply.result["structuredContent"], live.tools()[tool]["outputSchema"])

    def test_bad_arguments(self):
        for tool, arguments, fields in (("shifts_get", {}, {"shiftId"}), ("shifts_get", {"shiftId": "1", "id": 2}, {"shiftId", "id"}),
                                        ("whoami", {"verbose": True}, {"verbose"}),
                                        ("shifts_list", {"limit": 2.5}, {"limit"}), ("shifts_list", {"limit": "2"}, {"limit"}),
                                        ("shifts_assign", {"shiftId": 1, "staffIds": [1.5]}, {"staffIds[0]"}),
                                        ("staff_create", {"firstName": "A", "lastName": "B", "email": "a@b.example.test",
                                                          "emergencyContact": {"name": "X", "relation": "mother"},
                                                          "education": [{"institution": "I"}, {"school": "S"}]},
                                         {"emergencyContact.relation", "education[1].school"}),
                                        ("staff_update", {"staffId": 1, "isActive": False}, {"isActive"})):
            reply = live.call(tool, arguments)
            self.assertEqual((reply.status, reply.error["code"]), (200, mcp.INVALID_PARAMS), str(reply))
            self.assertEqual({fault["field"] for fault in reply.error["data"]["details"]["fields"]}, fields)
        for params in ({}, {"name": 7}, {"name": "nothing"}, {"name": "whoami", "arguments": []}, {"name": "staff_reactivate"}):
            self.assertEqual(live.request("tools/call", params).error["code"], mcp.INVALID_PARAMS)
        message = json.dumps(live.call_message("staff_list", {"limit": 1}))
        error = live.post(message.replace('"limit": 1', '"limit": 1, "limit": 2').encode(),
                          headers=live.headers(json.loads(message))).error
        self.assertEqual((error["code"], error["data"]["code"]), (mcp.INVALID_PARAMS, "VALIDATION_ERROR"))
        self.assertEqual([(fault["field"], fault["rule"]) for fault in error["data"]["details"]["fields"]], [("limit", "duplicate")])
        deep = live.call("staff_create", {"firstName": json.loads("[" * 20 + "]" * 20)})
        self.assertEqual(deep.error["code"], mcp.INVALID_PARAMS)

    def test_refusals_that_nobody_reads(self):
        """They name a hundred faults however many there are, and leave others their room."""
        many = live.call_message("whoami", {f"m{n}": 0 for n in range(70_000)})
        refused = live.post(many)
        details = refused.error["data"]["details"]
        self.assertEqual((len(details["fields"]), details["total"]), (100, 70_000))
        self.assertLess(len(refused.text), 20_000)
        with contextlib.ExitStack() as unread:
            for _ in range(12):
                unread.enter_context(live.begin(many))
            self.assertLess(service.metrics()["workforce_http_reply_bytes"], 1 << 20)
            self.check(api.post("/api/shifts", shift()), 201)
            self.check(api.get("/api/shifts", limit=200), 200)

    def test_scope_role_and_tier(self):
        reader = keyed(["shifts:read"])
        self.assertEqual({tool for tool in reader.tools() if not tool.startswith(("test_", "json_"))}, {"whoami", "approvals_get", "shifts_list", "shifts_get"})
        self.check_denied(reader.call("shifts_create", shift()), "INSUFFICIENT_SCOPE", permission="shifts.create", tool="shifts_create")
        viewer = service.postgres.value("SELECT id FROM read.user_account WHERE role = 'viewer' AND NOT erased LIMIT 1")
        bound = keyed(["shifts:read", "shifts:write"], "--user", viewer)
        self.assertNotIn("shifts_create", bound.tools())
        self.check_denied(bound.call("shifts_create", shift()), "FORBIDDEN", permission="shifts.create")
        # On REST the scope alone decides.
        self.check(rest.Client(service.demo["baseUrl"], bound._key).post("/api/shifts", shift()), 201)
        low = keyed(["shifts:read", "shifts:write"], "--model-tier", "basic")
        self.check_denied(low.call("shifts_create", shift()), "TIER_REQUIRED", requiredTier="standard", credentialTier="basic",
                          tierEquivalence=EQUIVALENT_TO_STANDARD)
        tiers = self.check(api.get("/api/agents/model-tiers"), 200)
        self.assertEqual([(each["tier"], each["rank"]) for each in tiers], [("basic", 1), ("standard", 2), ("advanced", 3)])
        self.assertEqual([pattern for each in tiers[1:] for pattern in each["equivalence"]], EQUIVALENT_TO_STANDARD)
        low.call("shifts_list").content

    def test_what_the_command_itself_denies(self):
        """An override takes a permission of its own: who lacks it is told so by policy, as where a tool's own is lacking."""
        staff = live.call("staff_list").content["data"][0]["id"]
        made = live.call("shifts_create", shift()).content["id"]
        scheduler = people.make_user(service, role="scheduler")
        overrides = {"staffIds": [staff], "override": True}
        session = people.sign_in(service, scheduler["email"])
        details = self.check_refused(session.post(f"/api/shifts/{made}/assign", overrides), 403, "FORBIDDEN")
        self.assertEqual(details, {"permission": "shifts.override"})
        assigner = keyed(["shifts:read", "shifts:assign"])
        self.check_denied(assigner.call("shifts_assign", overrides | {"shiftId": made}), "INSUFFICIENT_SCOPE",
                          permission="shifts.override", tool="shifts_assign")
        bound = keyed(["shifts:read", "shifts:assign", "shifts:override"], "--user", str(scheduler["id"]))
        self.check_denied(bound.call("shifts_assign", overrides | {"shiftId": made}), "FORBIDDEN", permission="shifts.override")

    def test_a_filter_by_several_takes_one(self):
        one, several = (live.call("shifts_list", {"status": status, "limit": 5}).content for status in ("open", ["open"]))
        self.assertTrue(one["data"])
        self.assertEqual(one, several)

    def test_the_sandbox_is_apart(self):
        there = mcp.client_of(service, "test")
        made = there.call("shifts_create", shift(title="Sandboxed")).content
        self.assertEqual(live.call("shifts_get", {"shiftId": made["id"]}).failure["code"], "NOT_FOUND")
        self.assertEqual(there.call("shifts_get", {"shiftId": made["id"]}).content["title"], "Sandboxed")

    def test_many_at_once(self):
        with concurrent.futures.ThreadPoolExecutor(20) as pool:
            replies = list(pool.map(lambda _: live.call("whoami"), range(60)))
        self.assertTrue(all(reply.content["organization"]["id"] == service.demo["organizationId"] for reply in replies))

    def test_a_cancelled_call_ends(self):
        message = live.call_message("test_tool_with_progress", {"pauseMs": 20_000}, token="t")
        with live.begin(message) as reply:
            reply.read(1)
            live.notify("notifications/cancelled", {"requestId": message["id"], "reason": "enough"})
            self.assertEqual(reply.read().error["code"], -32800)

    def test_nobody_cancels_another_clients_call(self):
        """Clients that share a key count their requests alike; the session that they name tells them apart."""
        def begin(session, pause=6000):
            message = live.call_message("test_tool_with_progress", {"pauseMs": pause}, token="t") | {"id": 77}
            return live.begin(message, headers={"Mcp-Session-Id": session})

        def cancel(session):
            message = live.message("notifications/cancelled", {"requestId": 77})
            del message["id"]
            self.assertEqual(live.post(message, headers={"Mcp-Session-Id": session}).status, 202)

        with begin("one", 20_000) as first, begin("two", 1000) as second:
            first.read(2)
            second.read(2)
            cancel("one")
            self.assertEqual(first.read().error["code"], -32800)
            self.assertEqual(second.read().result["content"][0]["text"], "Done.")
        with begin("one") as first, begin("one") as second:
            first.read(2)
            second.read(2)
            cancel("one")
            for reply in (first, second):
                self.assertEqual(reply.read().result["content"][0]["text"], "Done.")

    def test_a_cancelled_call_did_nothing(self):
        """Whenever a client hangs up or cancels, the answer says what became of the call."""
        client = mcp.client_of(service, version=mcp.STATELESS)
        for number in range(20):
            title = f"Cancelled {secrets.token_hex(6)}"
            message = client.call_message("shifts_create", shift(title=title), token="t")
            with client.begin(message) as reply:
                if number % 2:
                    reply.read(1)
            with client.resume(reply.stream) as again:
                body = again.read().body
            posted = len(api.get("/api/shifts", q=title).body["data"])
            self.assertEqual(posted, 1 if "result" in body else 0, str(body))
            if "error" in body:
                self.assertEqual(body["error"]["code"], -32800)
