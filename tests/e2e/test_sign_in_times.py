# When links and sessions end by themselves: rows are moved into the past, as if so much time had gone by. The database's clock
# judges them, so a process whose own clock is off ends none early, and none late.

import base64
import datetime
import json
import time
import unittest

import cluster
import rest
import support
from people import (ACCEPT, ME, PASSWORD, RESET, SESSIONS, TOKEN, Browser, client_of, forget, links, login, make_user, owner_of,
                    sign_in)

BASE = "http://people.example.test"
OTHER = "another correct horse battery"
AHEAD, BEHIND = 8 * 24 * 3600, -8 * 24 * 3600  # longer than any session lasts
installation = service = other = owner = nobody = None


def setUpModule():
    """Two processes that answer, and one that does the rest."""
    global installation, service, other, owner, nobody
    postgres = unittest.enterModuleContext(support.Postgres())
    installation = unittest.enterModuleContext(cluster.Cluster(postgres))
    service, other, *_ = installation.start("api", "api", "workers", WORKFORCE_BASE_URL=BASE)
    owner, nobody = owner_of(service), client_of(service)


def pass_by(table, row, interval, *columns):
    """Moves moments of the row, by its condition, so far into the past."""
    moved = ", ".join(f"{column} = {column} - interval '{interval}'" for column in columns)
    count = installation.postgres.value(f"WITH moved AS (UPDATE {table} SET {moved} WHERE {row} RETURNING 1) "
                                        "SELECT count(*) FROM moved")
    assert count == "1", f"{count} rows of {table}: {row}"


def leave(session, interval):
    """Lets so much time go by in which a session is not used."""
    pass_by("auth.session", f"id = {session}", interval, "created_at", "last_seen_at", "ends_at")


def go_on(session, interval):
    """Lets so much time go by in which a session is used all along."""
    pass_by("auth.session", f"id = {session}", interval, "created_at", "ends_at")


def wait_for_link(user, interval):
    """Lets so much time go by for the one link that the user was sent."""
    pass_by("auth.link", f"user_id = {user['id']}", interval, "created_at", "ends_at")


def token_of(user):
    """A new token of the user, and the id of its session, which the process that gave it knows from now on."""
    token = login(nobody, user["email"], path=TOKEN).body["token"]
    return token, client_of(service, token).get(ME).body["credential"]["id"]


def at(text):
    return datetime.datetime.fromisoformat(text)


class TimesCase(rest.RestCase):

    def setUp(self):
        for client in (owner, nobody):
            client.close()  # the service does so with what has been idle for long

    def tearDown(self):
        if not self._outcome.success:
            installation.print_tails()

    def check_open(self, *clients):
        for client in clients:
            self.check(client.get(ME), 200)

    def check_ended(self, *clients):
        for client in clients:
            self.check_refused(client.get(ME), 401, "UNAUTHENTICATED")

    def listed(self, client):
        return [row["id"] for row in self.check(client.get(SESSIONS), 200)["data"]]


class SessionTest(TimesCase):
    """The processes have not seen a session before they are asked about it, but where a test says so."""

    def test_a_cookie_that_is_not_used(self):
        ada = make_user(service)
        stays, ends = sign_in(service, ada["email"]), sign_in(service, ada["email"])
        leave(stays.session, "11 hours 59 minutes")
        leave(ends.session, "12 hours 1 second")
        self.assertEqual(self.listed(stays), [stays.session])
        self.check_ended(ends, Browser(other, ends.cookie))

    def test_a_use_begins_the_hours_anew(self):
        ada = make_user(service)
        used = sign_in(service, ada["email"])
        leave(used.session, "11 hours 59 minutes")
        self.check_open(used)
        seen = f"SELECT last_seen_at > now() - interval '1 hour' FROM auth.session WHERE id = {used.session}"
        support.wait_until(lambda: installation.postgres.value(seen) == "t", 30, "the use is noted")
        leave(used.session, "11 hours 59 minutes")
        self.check_open(Browser(other, used.cookie))

    def test_a_cookie_that_is_used_all_along(self):
        ada = make_user(service)
        stays, ends = sign_in(service, ada["email"]), sign_in(service, ada["email"])
        go_on(stays.session, "6 days 23 hours 59 minutes")
        go_on(ends.session, "7 days 1 second")
        row, = self.check(stays.get(SESSIONS), 200)["data"]
        self.assertEqual(at(row["expiresAt"]) - at(row["createdAt"]), datetime.timedelta(days=7))
        self.check_ended(ends, Browser(other, ends.cookie))

    def test_a_token(self):
        ada = make_user(service)
        browser, (stays, first), (ends, second) = sign_in(service, ada["email"]), token_of(ada), token_of(ada)
        go_on(first, "59 minutes")
        go_on(second, "1 hour 1 second")
        self.check_open(client_of(other, stays))
        self.check_ended(client_of(other, ends))
        support.wait_until(lambda: client_of(service, ends).get(ME).status == 401, support.READY_SECONDS, "it has ended where it was known, too")
        self.check_open(client_of(service, stays))
        self.assertEqual(self.listed(browser), [first, browser.session])


