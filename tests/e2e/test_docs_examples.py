# The first example of pages in docs/, as a reader copies it into a shell beside a service.

import json
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

import mcp
import rest
import support

# Of each page what its example shows at its end.
SHOWN = {"agents": '"status":"completed"', "automations": '"status":"completed"', "approvals": '"rejectionReason":"Only a try"',
         "apps": '"status":"succeeded"', "guardrails": '"name":"Dear nights"', "events": '"type":"facility.created"',
         "imports": '"created":0,"updated":2,"failed":0'}
# A reader sees a refusal; here it ends the example.
STRICT = 'set -eu\ncurl() { command curl --fail-with-body "$@"; }\n'
RUN_SECONDS = 120
service = None


def setUpModule():
    global service
    service = rest.start_service()


def example_of(page):
    """The first block of the page that is no JSON, on this service."""
    text = (support.PROJECT_ROOT / f"docs/{page}.md").read_text(encoding="utf-8")
    block = re.search(r"^```\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)[1]
    for written, here in (("http://127.0.0.1:8080", service.demo["baseUrl"]), ("http://127.0.0.1:8081", mcp.url_of(service)),
                          ("build/release/workforce", str(support.binary()))):
        block = block.replace(written, here)
    return block


class ExampleTest(unittest.TestCase):

    def test_each_page_begins_with_what_works(self):
        with tempfile.TemporaryDirectory() as directory:
            (Path(directory) / "var").mkdir()
            (Path(directory) / "var/dev.json").write_text(json.dumps(service.demo, indent=2), encoding="utf-8")
            for page, shown in SHOWN.items():
                with self.subTest(page=page):
                    done = subprocess.run(["bash", "-c", STRICT + example_of(page)], cwd=directory, env=service.env, text=True,
                                          capture_output=True, timeout=RUN_SECONDS, check=False)
                    self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                    self.assertIn(shown, done.stdout)


if __name__ == "__main__":
    unittest.main()
