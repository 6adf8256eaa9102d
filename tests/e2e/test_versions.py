# Versions that an operator deprecates or ends: what their answers say, from whichever process, and what a start refuses.

import datetime
import email.utils
import itertools
import json
import secrets
import subprocess
import unittest

import cluster
import rest
import support

ENDED, ENDING, DEPRECATED, LATEST = "2026-05-10", "2026-07-22", "2026-07-23", rest.VERSION
SETTING = f"{ENDED} 2020-01-31 2021-02-01, {ENDING} 2026-08-01 2099-12-31,{DEPRECATED} 2026-08-02"
STAFF = "/api/staff"
numbers = itertools.count()


def setUpModule():
    global installation, apis
    postgres = unittest.enterModuleContext(support.Postgres())
    installation = unittest.enterModuleContext(cluster.Cluster(postgres))
    apis = installation.start("api", "api", "workers", WORKFORCE_VERSION_DEPRECATIONS=SETTING)[:2]


def moment(text):
    """Of an HTTP date; a day alone is its beginning."""
    return email.utils.parsedate_to_datetime(text) if "," in text else datetime.datetime.fromisoformat(f"{text}T00:00:00Z")


def person():
    return {"firstName": "V", "lastName": "Ersions", "email": f"versions{next(numbers)}@example.test"}


class DeprecationTest(rest.RestCase):

    DATES = {ENDED: ("2020-01-31", "Mon, 01 Feb 2021 23:59:59 GMT"), ENDING: ("2026-08-01", "Thu, 31 Dec 2099 23:59:59 GMT"),
             DEPRECATED: ("2026-08-02", None), LATEST: (None, None)}

    def check_headers(self, answer, version):
        deprecated, sunset = self.DATES[version]
        self.assertEqual(answer.headers["Service-Version"], version, str(answer))
        self.assertEqual(answer.headers.get_all("Sunset"), sunset and [sunset], str(answer))
        self.assertEqual(len(answer.headers.get_all("Deprecation", [])), 1 if deprecated else 0, str(answer))
        self.assertEqual("Link" in answer.headers, deprecated is not None, str(answer))
        if deprecated:
            self.assertEqual(moment(answer.headers["Deprecation"]), moment(deprecated), str(answer))
            link, = answer.headers.get_all("Link")
            self.assertIn(link, {f'<{member.url}/.well-known/api-versions>; rel="deprecation"' for member in apis})

    def check_answer(self, answer, status, version):
        self.check(answer, status)
        self.check_headers(answer, version)

    def test_every_answer_of_a_version_tells_of_its_end(self):
        for member, version in itertools.product(apis, (ENDING, DEPRECATED, LATEST)):
            with self.subTest(member=member.name, version=version):
                live, pinned = member.client(), {"Service-Version": version}
                stranger = live.with_key(None)
                for answer, status in (
                        (live.get(STAFF, pinned), 200), (live.get(f"{STAFF}?limit=0", pinned), 400),
                        (stranger.get(STAFF, pinned), 401), (live.get(f"{STAFF}/9000000000", pinned), 404),
                        (live.get("/api/nothing", pinned), 404), (stranger.get("/healthz", pinned), 200),
                        (live.delete(STAFF, pinned), 405), (live.get("/mcp", pinned), 403),
                        (live.send("POST", STAFF, raw=b" " * (300 << 10), headers=pinned), 413)):
                    self.check_answer(answer, status, version)

    def test_writes_and_what_is_told_again(self):
        # One of the two processes writes the organization's partition, so half of this goes through the other.
        for first, second, version in itertools.product(apis, apis, (ENDING, DEPRECATED, LATEST)):
            with self.subTest(first=first.name, second=second.name, version=version):
                pinned = {"Service-Version": version, "Idempotency-Key": secrets.token_hex(8)}
                body = person()
                made = first.client().post(STAFF, body, pinned)
                self.check_answer(made, 201, version)
                again = second.client().post(STAFF, body, pinned)
                self.check_answer(again, 201, version)
                self.assertEqual((again.headers["Idempotency-Replayed"], again.body), ("true", made.body))
                other = second.client().post(STAFF, person(), pinned)
                self.check_answer(other, 409, version)
                later = first.client().post(STAFF, body, pinned | {"Service-Version": LATEST})
                self.check_answer(later, 201, LATEST)
                self.assertEqual(later.headers["Idempotency-Replayed"], "true")
                pinned["Idempotency-Key"] = secrets.token_hex(8)
                self.check_answer(first.client().post(STAFF, body, pinned), 409, version)
                self.check_answer(second.client().post(STAFF, body, pinned), 409, version)

    def test_a_version_that_ended_is_gone(self):
        pinned = {"Service-Version": ENDED}
        for member in apis:
            live = member.client()
            for answer in (live.get(STAFF, pinned), live.post(STAFF, person(), pinned)):
                self.check_answer(answer, 410, ENDED)
                self.assertEqual((answer.code, answer.details), ("VERSION_SUNSET", {"latest": LATEST}), str(answer))
                self.assertIs(answer.body["error"]["retryable"], False)
            self.check_answer(live.with_key(None).get(STAFF, pinned), 401, ENDED)
            for version in (ENDED, "2026-05-11"):
                self.assertIn("X-RateLimit-Remaining", live.get(STAFF, {"Service-Version": version}).headers)

    def test_the_list_of_versions_tells_of_it(self):
        rows = {row["date"]: row for row in apis[0].client(None).get("/.well-known/api-versions").body["versions"]}
        self.assertEqual({date: (row["deprecated"], row["sunset"]) for date, row in rows.items()},
                         {ENDED: ("2020-01-31", "2021-02-01"), ENDING: ("2026-08-01", "2099-12-31"),
                          DEPRECATED: ("2026-08-02", None), LATEST: (None, None)})


class SettingTest(unittest.TestCase):

    def run_command(self, command, setting):
        environment = apis[0].env | {"WORKFORCE_VERSION_DEPRECATIONS": setting}
        return subprocess.run([support.binary(), command], env=environment, capture_output=True, text=True,
                              timeout=support.COMMAND_SECONDS, check=False)

    def test_config_shows_it(self):
        done = self.run_command("config", SETTING)
        self.assertIn(f"version_deprecations = {json.dumps(SETTING)}  # WORKFORCE_VERSION_DEPRECATIONS\n", done.stdout)

    def test_what_is_wrong_is_refused_at_the_start(self):
        for setting, what in ((f"{LATEST} 2026-12-01", "latest"), ("2026-05-11 2026-12-01", "no version"),
                              (f"{ENDED} 2026-12-01 2027-11-30", "12 months"), (f"{ENDED} 2026-13-01", "no date")):
            for command in ("config", "api"):
                with self.subTest(setting=setting, command=command):
                    done = self.run_command(command, setting)
                    self.assertEqual((done.returncode, done.stdout), (2, ""))
                    self.assertRegex(done.stderr, r"\Aworkforce: version_deprecations \(WORKFORCE_VERSION_DEPRECATIONS\): "
                                                  rf"[^\n]*{what}[^\n]*\n\Z")


if __name__ == "__main__":
    unittest.main()
