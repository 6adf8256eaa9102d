# Tools against their own schemas: whatever arguments a schema takes, the call is answered, and never by a fault of the service.

import hypothesis
import hypothesis_jsonschema
import jsonschema
import mcp
import rest

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
    live = mcp.client_of(service)


class ArgumentsTest(rest.RestCase):

    def check_answer(self, tool, arguments, may_be_bad):
        """A result that fits the output's schema, or where that may be the error of bad arguments."""
        reply = live.call(tool["name"], arguments)
        self.assertEqual(reply.status, 200, str(reply))
        if may_be_bad and "error" in reply.body:
            self.assertEqual(reply.error["code"], mcp.INVALID_PARAMS, str(reply))
            return
        content = reply.result["structuredContent"]
        jsonschema.validate(content, tool["outputSchema"], jsonschema.Draft202012Validator)
        self.assertNotIn(content.get("error", {}).get("code"), ("INTERNAL_ERROR", "SERVICE_UNAVAILABLE"), str(reply))

    def test_arguments_that_fit(self):
        for tool in live.tools().values():
            with self.subTest(tool=tool["name"]):
                @SETTINGS
                @hypothesis.given(hypothesis_jsonschema.from_schema(tool["inputSchema"]))
                def holds(arguments, tool=tool):
                    self.check_answer(tool, arguments, may_be_bad=False)
                holds()

    def test_arguments_of_any_kind(self):
        for tool in live.tools().values():
            names = hypothesis.strategies.sampled_from(sorted(tool["inputSchema"]["properties"]) + ["other"])
            with self.subTest(tool=tool["name"]):
                @SETTINGS
                @hypothesis.given(hypothesis.strategies.dictionaries(names, ANY_JSON, max_size=4))
                def holds(arguments, tool=tool):
                    self.check_answer(tool, arguments, may_be_bad=True)
                holds()
