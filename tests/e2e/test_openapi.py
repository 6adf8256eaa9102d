# The description of the API as a document: valid OpenAPI, with named resources and examples that fit.

import json
import re
import unittest

import openapi_spec_validator
import rest
import support

FILE = support.PROJECT_ROOT / "schemas" / "openapi.json"  # as `workforce schemas` writes it
RESOURCES = {"Facility", "Staff", "Shift", "Assignment", "ActivityItem"}
FORMATS = {"date", "date-time", "email", "uri", "int64", "password"}  # JSON Schema's, and the last two of OpenAPI's registry
NAMES = {"Credential", "Webhook", "ApiKey", "ErrorResponse", "FieldError", "Scope", "WebhookEventType", "CreateUser", "SignIn"}
REQUESTS = {"CreateFacility", "UpdateFacility", "CreateStaff", "UpdateStaff", "CreateShift", "UpdateShift", "AssignStaff"}
ID = re.compile("(^id|Ids?)$")


def setUpModule():
    global description
    description = json.loads(FILE.read_text(encoding="utf-8"))


def operations():
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            yield f"{method} {path}", operation


def contents(operation):
    """The JSON bodies of an operation's request and success: what it is, and the media type object."""
    bodies = {"request": operation.get("requestBody", {})} | {
        status: answer for status, answer in operation["responses"].items() if status.startswith("2")}
    for what, body in bodies.items():
        if "application/json" in body.get("content", {}):
            yield what, body["content"]["application/json"]


def formats(node):
    """The formats that a part of the description names."""
    if isinstance(node, dict):
        if isinstance(node.get("format"), str):
            yield node["format"]
        node = node.values()
    if not isinstance(node, str) and hasattr(node, "__iter__"):
        for each in node:
            yield from formats(each)


def schemas(node, place=""):
    """All schemas of a part of the description, with their places."""
    if isinstance(node, dict):
        if place.rpartition("/")[2] in ("schema", "items", "additionalProperties") or place.rpartition("/")[0].endswith(("/properties", "/schemas")):
            yield place, node
        for key, each in node.items():
            if key not in ("example", "examples"):
                yield from schemas(each, f"{place}/{key}")
    elif isinstance(node, list):
        for each in node:
            yield from schemas(each, place)


def parts(schema):
    """The schemas that make up a schema of a body."""
    for each in schema.get("oneOf", schema.get("anyOf", [schema])):
        yield from [each] if each is schema else parts(each)


