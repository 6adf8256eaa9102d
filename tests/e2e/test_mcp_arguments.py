# Tools against their own schemas: whatever arguments a schema takes, the call is answered, and never by a fault of the service.

import json

import hypothesis
import jsonschema
import mcp
import people
import rest
from access_matrix import EVERY_SCOPE

EXAMPLES = 25  # a tool
ANY_JSON = hypothesis.strategies.recursive(
    hypothesis.strategies.none() | hypothesis.strategies.booleans() | hypothesis.strategies.integers() |
    hypothesis.strategies.floats(allow_nan=False, allow_infinity=False) | hypothesis.strategies.text(),
    lambda inner: hypothesis.strategies.lists(inner, max_size=3) |
    hypothesis.strategies.dictionaries(hypothesis.strategies.text(), inner, max_size=3), max_leaves=10)
SETTINGS = hypothesis.settings(max_examples=EXAMPLES, deadline=None, derandomize=True, database=None,
                               suppress_health_check=list(hypothesis.HealthCheck))
service = live = None


def setUpModule():
    global service, live
    service = rest.start_service()
    made = json.loads(service.command("keys", "create", "--name", "arguments", "--organization", str(service.demo["organizationId"]),
                                      "--scopes", ",".join(sorted(EVERY_SCOPE)), "--model-tier", "advanced",
                                      "--user", str(people.make_user(service, role="admin")["id"])))
    rest.wait_for_key(service, made["id"])
    live = mcp.client_of(service, made["key"])


def texts_of(schema):
    """Texts of a schema: by its pattern, else of its length."""
    texts = hypothesis.strategies.text(min_size=schema.get("minLength", 0), max_size=min(schema.get("maxLength", 30), 30))
    return hypothesis.strategies.from_regex(schema["pattern"], fullmatch=True) if "pattern" in schema else texts


def values_of(schema, definitions):
    """What has the types that a schema names, and mostly fits it: the operation tells what does not."""
    st = hypothesis.strategies
    if "$ref" in schema:
        return values_of(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if "anyOf" in schema and "type" not in schema:
        return st.one_of(*(values_of(choice, definitions) for choice in schema["anyOf"]))
    if isinstance(schema.get("type"), list):
        return st.one_of(*(values_of(schema | {"type": each}, definitions) for each in schema["type"]))
    least, most = schema.get("minimum"), schema.get("maximum")
    match schema.get("type"):
        case "object":
            members = {name: values_of(each, definitions) for name, each in schema.get("properties", {}).items()}
            needed = set(schema.get("required", ()))
            return st.fixed_dictionaries({name: members[name] for name in members if name in needed},
                                         optional={name: members[name] for name in members if name not in needed})
        case "array":
            return st.lists(values_of(schema["items"], definitions), max_size=min(schema.get("maxItems", 3), 3))
        case "integer":
            return st.integers(least, 2**53 - 1 if most is None else most)  # as JSON has integers
        case "number":
            return st.integers(least, most) | st.decimals(least, most, places=2, allow_nan=False, allow_infinity=False).map(float)
        case "string":
            return texts_of(schema)
        case "boolean":
            return st.booleans()
        case "null":
            return st.none()
    return ANY_JSON


class ArgumentsTest(rest.RestCase):

    def check_answer(self, tool, output, arguments, may_be_bad):
        """A result that `output`, a validator, takes, or where that may be the error of bad arguments."""
        reply = live.call(tool["name"], arguments)
        self.assertEqual(reply.status, 200, str(reply))
        if may_be_bad and "error" in reply.body:
            self.assertEqual(reply.error["code"], mcp.INVALID_PARAMS, str(reply))
            return
        content = reply.result["structuredContent"]
        self.assertIsNone(jsonschema.exceptions.best_match(output.iter_errors(content)), tool["name"])
        if reply.result.get("isError"):  # an answer has a member of that name, too: a run's
            self.assertNotIn(content["error"]["code"], ("INTERNAL_ERROR", "SERVICE_UNAVAILABLE"), str(reply))

    def check_all(self, strategy_of, may_be_bad):
        """Each tool with what a strategy gives."""
        for tool in live.tools().values():
            with self.subTest(tool=tool["name"]):
                self.check_tool(tool, strategy_of(tool["inputSchema"]), may_be_bad)

    def check_tool(self, tool, strategy, may_be_bad):
        output = jsonschema.Draft202012Validator(tool["outputSchema"])
        output.check_schema(output.schema)

        @SETTINGS
        @hypothesis.given(strategy)
        def answers(arguments):
            self.check_answer(tool, output, arguments, may_be_bad)
        answers()

    def test_arguments_that_fit(self):
        self.check_all(lambda schema: values_of(schema, schema.get("$defs", {})), False)

    def test_arguments_of_any_kind(self):
        def strategy_of(schema):
            names = hypothesis.strategies.sampled_from(sorted(schema["properties"]) + ["other"])
            return hypothesis.strategies.dictionaries(names, ANY_JSON, max_size=4)
        self.check_all(strategy_of, True)
