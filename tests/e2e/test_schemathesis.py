# The API against its own description, by schemathesis: what requests it makes of /openapi.json, each answer has to fit.

import json
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

import rest
import support

# How much it asks, by phase: cases of each operation that it makes up, sequences of operations, and of the thousands of cases that it
# derives from the description one in so many. The same seed makes the same requests.
PHASES = ("examples", "coverage", "fuzzing", "stateful")
EXAMPLES = {"examples": 10, "fuzzing": 10, "stateful": 50} if support.LONG else {"examples": 1, "fuzzing": 1, "stateful": 4}
ONE_IN = 1 if support.LONG else 20
RUN_SECONDS = 540
SEED = os.environ.get("WORKFORCE_SCHEMATHESIS_SEED", "3")
HERE = Path(__file__).parent
KEPT = HERE.parents[1] / "var" / "hypothesis"  # tables of characters, which take seconds to derive
service = None


def setUpModule():
    global service
    service = rest.start_service()


def run(location, *options, one_in=1):
    """Runs schemathesis and returns its exit status (0: nothing found, 1: something) and what it printed."""
    config = service.directory / "schemathesis.toml"
    told = "".join(f"[phases.{phase}]\ngeneration.max-examples = {count}\n" for phase, count in EXAMPLES.items())
    config.write_text((HERE / "schemathesis.toml").read_text(encoding="utf-8") + told, encoding="utf-8")
    environment = os.environ | {"WORKFORCE_TOKEN": service.demo["keys"]["live"], "PYTHONPATH": str(HERE),
                                "WORKFORCE_ORGANIZATION": str(service.demo["organizationId"]), "WORKFORCE_ONE_IN": str(one_in),
                                "HYPOTHESIS_STORAGE_DIRECTORY": str(KEPT)}
    command = [Path(sys.executable).with_name("st"), "--config-file", config, "run", location,
               "--no-color", "--seed", SEED, *options]
    done = subprocess.run([str(part) for part in command], env=environment, cwd=service.directory, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=RUN_SECONDS, check=False)
    return done.returncode, done.stdout


class SchemathesisTest(unittest.TestCase):

    def test_answers_fit_the_description(self):
        status, output = run(service.demo["baseUrl"] + "/openapi.json", "--phases", ",".join(PHASES), one_in=ONE_IN)
        self.assertEqual(status, 0, output)
        for phase in PHASES:
            self.assertRegex(output, f"✅ +{phase.capitalize()}", output)
        print(re.search(r"\d+ generated.*", output)[0])

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
        status, output = run(wrong, "--url", service.demo["baseUrl"], "--phases", "coverage")
        self.assertEqual(status, 1, output)
        for finding in ("Response violates schema", "Undocumented status code", "valid_data_is_taken",
                        "Schema-violating request accepted", "Response header does not conform to the schema"):
            self.assertIn(finding, output)