class LinkTest(TimesCase):

    def check_gone(self, path, token):
        self.check_fields(nobody.post(path, {"token": token, "password": OTHER}), "token")

    def test_an_invitation(self):
        ada, bob = make_user(service, password=None), make_user(service, password=None)
        (early,), (late,) = (links(service, user["email"], "invite") for user in (ada, bob))
        wait_for_link(ada, "71 hours 59 minutes")
        wait_for_link(bob, "72 hours 1 second")
        self.check_gone(ACCEPT, late)
        self.check(nobody.post(ACCEPT, {"token": early, "password": PASSWORD}), 204)
        self.check_open(sign_in(service, ada["email"]))
        self.assertEqual(login(nobody, bob["email"], OTHER).status, 401)
        self.assertEqual(owner.get(f"/api/users/{bob['id']}").body["status"], "invited")
        self.check(owner.post(f"/api/users/{bob['id']}/reset-invite"), 200)
        again = set(links(service, bob["email"], "invite", 2)) - {late}
        self.check(nobody.post(ACCEPT, {"token": again.pop(), "password": PASSWORD}), 204)

    def test_a_reset(self):
        ada, bob = make_user(service), make_user(service)
        browser = sign_in(service, bob["email"])
        early, late = (forget(service, user["email"]) for user in (ada, bob))
        wait_for_link(ada, "59 minutes")
        wait_for_link(bob, "1 hour 1 second")
        self.check_gone(RESET, late)
        self.check_open(browser, sign_in(service, bob["email"]))
        self.check(nobody.post(RESET, {"token": early, "password": OTHER}), 204)
        self.check_open(sign_in(service, ada["email"], OTHER))


@unittest.skipUnless(support.Clock.LIBRARY, "libfaketime is not installed")
class ClockTest(TimesCase):
    """A process whose clock is off by days, either way."""

    @classmethod
    def setUpClass(cls):
        cls.clocks, cls.members = [], []
        cls.ada = make_user(service)
        for number, off in enumerate((AHEAD, BEHIND)):
            clock = support.Clock(installation.postgres.directory / f"clock-{number}")
            member, = installation.start("api", WORKFORCE_BASE_URL=BASE, **clock.env)
            clock.set(off)
            cls.clocks.append(clock)
            cls.members.append(member)
        for member in cls.members:
            support.wait_until(lambda of=member: not of.readiness()[1]["clock"]["ok"], support.READY_SECONDS, "its clock is off")

    @classmethod
    def tearDownClass(cls):
        for clock, member in zip(cls.clocks, cls.members):
            clock.set(0)
            member.close()

    def test_sessions_go_on(self):
        browser, (token, _) = sign_in(service, self.ada["email"]), token_of(self.ada)
        for member in self.members:
            self.check_open(Browser(member, browser.cookie), client_of(member, token))

    def test_sessions_that_it_opens_last_as_long(self):
        for member in self.members:
            browser = Browser(member)
            session = self.check(login(browser, self.ada["email"]), 200)["session"]
            token = self.check(login(client_of(member), self.ada["email"], path=TOKEN), 200)["token"]
            for process in (member, service):
                self.check_open(Browser(process, browser.cookie), client_of(process, token))
            row, = (row for row in client_of(member, token).get(SESSIONS).body["data"] if row["current"])
            for each, hours in ((session, 12), (row, 1)):
                self.assertEqual(at(each["expiresAt"]) - at(each["createdAt"]), datetime.timedelta(hours=hours))
                self.assertLess(abs(at(each["createdAt"]).timestamp() - time.time()), 60)
            claims = json.loads(base64.urlsafe_b64decode(token.split(".")[1] + "=="))
            self.assertLess(abs(claims["exp"] - at(row["expiresAt"]).timestamp()), 2, "its client is told the truth, too")

    def test_sessions_end_there_as_well(self):
        for member in self.members:
            browser, (token, session) = sign_in(service, self.ada["email"]), token_of(self.ada)
            leave(browser.session, "12 hours 1 second")
            go_on(session, "1 hour 1 second")
            self.check_ended(Browser(member, browser.cookie), client_of(member, token))


if __name__ == "__main__":
    unittest.main()
