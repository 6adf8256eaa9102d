# The pages of help below /docs: what they come with, what they tell, where their links lead, and how they are in a browser.

import functools
import html.parser
import json
import os
import shutil
import subprocess
import unittest
from urllib.parse import urljoin, urlsplit

import mcp
import rest
import support
import test_error_codes

PAGES = ["/docs", *(f"/docs/{name}" for name in ("errors", "webhooks", "limits", "versions", "mcp"))]
POLICY = {"default-src": "'none'", "script-src": "'self'", "style-src": "'self'", "img-src": "'self' data:", "connect-src": "'self'",
          "base-uri": "'none'", "form-action": "'none'", "frame-ancestors": "'none'"}
PACKAGES = support.PROJECT_ROOT / "tests/pages"
BROWSER = shutil.which("chromium") or shutil.which("chromium-headless-shell")
service = nobody = None


def setUpModule():
    global service, nobody
    service = rest.start_service({"WORKFORCE_USER_RATE_LIMIT": "4711", "WORKFORCE_WEBHOOK_SUBSCRIPTIONS": "81"})
    nobody = rest.Client(service.demo["baseUrl"])


class Page(html.parser.HTMLParser):
    """A page's links, ids, and text."""

    def __init__(self, text):
        super().__init__()
        self.links, self.files, self.ids, self.text, self.inline = [], [], [], "", []
        self._tag = None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self._tag = tag
        self.ids += [attributes["id"]] if "id" in attributes else []
        self.links += [attributes["href"]] if tag == "a" else []
        self.files += [attributes[name] for name in ("src", "data-description") if name in attributes]
        self.files += [attributes["href"]] if tag == "link" and attributes["rel"] == "stylesheet" else []
        self.inline += [name for name in attributes if name == "style" or name.startswith("on")]

    def handle_endtag(self, tag):
        self._tag = None

    def handle_data(self, data):
        if self._tag in ("style", "script") and data.strip():
            self.inline.append(data)
        self.text += data


@functools.cache
def page(path):
    return Page(nobody.get(path).text)


