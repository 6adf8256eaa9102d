# The API against its own description, by schemathesis: what requests it makes of /openapi.json, each answer has to fit.

import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

import rest
import support

# How long it may look. The same seed makes the same requests; another number of seconds makes more or fewer of them.
SECONDS = int(os.environ.get("WORKFORCE_SCHEMATHESIS_SECONDS", "60"))
SEED = os.environ.get("WORKFORCE_SCHEMATHESIS_SEED", "1")
HERE = Path(__file__).parent
service = None


def setUpModule():
    global service
    service = rest.start_service()


def run(location, *options, seconds=SECONDS):
    """Runs schemathesis and returns its exit status (0: nothing found, 1: something) and what it printed."""
    environment = os.environ | {"WORKFORCE_TOKEN": service.demo["keys"]["live"], "PYTHONPATH": str(HERE),
                                "WORKFORCE_ORGANIZATION": str(service.demo["organizationId"])}
    command = [Path(sys.executable).with_name("st"), "--config-file", HERE / "schemathesis.toml", "run", location,
               "--no-color", "--seed", SEED, "--max-time", str(seconds), *options]
    done = subprocess.run([str(part) for part in command], env=environment, cwd=service.directory, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=seconds + 120, check=False)
    return done.returncode, done.stdout


class SchemathesisTest(unittest.TestCase):

    def test_answers_fit_the_description(self):
        # Links have a time of their own: what comes before takes all there is on a slow machine.
        for phases, seconds in ((("Examples", "Coverage", "Fuzzing"), SECONDS), (("Stateful",), SECONDS // 2)):
            status, output = run(service.demo["baseUrl"] + "/openapi.json", "--phases", ",".join(phases).lower(), seconds=seconds)
            self.assertEqual(status, 0, output)
            for phase in phases:
                self.assertRegex(output, f"✅ +{phase}", output)

    def test_a_description_that_is_wrong_is_found(self):
        description = rest.client_of(service).get("/openapi.json").body
        paths = {path: description["paths"][path] for path in
                 ("/api/auth/me", "/api/facilities", "/api/dashboard/recent-activity")}

        description["components"]["schemas"]["Me"]["properties"]["isInternal"] = {"type": "string"}
        del paths["/api/auth/me"]["get"]["responses"]["400"]
        paths["/api/dashboard/recent-activity"]["get"]["parameters"][0]["schema"]["maximum"] = 10
        (sort,) = (each for each in paths["/api/facilities"]["get"]["parameters"] if each.get("name") == "sort")
        sort["schema"]["enum"] = ["nonsense"]
        paths["/api/facilities"]["post"]["responses"]["201"]["headers"]["Location"] = {
            "required": True, "schema": {"type": "integer"}}
        wrong = service.directory / "wrong.json"
        wrong.write_text(json.dumps(description | {"paths": paths}), encoding="utf-8")
        status, output = run(wrong, "--url", service.demo["baseUrl"], "--phases", "coverage", seconds=60)
        self.assertEqual(status, 1, output)
        for finding in ("Response violates schema", "Undocumented status code", "valid_data_is_taken",
                        "Schema-violating request accepted", "Response header does not conform to the schema"):
            self.assertIn(finding, output)