class DescriptionTest(unittest.TestCase):

    def test_it_is_valid_openapi(self):
        openapi_spec_validator.validate(description)
        self.assertEqual([server["url"] for server in description["servers"]], ["/"])

    def test_formats_are_known(self):
        self.assertEqual(set(formats(description)), FORMATS)

    def test_operations_are_tagged(self):
        tags = {tag["name"] for tag in description["tags"]}
        used = {name: operation["tags"] for name, operation in operations()}
        self.assertEqual({tag for names in used.values() for tag in names}, tags)
        self.assertTrue(all(names != ["service"] for name, names in used.items()
                            if name.partition(" ")[2].startswith("/api/") and not name.endswith(("openapi.json", "scopes"))), used)

    def test_resources_are_named(self):
        self.assertLessEqual(RESOURCES | REQUESTS | NAMES, set(description["components"]["schemas"]))
        for name, operation in operations():
            for what, content in contents(operation):
                for part in parts(content["schema"]):
                    with self.subTest(operation=name, body=what):
                        named = "$ref" in part or "$ref" in part.get("items", {})
                        self.assertTrue(named or "openapi.json" in name, part)

    def test_examples_fit_their_schemas(self):
        for name, operation in operations():
            for what, content in contents(operation):
                if "openapi.json" not in name:
                    with self.subTest(operation=name, body=what):
                        self.assertIsNone(rest.mismatch(content["example"], content["schema"], description))

    def test_each_code_has_an_example(self):
        shown = {}
        for name, refused in description["components"]["responses"].items():
            content = refused["content"]["application/json"]
            self.assertEqual(list(content["examples"]), refused["description"].split(", "), name)
            for code, example in content["examples"].items():
                with self.subTest(code=code):
                    self.assertIsNone(rest.mismatch(example["value"], content["schema"], description))
                    error = shown[code] = example["value"]["error"]
                    self.assertEqual((error["code"], rest.absent_details(error)), (code, []))
        self.assertEqual(shown["SHIFT_FULL"]["details"], {"requiredWorkers": 2, "assignedCount": 1, "addedCount": 2})

    def test_addresses_are_some_that_strict_readers_take(self):
        self.assertNotRegex(json.dumps(description), r"@[\w.-]*\.(test|invalid|local|localhost)\b")  # special-use names (RFC 6761)

    def test_ids_are_positive(self):
        seen = set()
        for name, schema in description["components"]["schemas"].items():
            for member, kind in schema.get("properties", {}).items():
                for each in (kind, kind.get("items", {})):
                    if ID.search(member) and "integer" in each.get("type", ""):
                        seen.add(member)
                        bounds = [1] if name in REQUESTS else [None, 1]  # answers have none
                        self.assertIn(each.get("minimum"), bounds, f"{name}.{member}")
                        self.assertEqual(each["format"], "int64", f"{name}.{member}")
        self.assertLessEqual({"id", "facilityId", "facilityIds", "staffId", "assignedStaffIds", "userId"}, seen)

    def test_schemas_are_those_that_generators_take(self):
        for place, schema in schemas(description):
            with self.subTest(schema=place):
                branches = [branch for choice in ("oneOf", "anyOf", "allOf") for branch in schema.get(choice, [])]
                self.assertTrue(all("$ref" in branch or "type" in branch for branch in branches), branches)
                self.assertEqual(len({type(value) for value in schema.get("enum", [""])}), 1, schema.get("enum"))
                if "enum" in schema:
                    self.assertEqual(schema.get("type"), "string")
                if schema.get("type") == "object":
                    self.assertTrue({"properties", "additionalProperties"} & set(schema), "it says neither members nor that it is open")

    def test_refusals_have_one_schema(self):
        for name, response in description["components"]["responses"].items():
            self.assertEqual(response["content"]["application/json"]["schema"], {"$ref": "#/components/schemas/ErrorResponse"}, name)
        told = {name: operation["responses"].get("409", {}).get("description", "").split(", ") for name, operation in operations()}
        self.assertIn("SHIFT_FULL", told["post /api/shifts/{id}/assign"])
        self.assertNotIn("SHIFT_FULL", told["post /api/staff"])
        self.assertIn("DUPLICATE_RESOURCE", told["post /api/staff"])
        self.assertEqual(told["get /api/staff"], [""])

    def test_people_alone_are_asked_for_no_key(self):
        for name, operation in operations():
            schemes = {scheme for each in operation.get("security", description["security"]) for scheme in each}
            self.assertEqual("bearer" in schemes, not operation.get("x-people-only") and bool(schemes), name)

    def test_one_of_two_methods_that_do_the_same_is_described(self):
        self.assertFalse([path for path, methods in description["paths"].items() if {"put", "patch"} <= set(methods)])
        self.assertEqual(description["paths"]["/api/crm/leads/{id}"]["patch"]["x-put"], "leads.put")

    def test_links_name_operations_that_are_described(self):
        names = {operation["operationId"] for _, operation in operations()}
        linked = {link["operationId"] for _, operation in operations() for answer in operation["responses"].values()
                  for link in answer.get("links", {}).values()}
        self.assertIn("leads.update", linked)
        self.assertLessEqual(linked, names)

    def test_each_webhook_is_described(self):
        self.assertEqual(set(description["webhooks"]), {"shift_posted", "shift_filled", "credential_expired", "timesheet_approved", "lead_qualified",
                                                        "payroll_completed", "staff_onboarded", "agent_run.pending_approval",
                                                        "agent_run.completed", "agent_run.failed", "test"})
        for kind, methods in description["webhooks"].items():
            content = methods["post"]["requestBody"]["content"]["application/json"]
            self.assertIsNone(rest.mismatch(content["example"], content["schema"], description), kind)
            body = description["components"]["schemas"][content["schema"]["$ref"].rpartition("/")[2]]
            self.assertEqual(body["properties"]["type"]["enum"], [kind])
            self.assertIn("$ref", body["properties"]["data"])