class HelpTest(rest.RestCase):

    def test_pages_are_open_and_load_from_here_alone(self):
        for path in PAGES:
            with self.subTest(path=path):
                answer = nobody.get(path)
                self.assertEqual((answer.status, answer.headers["Content-Type"]), (200, "text/html; charset=utf-8"), str(answer))
                self.assertEqual(dict(part.split(" ", 1) for part in answer.headers["Content-Security-Policy"].split("; ")), POLICY)
                self.assertEqual((answer.headers["X-Content-Type-Options"], answer.headers["Referrer-Policy"]),
                                 ("nosniff", "no-referrer"))
                self.assertEqual(page(path).inline, [])
                self.assertEqual({urlsplit(file).netloc for file in page(path).files}, {""})

    def test_what_is_unchanged_is_not_sent_again(self):
        for path in (*PAGES, *page("/docs").files):
            with self.subTest(path=path):
                answer = nobody.get(path)
                tag = answer.headers["ETag"]
                self.assertRegex(tag, '^"[0-9a-f]{64}"$')
                kept = "public, max-age=31536000, immutable" if path.startswith("/docs/files/") else "no-cache"
                self.assertEqual(answer.headers["Cache-Control"], kept)
                for known in (tag, f'"other", W/{tag}', "*"):
                    again = nobody.get(path, {"If-None-Match": known})
                    self.assertEqual((again.status, again.text, again.headers["ETag"]), (304, "", tag), known)
                self.assertEqual(nobody.get(path, {"If-None-Match": '"other"'}).status, 200)
                head = nobody.send("HEAD", path)
                self.assertEqual((head.status, head.text, head.headers["ETag"]), (200, "", tag))

    def test_what_is_none_is_refused(self):
        for path in ("/docs/", "/docs/nothing", "/docs/files/0123456789abcdef/pages.css", "/docsx"):
            self.check_refused(nobody.get(path), 404, "NOT_FOUND")
        refused = nobody.post("/docs", {})
        self.check_refused(refused, 405, "METHOD_NOT_ALLOWED")
        self.assertEqual(refused.headers["Allow"], "GET")
        host = {"Host": urlsplit(mcp.url_of(service)).netloc}
        self.assertEqual(nobody.get("/docs", host).status, 404, "they are of the REST host")

    def test_links_lead_somewhere(self):
        ids = {path: set(page(path).ids) for path in PAGES}
        for path in PAGES:
            self.assertEqual(len(page(path).ids), len(ids[path]), "each id is there once")
            for link in (*page(path).links, *page(path).files):
                with self.subTest(page=path, link=link):
                    target = urlsplit(urljoin(path, link))
                    self.assertEqual(target.netloc, "", "no page sends its reader away")
                    self.assertEqual(nobody.get(target.path).status, 200)
                    if target.fragment:
                        self.assertIn(target.fragment, ids[target.path])

    def test_they_tell_what_the_service_has(self):
        described = json.loads(nobody.get("/openapi.json").text)
        by_route = {"UNSUPPORTED_MEDIA_TYPE": "Use application/json."}  # a refusal names the types that its route takes
        for code, (status, _, suggestion) in test_error_codes.CODES.items():
            self.assertIn(code, page("/docs/errors").ids)
            self.assertIn(f"status-{status}", page("/docs/errors").ids)
            self.assertIn(by_route.get(code, suggestion), page("/docs/errors").text, code)
        self.assertIn("ALREADY_RESOLVED-409", page("/docs/errors").ids, "a name of two statuses has a row for each")
        for meaning in ("The approval was decided, or has expired.", "The approval was decided, or has expired; in the application"):
            self.assertEqual(page("/docs/errors").text.count(meaning), 1, meaning)
        self.assertLessEqual({f"type-{kind}" for kind in described["webhooks"]}, set(page("/docs/webhooks").ids))
        tools = mcp.client_of(service).tools()
        self.assertEqual({f"tool-{name}" for name in tools},
                         {each for each in page("/docs/mcp").ids if each.startswith("tool-")})
        for name, tool in tools.items():
            for argument in tool["inputSchema"]["properties"].values():
                self.assertIn(argument["description"], page("/docs/mcp").text, name)
        versions = json.loads(nobody.get("/.well-known/api-versions").text)["versions"]
        for version in versions:
            self.assertIn(version["date"], page("/docs/versions").text)
        for text in ("4711 requests a minute", "81 of an organization", "60 requests a minute"):
            self.assertIn(text, page("/docs/limits").text)
        self.assertIn(mcp.url_of(service) + "/mcp", page("/docs/mcp").text)
        served = next(file for file in page("/docs").files if file.endswith("openapi.json"))
        self.assertEqual(json.loads(nobody.get(served).text), described)


def look(origin, *paths, signed_in=(), cookie=""):
    """What a browser finds of pages, each narrow and light, and wide and dark, or with --long in each width with each theme; those
    of `signed_in` with a session's cookie."""
    asked = [support.PROJECT_ROOT / "scripts/node", "--packages", PACKAGES, PACKAGES / "look.cjs", BROWSER, origin,
             os.environ.get("WORKFORCE_TEST_PICTURES", ""), *paths, "--signed-in", *signed_in]
    long = {"LOOK_LONG": "1"} if support.LONG else {}
    done = subprocess.run(asked, env=os.environ | {"LOOK_COOKIE": cookie} | long, capture_output=True, text=True, timeout=500, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    seen = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(seen) == (4 if support.LONG else 2) * (len(paths) + len(signed_in)), done.stdout
    return seen


class BrowserTest(unittest.TestCase):

    def test_they_are_accessible_and_ask_nobody_else(self):
        """By the rules of axe-core, narrow and wide, light and dark, with what the reader can open opened."""
        self.assertIsNotNone(BROWSER, "scripts/packages test installs it")
        for each in look(service.demo["baseUrl"], *PAGES):
            with self.subTest(path=each["path"], width=each["width"], theme=each["theme"]):
                self.assertEqual(each["faults"], [])
                self.assertEqual((each["said"], each["elsewhere"]), ([], []))
                self.assertLessEqual(each["wider"], 0, "nobody has to scroll sideways")
