# What the REST suites share: one service a file, a client that retries nothing, keys, and checks of answers.

import http.client
import json
import re
import threading
import time
import unittest
import zlib
from urllib.parse import urlencode, urlsplit

import jsonschema
import support

VERSION = "2026-07-24"
BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
IDLE_SECONDS = 20  # after which a connection is made anew: less than the time after which the service closes it
# Codes that say that the same request may succeed later.
RETRYABLE = {"REQUEST_TIMEOUT", "IDEMPOTENCY_IN_PROGRESS", "CONCURRENT_MODIFICATION", "INTERNAL_ERROR",
             "UPSTREAM_ERROR", "UPSTREAM_TIMEOUT", "SERVICE_UNAVAILABLE", "READ_MODEL_BEHIND", "LOG_UNAVAILABLE", "API_KEY_RATE_LIMITED", "RATE_LIMITED",
             "RUN_LIMIT_REACHED", "ACCOUNT_LOCKED"}
listeners = []  # told of each answer: (method, path, Answer)


class Answer:
    """One answer as it came: status, headers (by name in any case), text, and the JSON of the text where it is any."""

    def __init__(self, what, response):
        self.what = what
        self.status = response.status
        self.headers = response.headers
        self.text = response.read().decode("utf-8")
        is_json = self.text and response.headers.get("Content-Type", "").startswith("application/json")
        self.body = json.loads(self.text) if is_json else None

    @property
    def code(self):
        error = self.body.get("error") if isinstance(self.body, dict) else None  # some answers have one of their own
        return error["code"] if isinstance(error, dict) else ""

    @property
    def details(self):
        return self.body["error"].get("details", {})

    @property
    def fields(self):
        """Which fields a validation error names."""
        return {fault["field"] for fault in self.details.get("fields", [])}

    def __str__(self):
        return f"{self.what} -> {self.status} {dict(self.headers)} {self.text[:2000]}"


def absent_details(error):
    """The members of details that an error's suggestion names, and its details lack."""
    return [name for name in re.findall(r"\bdetails\.(\w+)", error["suggestion"]) if name not in error.get("details", {})]


class Client:
    """One kept-alive connection a thread, and one credential (None: none). An answer may take `timeout` seconds."""

    def __init__(self, base_url, key=None, timeout=60):
        self._address = urlsplit(base_url).netloc
        self._key = key
        self._timeout = timeout
        self.always = {}  # headers of every request
        self._local = threading.local()

    def with_key(self, key):
        """A client of the same address with another credential."""
        return Client(f"http://{self._address}", key)

    def close(self):
        """Ends this thread's connection; the next request makes a new one."""
        if hasattr(self._local, "connection"):
            self._local.connection.close()

    def send(self, method, path, body=None, headers=None, raw=None, **query):
        """Sends one request and returns its Answer. `body` goes as JSON, `raw` as the bytes it is; `query` as given."""
        if not hasattr(self._local, "connection"):
            self._local.connection = http.client.HTTPConnection(self._address, timeout=self._timeout)
            unittest.addModuleCleanup(self._local.connection.close)
        sent = {} if self._key is None else {"Authorization": f"Bearer {self._key}"}
        if body is not None:
            raw = json.dumps(body).encode()
        if raw is not None:
            sent["Content-Type"] = "application/json"
        sent.update(self.always | (headers or {}))
        if query:
            path += "?" + urlencode(query)
        if time.monotonic() - getattr(self._local, "used", 0) > IDLE_SECONDS:
            self._local.connection.close()
        try:
            self._local.connection.request(method, path, raw, sent)
            answer = Answer(f"{method} {path[:200]} {(raw or b'')[:500]!r}", self._local.connection.getresponse())
            self._local.used = time.monotonic()
            for hear in listeners:
                hear(method, path, answer)
            return answer
        except (OSError, http.client.HTTPException):
            self._local.connection.close()
            raise

    def get(self, path, headers=None, **query):
        """Asks again while the answer may lack the credential's own writes (Service-Stale), as it may on a slow machine. A test
        that looks at the mark, counts requests or measures their time uses send()."""
        return support.until_fresh(lambda: self.send("GET", path, headers=headers, **query),
                                   lambda answer: "Service-Stale" in answer.headers)

    def post(self, path, body=None, headers=None, **query):
        return self.send("POST", path, body, headers, **query)

    def patch(self, path, body, headers=None):
        return self.send("PATCH", path, body, headers)

    def put(self, path, body, headers=None):
        return self.send("PUT", path, body, headers)

    def delete(self, path, headers=None, **query):
        return self.send("DELETE", path, headers=headers, **query)


