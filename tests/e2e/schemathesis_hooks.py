# What schemathesis has to know of the API beyond its description. Loaded by schemathesis, see schemathesis.toml.

import os
import re
from collections import Counter

import schemathesis
from schemathesis.generation.meta import TestPhase
from schemathesis.specs.openapi.checks import negative_data_rejection

# Rules between fields, or between a field and the state, which a schema can't state: (field, rule) as details name them.
BEYOND_SCHEMA = [
    ("date", "range"),  # years 2000 to 2100
    ("endTime", "order"), ("endTime", "range"),  # against startTime, on the clocks of the facility's zone
    ("facilityId", "fixed"),  # only the shift's own is taken
    ("staffId", "fixed"),  # of a credential
    ("expiresOn", "order"),  # against issuedOn
    (r"workHistory\[\d+\]\.endDate", "order"),
    ("staffIds", "min_items"),  # but for mode: replace
    ("staffId", "required"),  # or staffIds, and not both
    ("shifts", "min_items"),
    ("title", "required"),  # of `shifts` beside a shift's own members
    ("reason|cancelReason", "required"),  # for a shift that is running
    ("name", "required"),  # of a lead that has no company
    ("lostReason", "required"),  # for a lead that is given up
    ("ownerUserId|staffId", "known"),
    ("facilityIds", "min_items"),  # of a facility_admin
    ("role", "role"),  # super_admin is of the internal organization
    ("type", "fixed"),  # of an organization, and of a credential
    ("email", "one_of"),  # or a user name, to sign in by
    ("password|newPassword", "common"),
    ("password|currentPassword|newPassword", "characters"),  # which have no control characters
    ("token", "valid"),  # of a link that was mailed
    ("url", "url_rejected"),  # what it resolves to, and more
    (r"(events|eventTypes)\[\d+\]", "known"),  # types may come, so they are no enum
    ("events", "min_items"),
    ("facilityId|date|startTime|endTime", "required"), ("facilityId|date|startTime|endTime|specialty", "excluded"),  # by shiftId
    ("shiftIdB|staffIdB|otherShiftId|otherStaffId", "differs"),
    (r"action\[\d+\]", "min_length"),  # of a list in a query a comma ends one text, and blanks around it count for nothing
    ("ids", "min_items"),
    ("clockOut", "order"), ("clockOut", "range"), ("clockOut", "required"),  # against clockIn, and once it is submitted
    ("breaks", "order"), ("breaks", "range"), ("breaks", "overlap"),  # against one another, and the log that they are in
    ("shiftId", "fixed"), ("facilityId", "differs"),  # of a timesheet, and from its shift's
    ("startDate|endDate", "range"), ("endDate|endTime", "order"),  # of time off: years, its length, and against its beginning
    ("weekdays", "min_items|unique"), ("from|to", "range"), ("to", "order|size"),  # of a template, and of the days that it makes shifts for
    ("triggerId", "required"),  # in the query or in the body
    ("cron|eventType", "required"), ("cron|timezone|eventType|filter", "unused"), ("cron", "cron|distance"),  # by the trigger's type
    ("executor", "configured"),  # where models are
    ("allowedTools|tools", "min_items"), (r"tool|(tools|allowedTools)\[\d+\]", "known"),  # the table of tools says which there are
    (r"(plan\[\d+\]\.when|conditions\[\d+\])\.value", "condition_value"),  # by its op
    ("since", "range"), ("until", "after"),  # against now, and each other
    (r"participantUserIds|to\.userIds", "required"), (r"participantStaffIds|to\.staffIds", "max_items"),  # all of them together
    (r"(participantUserIds|participantStaffIds|to\.userIds|to\.staffIds)\[\d+\]", "known"),
]
OPAQUE = {"INVALID_CURSOR"}  # cursors come from answers only
ONE_IN = int(os.environ["WORKFORCE_ONE_IN"])  # of the cases that are derived from the description, for each operation
# What the state decides; 412 is If-Match's, 502 and 504 a registry's.
TAKEN = {401, 403, 404, 409, 412, 423, 502, 503, 504}


