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
        if "content" in body:
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


def parts(schema):
    """The schemas that make up a schema of a body."""
    for each in schema.get("oneOf", schema.get("allOf", [schema])):
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
        self.assertLessEqual(RESOURCES | REQUESTS, set(description["components"]["schemas"]))
        for name, operation in operations():
            for what, content in contents(operation):
                for part in parts(content["schema"]):
                    with self.subTest(operation=name, body=what):
                        named = "$ref" in part or "$ref" in part.get("items", {}) or "not" in part
                        self.assertTrue(named or "openapi.json" in name, part)

    def test_examples_fit_their_schemas(self):
        for name, operation in operations():
            for what, content in contents(operation):
                if "openapi.json" not in name:
                    with self.subTest(operation=name, body=what):
                        self.assertIsNone(rest.mismatch(content["example"], content["schema"], description))

    def test_ids_are_positive(self):
        seen = set()
        for name, schema in description["components"]["schemas"].items():
            for member, kind in schema.get("properties", {}).items():
                for each in (kind, kind.get("items", {}), *kind.get("anyOf", [])):
                    if ID.search(member) and each.get("type") == "integer":
                        seen.add(member)
                        least = 0 if name in ("MeUser", "ActivityUser", "AuditActor") else 1
                        self.assertEqual((each["minimum"], each["format"]), (least, "int64"), f"{name}.{member}")
        self.assertLessEqual({"id", "facilityId", "facilityIds", "staffId", "assignedStaffIds", "userId"}, seen)