def start_service(environment=None):
    """For setUpModule: a service with the demo customer, ended with the module."""
    if not support.binary().exists():
        raise AssertionError(f"{support.binary()} is not built")
    postgres = unittest.enterModuleContext(support.Postgres())
    return unittest.enterModuleContext(support.Service(postgres, environment=environment))


def client_of(service, key="live"):
    """A client with a key of the demo, or with the token given."""
    return Client(service.demo["baseUrl"], service.demo["keys"].get(key, key))


def make_key(service, scopes, organization=None, kind="live", facility=None, everywhere=False, user=None):
    """Makes a key with the command line and returns its id and token. Where the service runs the key can be used then."""
    arguments = ["keys", "create", "--name", "suite", "--type", kind, "--scopes", ",".join(scopes),
                 "--organization", str(organization or service.demo["organizationId"])]
    if everywhere:
        arguments.append("--all-organizations")
    if facility:
        arguments += ["--facility", str(facility)]
    if user:
        arguments += ["--user", str(user)]
    made = json.loads(service.command(*arguments))
    if service.running:
        wait_for_key(service, made["id"])
    return made["id"], made["key"]


def wait_for_key(service, key):
    """Returns once a new key is folded: requests with it wait for that no longer than five seconds."""
    support.wait_until(lambda: service.postgres.value(f"SELECT count(*) FROM read.api_key WHERE id = {key}") != "0",
                       support.FOLD_SECONDS, f"key {key} is folded")


def revoke_key(service, key, organization=None):
    service.command("keys", "revoke", "--organization", str(organization or service.demo["organizationId"]), str(key))


def checksum(text):
    """What a key ends with: CRC-32 of the rest in six digits of base 62."""
    value, digits = zlib.crc32(text.encode()), ""
    for _ in range(6):
        value, digit = divmod(value, 62)
        digits = BASE62[digit] + digits
    return digits


class RestCase(unittest.TestCase):
    """Checks of answers that all suites make."""

    maxDiff = None

    def check(self, answer, status):
        """The answer has this status; returns its body."""
        self.assertEqual(answer.status, status, str(answer))
        return answer.body

    def check_refused(self, answer, status, code):
        """The answer is the error envelope with this status and code (spec 2.10); returns details."""
        self.assertEqual((answer.status, answer.code), (status, code), str(answer))
        self.assertEqual(set(answer.body), {"error", "requestId"}, str(answer))
        error = answer.body["error"]
        self.assertLessEqual(set(error), {"message", "code", "details", "suggestion", "retryable"}, str(answer))
        self.assertTrue(error["message"] and error["suggestion"], str(answer))
        self.assertEqual(absent_details(error), [], str(answer))
        self.assertIs(error["retryable"], code in RETRYABLE, str(answer))
        self.assertTrue(answer.headers["Content-Type"].startswith("application/json"), str(answer))
        if "Idempotency-Replayed" not in answer.headers:
            self.assertEqual(answer.body["requestId"], answer.headers["X-Request-Id"], str(answer))
        self.assertEqual(answer.headers["Service-Version"], VERSION, str(answer))
        if status == 401:
            self.assertRegex(answer.headers.get("WWW-Authenticate", ""), "^Bearer ", str(answer))
        if status == 503 or code == "IDEMPOTENCY_IN_PROGRESS":
            self.assertGreaterEqual(int(answer.headers["Retry-After"]), 1, str(answer))
        return answer.details

    def check_fields(self, answer, *fields):
        """The answer is a validation error that names just these fields."""
        self.check_refused(answer, 400, "VALIDATION_ERROR")
        self.assertEqual(answer.fields, set(fields), str(answer))


def pages(client, path, **query):
    """The pages of a list, in order; AssertionError when one can't be had or the list has no end."""
    cursor = None
    for _ in range(1000):
        answer = client.get(path, **query, **({"cursor": cursor} if cursor else {}))
        assert answer.status == 200, str(answer)
        yield answer.body["data"]
        page = answer.body["pagination"]
        assert page["hasMore"] == (page["nextCursor"] is not None), str(answer)
        if not page["hasMore"]:
            return
        cursor = page["nextCursor"]
    raise AssertionError(f"{path} does not end")


def operations_of(description):
    """Path, method and operation of all that a description has, with the PUTs that do the same as a PATCH, which it only names."""
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation
            if "x-put" in operation:
                yield path, "put", operation | {"operationId": operation["x-put"]}


def mismatch(value, schema, description):
    """What of a JSON value does not fit a schema of the description, or None."""
    validator = jsonschema.Draft202012Validator(schema | {"components": description["components"]})
    return next((f"{error.json_path}: {error.message[:300]}" for error in validator.iter_errors(value)), None)
