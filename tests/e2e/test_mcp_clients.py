# The official clients of MCP against the service: each connects with a key, lists, calls, hears of progress, cancels, and asks
# for much at once. Their programs are in tests/mcp.

import json
import os
import subprocess
import unittest

import mcp
import rest
import support

PROGRAMS = support.PROJECT_ROOT / "tests" / "mcp"
PROGRAM_SECONDS = 120
NODE = [support.PROJECT_ROOT / "scripts" / "node"]
PYTHON1, PYTHON2 = ([support.PROJECT_ROOT / "scripts" / "python", "--requirements", PROGRAMS / folder / "requirements.txt"]
                    for folder in ("python1", "python2"))
service = owner = None


def setUpModule():
    global service, owner
    for runner in (NODE, PYTHON1, PYTHON2):
        support.run([*runner, "--version"], seconds=600)  # installs it where it is not there
    service = rest.start_service({"WORKFORCE_MCP_DIAGNOSTICS": "true"})  # for a tool that takes its time
    owner = rest.client_of(service)


class ClientsTest(rest.RestCase):

    def play(self, runner, program, *mode):
        """What a program saw."""
        done = subprocess.run([*runner, PROGRAMS / program, mcp.url_of(service) + "/mcp", *mode], cwd=support.PROJECT_ROOT,
                              env=os.environ | {"MCP_KEY": service.demo["keys"]["live"]}, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=PROGRAM_SECONDS, check=False)
        self.assertEqual(done.returncode, 0, f"{done.stdout}{done.stderr}")
        self.assertNotIn("unknown format", done.stdout + done.stderr, "a client knows the formats of our schemas")
        return json.loads(done.stdout.splitlines()[-1])

    def check_seen(self, seen, version):
        """What every client has to have seen, of the version that it speaks."""
        self.assertEqual((seen["version"], seen["server"]["name"]), (version, "workforce"), seen)
        self.assertEqual(set(seen["capabilities"]), {"tools", "resources", "prompts"}, seen)
        self.assertEqual(seen.get("errors", []), [], seen)
        listed = mcp.client_of(service, version=version).tools()
        self.assertEqual({tool["name"] for tool in seen["tools"]}, set(listed))
        ours = [tool for tool in seen["tools"] if not tool["name"].startswith(("test_", "json_schema_"))]
        self.assertTrue(ours and all(tool["title"] and tool["output"] for tool in ours), ours)

        me = self.check(owner.get("/api/auth/me"), 200)
        self.assertLess(set(seen["me"].pop("permissions")), set(me.pop("permissions")), "a role bounds its key here")
        self.assertEqual(seen["me"], me)
        self.assertEqual(seen["facilities"], self.check(owner.get("/api/facilities"), 200))
        self.assertEqual(json.loads(seen["text"]), seen["facilities"])
        self.assertTrue(seen["refused"]["isError"], seen)
        self.assertRegex(seen["refused"]["text"], r"\ANOT_FOUND: .+\nSuggestion: .+")
        self.assertEqual(seen["unknown"], mcp.INVALID_PARAMS)
        self.assertEqual(seen["progress"], [[0, 100], [50, 100], [100, 100]])
        self.assertTrue(seen["slow"])
        self.assertTrue(seen["cancelled"])
        self.assertEqual(seen["at_once"], [True] * 20, seen)
        self.check_wire(seen["wire"], version == mcp.HANDSHAKE)

    def check_wire(self, wire, handshake):
        """What was asked and answered: all that the era has and nothing else, as JSON but for progress."""
        calls = [line for line in wire if line.startswith("POST tools/call ")]
        self.assertEqual(sorted(calls), ["POST tools/call 200 application/json"] * 24 + ["POST tools/call 200 text/event-stream"] * 2)
        opening = ["POST initialize 200 application/json", "POST notifications/initialized 202"]
        rest_of = [line for line in wire if line not in calls and not line.startswith("POST tools/list 200 ")]
        cancelled = ["POST notifications/cancelled 202"]
        expected = opening + cancelled if handshake else ["POST server/discover 200 application/json"]
        # A client may ask for a stream of what the server says by itself, which there is not.
        self.assertEqual([line for line in rest_of if line != "GET 405 application/json"], expected)

    def test_node_sdk_1(self):
        self.check_seen(self.play(NODE, "sdk1.cjs"), mcp.HANDSHAKE)

    def test_node_client_2_by_handshake(self):
        self.check_seen(self.play(NODE, "client2.cjs", "legacy"), mcp.HANDSHAKE)

    def test_node_client_2_finds_the_stateless_era(self):
        self.check_seen(self.play(NODE, "client2.cjs", "auto"), mcp.STATELESS)

    def test_python_1(self):
        self.check_seen(self.play(PYTHON1, "client1.py"), mcp.HANDSHAKE)

    def test_python_2_by_handshake(self):
        self.check_seen(self.play(PYTHON2, "client2.py", "legacy"), mcp.HANDSHAKE)

    def test_python_2_finds_the_stateless_era(self):
        self.check_seen(self.play(PYTHON2, "client2.py", "auto"), mcp.STATELESS)