def beyond_schema(problem):
    """Whether the refusal is for nothing but what the schema can't say."""
    if problem["code"] in OPAQUE:
        return True
    fields = problem.get("details", {}).get("fields", [])
    return bool(fields) and all(
        any(re.fullmatch(rf"(shifts\[\d+\]\.)?({name})", field["field"]) and re.fullmatch(rule, field["rule"])
            for name, rule in BEYOND_SCHEMA) for field in fields)


@schemathesis.check
def valid_data_is_taken(ctx, response, case):
    """A request that fits the description is refused for nothing that the description could have said."""
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    if response.status_code < 400 or response.status_code in TAKEN:
        return
    # To JSON Schema 1.0 is an integer; in a path or a query it is a text that is none. Where the answer before had no id to
    # go on with there is none.
    placed = [*(case.path_parameters or {}).values(), *(case.query or {}).values()]
    if any(value is None or isinstance(value, float) for value in placed):
        return
    if response.status_code == 400 and beyond_schema(response.json()["error"]):
        return
    raise AssertionError(f"a valid request was refused with {response.status_code}: {response.text}")


@schemathesis.check
def code_is_described(ctx, response, case):
    """A refusal has one of the codes that the operation names."""
    if response.status_code < 400 or "application/json" not in response.headers["content-type"][0]:
        return
    described = case.operation.definition.raw["responses"].get(str(response.status_code), {}).get("description", "")
    code = response.json()["error"]["code"]
    if described and code not in described.split(", "):
        raise AssertionError(f"a refusal has the code {code}, and the operation names {described}")


def has_outer_blanks(value):
    """Whether a text anywhere in it is one to be trimmed."""
    if isinstance(value, str):
        return value != value.strip(" \t\r\n")
    if isinstance(value, dict):
        value = value.values()
    return hasattr(value, "__iter__") and not isinstance(value, bytes) and any(has_outer_blanks(each) for each in value)


@schemathesis.check
def invalid_data_is_refused(ctx, response, case):
    """As negative_data_rejection, but for text that is too long only before it is trimmed."""
    if not has_outer_blanks(case.query) and not has_outer_blanks(case.body):
        negative_data_rejection(ctx, response, case)


derived = Counter()  # cases by operation


@schemathesis.hook
def filter_case(_context, case):
    """Keeps one in ONE_IN of the cases that the coverage phase derives: the first of each operation, and then at even distances."""
    if case.meta is None or case.meta.phase.name != TestPhase.COVERAGE:
        return True
    derived[case.operation.label] += 1
    return derived[case.operation.label] % ONE_IN == 1 % ONE_IN


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Lets numbers of two decimals be made: `multipleOf` would say it, but not to validators that count in binary. Names some
    time zones, of which schemas have no format, the version and the side of the key, and its organization: requests about
    others are all refused."""
    schemas, seen = raw_schema["components"]["schemas"], set()
    headers = raw_schema["components"]["parameters"]
    headers["ServiceVersion"]["schema"]["enum"] = [headers["ServiceVersion"]["example"]]
    headers["ServiceSandbox"]["schema"]["enum"] = ["false"]

    def visit(node):
        if isinstance(node, dict):
            if "two decimals" in str(node.get("description")):
                node["multipleOf"] = 0.01
            if "IANA time zone" in str(node.get("description")):
                node["enum"] = ["UTC", "Europe/Berlin", "America/New_York"]
            name = node.get("$ref", "").removeprefix("#/components/schemas/") if isinstance(node.get("$ref"), str) else ""
            if name in schemas and name not in seen:
                seen.add(name)
                visit(schemas[name])
            node = node.values()
        if not isinstance(node, str) and hasattr(node, "__iter__"):
            for each in node:
                visit(each)
    for operations in raw_schema["paths"].values():
        for operation in operations.values():
            visit(operation.get("requestBody", {}))
            for parameter in operation.get("parameters", []):
                if parameter.get("name") == "orgUnitId":
                    parameter["schema"] = {"type": "integer", "enum": [int(os.environ["WORKFORCE_ORGANIZATION"])]}
