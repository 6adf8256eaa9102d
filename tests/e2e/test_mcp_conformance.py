# The conformance suite of the protocol's authors against the service, in both eras, as its package comes.

import functools
import json
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

import mcp
import rest
import support
from credential_proxy import credential_proxy

SUITE = "var/node/node_modules/@modelcontextprotocol/conformance/dist/index.js"
SUITE_SECONDS = 300
LISTS = ("tools-list", "resources-list", "prompts-list", "dns-rebinding-protection", "json-schema-2020-12")
CALLS = tuple(f"tools-call-{kind}" for kind in ("simple-text", "image", "audio", "embedded-resource", "mixed-content", "error",
                                                "with-progress"))
# What a server of tools is asked. The suite's other scenarios are about sessions, logging, completion, resources and prompts
# with contents, requests from the server to the client, and tools with headers of their own, none of which the service has.
SCENARIOS = {
    mcp.HANDSHAKE: ("server-initialize", "ping", *LISTS, *CALLS),
    mcp.STATELESS: ("server-stateless", "caching", "http-header-validation", "server-sse-multiple-streams", *LISTS, *CALLS),
}
url = None


def setUpModule():
    global url
    support.run([support.PROJECT_ROOT / "scripts" / "node", "--version"], seconds=600)  # installs it where it is not there
    port = support.free_port()
    service = rest.start_service({"WORKFORCE_MCP_DIAGNOSTICS": "true", "WORKFORCE_MCP_URL": f"http://127.0.0.1:{port}"})
    target = int(service.env["WORKFORCE_MCP_PORT"])
    url = unittest.enterModuleContext(credential_proxy(port, target, service.demo["keys"]["live"]))


@functools.cache
def checks_of(version):
    """All checks of all scenarios that the suite has of a version, by scenario, and the text that it wrote. It is started once, for its
    start costs several times what the scenarios do; those that are not asked for may fail."""
    with tempfile.TemporaryDirectory(prefix="workforce-conformance-") as folder:
        done = subprocess.run(
            [support.PROJECT_ROOT / "scripts" / "node", SUITE, "server", "--url", url + "/mcp", "--suite", "all",
             "--spec-version", version, "--output-dir", folder], cwd=support.PROJECT_ROOT, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, timeout=SUITE_SECONDS, check=False)
        found = {re.fullmatch(r"server-(.+)-\d{4}-\d\d-\d\dT.+", file.parent.name)[1]: json.loads(file.read_text(encoding="utf-8"))
                 for file in Path(folder).glob("*/checks.json")}
        return found, done.stdout


class ConformanceTest(rest.RestCase):
    """A test for each version and scenario."""


def _test(version, scenario):
    def run(self):
        found, text = checks_of(version)
        self.assertIn(scenario, found, text[-4000:])  # not so with one that the version does not have
        checks = found[scenario]
        bad = [check for check in checks if check["status"] not in ("SUCCESS", "INFO", "SKIPPED")]
        told = "\n".join(f"{check['status']} {check['id']}: {check.get('errorMessage')}" for check in bad)
        self.assertFalse(bad, f"{told}\n{text[-4000:]}")
        self.assertIn("SUCCESS", {check["status"] for check in checks}, text)
    return run


for _version, _scenarios in SCENARIOS.items():
    for _scenario in _scenarios:
        setattr(ConformanceTest, f"test_{_version}_{_scenario}".replace("-", "_"), _test(_version, _scenario))
