# What strangers try at the doors of test_sign_in.py: planted cookies, other sites' requests, guesses of accounts and passwords,
# links used twice, and what is no cookie or password at all.

import http.client
import itertools
import json
import math
import random
import secrets
import statistics
import time
import unittest
from urllib.parse import urlsplit

import cluster
import people
import rest
import support
from people import (ACCEPT, CHANGE, COOKIE, FORGOT, LOGIN, LOGOUT, ME, PASSWORD, RESET, SESSIONS, TOKEN, Browser, at_once, forget,
                    links, login, make_user, owner_of, sign_in, take_token)

BASE = "https://people.example.test"
WRONG = "a wrong guess of some length"
STAFF = "/api/staff"
GUESSES = 4  # of an account, which locks no earlier than with the fifth
ACCOUNTS = 8 if support.LONG else 5  # of each kind: 32 or 20 samples
CLEARLY = 5  # of rank_score: by chance once in millions
installation = service = other = owner = nobody = None


def setUpModule():
    """Two processes that answer, and one that does the rest."""
    global installation, service, other, owner, nobody
    postgres = unittest.enterModuleContext(support.Postgres())
    installation = unittest.enterModuleContext(cluster.Cluster(postgres))
    service, other, *_ = installation.start("api", "api", "workers", WORKFORCE_BASE_URL=BASE)
    owner, nobody = owner_of(service), people.client_of(service)


def unknown():
    """An address that nobody has."""
    return f"{secrets.token_hex(6)}@nowhere.example.test"


def deactivated():
    """A user who was."""
    user = make_user(service)
    answer = owner.delete(f"/api/users/{user['id']}")
    assert answer.status == 200, str(answer)
    service.wait_projected()
    return user


def staff():
    return {"firstName": "Not", "lastName": "Wanted", "email": f"{secrets.token_hex(6)}@example.test"}


def asked(*cookies, path=ME):
    """The answer to a request with these Cookie headers, which rest.Client does not make."""
    connection = http.client.HTTPConnection(urlsplit(service.url).netloc, timeout=30)
    try:
        connection.putrequest("GET", path)
        for cookie in cookies:
            connection.putheader("Cookie", cookie)
        connection.endheaders()
        return rest.Answer(f"GET {path} {cookies}", connection.getresponse())
    finally:
        connection.close()


def rank_score(one, another):
    """How clearly the values of one sample lie above or below those of another: |z| of Mann and Whitney's U."""
    pairs = len(one) * len(another)
    above = sum((a > b) + (a == b) / 2 for a in one for b in another)
    return abs(above - pairs / 2) / math.sqrt(pairs * (len(one) + len(another) + 1) / 12)


class AttackCase(rest.RestCase):

    def setUp(self):
        for client in (owner, nobody):
            client.close()  # the service does so with what has been idle for long

    def tearDown(self):
        if not self._outcome.success:
            installation.print_tails()

    def check_ended(self, answer):
        self.check_refused(answer, 401, "UNAUTHENTICATED")

    def who(self, client):
        """Whose session or token the client has."""
        return self.check(client.get(ME), 200)["user"]["id"]


class CookieTest(AttackCase):

    def test_a_planted_cookie_is_never_taken_over(self):
        ada, mallory = make_user(service), make_user(service)
        own = sign_in(service, mallory["email"]).cookie
        ended = sign_in(service, mallory["email"])
        left = ended.cookie
        self.check(ended.post(LOGOUT), 204)
        for planted in ("planted", secrets.token_urlsafe(32), own, left):
            browser = Browser(service, planted)
            self.check(login(browser, ada["email"]), 200)
            self.assertNotEqual(browser.cookie, planted)
            self.assertEqual(self.who(browser), ada["id"])
            if planted == own:
                self.assertEqual(self.who(Browser(service, planted)), mallory["id"])
            else:
                self.check_ended(Browser(service, planted).get(ME))

    def test_a_stolen_cookie_ends_with_the_session(self):
        browser = sign_in(service, make_user(service)["email"])
        thief = Browser(service, browser.cookie)
        self.who(thief)
        self.check(browser.post(LOGOUT), 204)
        for method, path in (("GET", ME), ("GET", STAFF), ("POST", LOGOUT), ("GET", SESSIONS)):
            self.check_ended(thief.send(method, path))

    def test_of_two_cookies_none_is_taken(self):
        ada, bob = (f"{COOKIE}={sign_in(service, make_user(service)['email']).cookie}" for _ in range(2))
        self.check(asked(ada), 200)
        for pair in ((ada, bob), (ada, ada), (ada, f"{COOKIE}=x"), (f"{COOKIE}=", ada)):
            self.check_ended(asked("; ".join(pair)))
            self.check_ended(asked(*pair))

    def test_what_is_no_cookie_of_ours(self):
        user = make_user(service)
        good = sign_in(service, user["email"]).cookie
        token = login(nobody, user["email"], path=TOKEN).body["token"]
        middle = len(good) // 2

        def other_than(digit):
            return "A" if digit != "A" else "B"
        bad = {"empty": "", "last digit": good[:-1] + other_than(good[-1]), "first digit": other_than(good[0]) + good[1:],
               "one between": good[:middle] + other_than(good[middle]) + good[middle + 1:], "short": good[:-1], "long": good + "A",
               "twice": good + good, "other case": good.swapcase(), "a token": token, "a key": service.demo["keys"]["live"],
               "SQL": "' OR '1'='1", "encoded": "%00%0a" + good, "bytes": "\xff\xfe\x80", "10 KB": "A" * 10_000,
               "10 KB more": good + "A" * 10_000}
        for name, value in bad.items():
            with self.subTest(cookie=name):
                self.check_ended(Browser(service, value).get(ME))
        for number in range(200):
            kept = random.Random(number)
            value = "".join(kept.choice(rest.BASE62 + "-_.~%=!") for _ in range(kept.randrange(1, 120)))
            self.check_ended(asked(f"{COOKIE}={value}"))
        self.assertEqual(nobody.with_key(good).get(ME).status, 401, "it opens nothing as a token")
        self.check(asked(f"{COOKIE}=garbage", path="/healthz"), 200)
        self.check(login(Browser(service, "garbage"), user["email"]), 200)

    def test_odd_cookie_headers(self):
        cookie = f"{COOKIE}={sign_in(service, make_user(service)['email']).cookie}"
        for taken in (f"a=b; {cookie}", f"{cookie}; a=b", f"a=b; {cookie}; c=d=e", f"{COOKIE}2=x; {cookie}",
                      f"x{COOKIE}=x; {cookie}"):
            self.check(asked(taken), 200)
        for none in ("", ";", "=", "a", COOKIE, f"{COOKIE};", f"x{cookie}", cookie.replace("=", "2=", 1), cookie.upper(),
                     f"a={cookie}", "; " * 2000, "a=b; " * 2000, "\x80=\xff"):
            with self.subTest(header=none[:40]):
                self.check_ended(asked(none))
        # How these are read is the service's, as long as it stands.
        for odd in (f";{cookie}", f" ; ;{cookie};;", f"a=b;{cookie}", f"a=b,{cookie}", cookie.replace("=", " = ", 1),
                    cookie.replace("=", '="', 1) + '"', f'a="; {cookie}', f"$Version=1; {cookie}", f"{cookie}\t"):
            with self.subTest(header=odd[:40]):
                self.assertIn(asked(odd).status, (200, 400, 401))


class OtherSitesTest(AttackCase):

    SAME = ({}, {"Sec-Fetch-Site": "same-origin"}, {"Origin": BASE}, {"Origin": BASE, "Sec-Fetch-Site": "same-origin"})
    FOREIGN = tuple({"Origin": origin} for origin in (
        "null", "https://evil.example", BASE.replace("https:", "http:"), BASE + ":8443", BASE + ".evil.example",
        "https://evil.people.example.test", BASE + "@evil.example", "https://evil.example/" + BASE))
    ELSEWHERE = FOREIGN + ({"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}, {"Sec-Fetch-Site": "none"},
                           {"Origin": BASE, "Sec-Fetch-Site": "cross-site"},
                           {"Origin": "https://evil.example", "Sec-Fetch-Site": "same-origin"})

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.browser = sign_in(service, make_user(service, role="manager")["email"])
        cls.same = cls.SAME + ({"Origin": service.url.replace("http:", "https:")},)  # as Host has it

    def check_rejected(self, answer):
        self.check_refused(answer, 403, "CSRF_REJECTED")
        self.assertIsNone(people.set_cookie(answer))

    def test_what_changes_something_comes_from_the_service(self):
        made = self.check(self.browser.post(STAFF, staff()), 201)
        path = f"{STAFF}/{made['id']}"
        for headers in self.same:
            with self.subTest(headers=headers):
                self.check(self.browser.post(STAFF, staff(), headers), 201)
        for headers in self.ELSEWHERE:
            body = staff()
            with self.subTest(headers=headers):
                for method, where, what in (("POST", STAFF, body), ("PATCH", path, {"lastName": "Csrf"}), ("PUT", path, made),
                                            ("DELETE", path, None), ("POST", LOGOUT, None), ("POST", "/api/nothing", {}),
                                            ("POST", CHANGE, {"currentPassword": PASSWORD, "newPassword": "taken over by them"}),
                                            ("DELETE", f"{SESSIONS}/{self.browser.session}", None)):
                    answer = self.browser.send(method, where, what, headers)
                    if where != "/api/nothing":
                        self.check_rejected(answer)
                    self.assertGreaterEqual(answer.status, 400, str(answer))
        service.wait_projected()
        self.assertEqual(self.check(self.browser.get(path), 200), made)
        self.assertEqual(self.check(owner.get(STAFF, q="Csrf"), 200)["data"], [])

    def test_what_reads_is_answered_but_not_to_scripts(self):
        for headers in self.same + self.ELSEWHERE:
            answer = self.browser.get(ME, headers)
            self.check(answer, 200)
            self.assertNotIn("Access-Control-Allow-Credentials", answer.headers, str(answer))
        asks = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
        preflight = nobody.send("OPTIONS", STAFF, headers=asks)
        self.assertNotIn("Access-Control-Allow-Credentials", preflight.headers, str(preflight))

    def test_tokens_and_keys_come_from_anywhere(self):
        token = take_token(service, make_user(service, role="manager")["email"])
        for headers in self.ELSEWHERE:
            for client in (token, owner):
                self.check(client.post(STAFF, staff(), headers), 201)

    def test_nobody_is_signed_in_by_another_site(self):
        ada = make_user(service)
        for path, headers in itertools.product((LOGIN, TOKEN), self.FOREIGN):
            with self.subTest(path=path, headers=headers):
                self.check_rejected(login(nobody, ada["email"], path=path, headers=headers))
                self.check_rejected(login(Browser(service), ada["email"], WRONG, path, headers))
        for headers in self.same:
            self.check(login(nobody, ada["email"], headers=headers), 200)


class GuessTest(AttackCase):

    def same(self, answer):
        """All of an answer that may not tell one account from another."""
        told = {name: value for name, value in answer.headers.items() if name not in ("X-Request-Id", "Date", "Connection")}
        return answer.status, told, answer.text.replace(answer.headers["X-Request-Id"], "")

    def check_alike(self, answers):
        first = self.same(answers[0])
        for answer in answers:
            self.assertEqual(self.same(answer), first)

    def test_answers_do_not_tell_accounts_apart(self):
        ada, bob, gone = make_user(service), make_user(service, password=None), deactivated()
        asking = [(ada["email"], WRONG), (ada["username"], WRONG), (bob["email"], PASSWORD), (bob["username"], PASSWORD),
                  (gone["email"], PASSWORD), (gone["username"], WRONG), (unknown(), PASSWORD), ("no.such.name", WRONG)]
        for path in (LOGIN, TOKEN):
            answers = [login(nobody, who, password, path) for who, password in asking]
            self.check_refused(answers[0], 401, "INVALID_CREDENTIALS")
            self.check_alike(answers)

    def test_neither_do_locks(self):
        accounts = [make_user(service)["email"], make_user(service, password=None)["email"], deactivated()["email"], unknown()]
        for _ in range(5):
            self.check_alike([login(nobody, who, WRONG) for who in accounts])
        locked = [login(nobody, who, PASSWORD) for who in accounts]
        self.check_refused(locked[0], 423, "ACCOUNT_LOCKED")
        self.check_alike(locked)

    def test_neither_do_crowds(self):
        accounts = [make_user(service)["email"], make_user(service, password=None)["email"], deactivated()["email"], unknown()]
        before = installation.postgres.value("SELECT now()")
        self.check_alike([login(nobody, who, WRONG) for who in accounts])
        changed = installation.postgres.psql("UPDATE auth.sign_in_failure SET failures = 5"
                                             f" WHERE began_at >= '{before}' RETURNING account")
        self.assertEqual(len(changed), len(accounts), changed)
        crowded = [login(nobody, who, PASSWORD) for who in accounts]
        self.check_refused(crowded[0], 429, "RATE_LIMITED")
        self.check_alike(crowded)

    def test_neither_do_forgotten_passwords(self):
        known, invited, gone = make_user(service), make_user(service, password=None), deactivated()
        others = [invited["email"], gone["email"], unknown()]
        answers = [nobody.post(FORGOT, {"email": who}) for who in (*others, known["email"])]
        self.check(answers[0], 202)
        self.check_alike(answers)
        links(service, known["email"], "reset")
        self.assertEqual([people.mailed(service, who, "reset") for who in others], [[]] * 3)

    def test_neither_does_the_time_that_an_answer_takes(self):
        kinds = {"unknown": unknown, "known": lambda: make_user(service)["email"], "deactivated": lambda: deactivated()["email"],
                 "without a password": lambda: make_user(service, password=None)["email"]}
        accounts = {kind: [make() for _ in range(ACCOUNTS)] for kind, make in kinds.items()}
        spent = {kind: [] for kind in kinds}
        order = list(kinds)
        for _, number in itertools.product(range(GUESSES), range(ACCOUNTS)):
            random.shuffle(order)  # what else the machine does falls on all of them
            for kind in order:
                start = time.perf_counter()
                answer = login(nobody, accounts[kind][number], WRONG)
                spent[kind].append(time.perf_counter() - start)
                self.check_refused(answer, 401, "INVALID_CREDENTIALS")
        medians = {kind: statistics.median(samples) for kind, samples in spent.items()}
        print("a refused sign-in takes", {kind: f"{median * 1000:.1f} ms" for kind, median in medians.items()})
        for one, another in itertools.combinations(kinds, 2):
            low, high = sorted((medians[one], medians[another]))
            told_apart = high > 1.25 * low and rank_score(spent[one], spent[another]) > CLEARLY
            self.assertFalse(told_apart, f"{one} and {another}: {medians}")

    def test_neither_does_the_work_that_an_answer_takes(self):
        accounts = {"unknown": unknown(), "known": make_user(service)["email"], "deactivated": deactivated()["email"],
                    "without a password": make_user(service, password=None)["email"]}

        def hashes(who):
            before = service.metrics()["workforce_password_hashes_total"]
            login(nobody, who, WRONG)
            return service.metrics()["workforce_password_hashes_total"] - before
        for expected in (1, 1, 1, 1, 1, 0, 0):  # the sixth meets the lock
            self.assertEqual({kind: hashes(who) for kind, who in accounts.items()}, dict.fromkeys(accounts, expected))

        def rows(who):
            count = "SELECT count(*) FROM auth.link WHERE purpose = 'reset'"
            before = int(installation.postgres.value(count))
            self.check(nobody.post(FORGOT, {"email": who}), 202)
            return int(installation.postgres.value(count)) - before
        for _ in range(3):  # of which one is mailed
            self.assertEqual({kind: rows(accounts[kind]) for kind in ("unknown", "known")}, {"unknown": 1, "known": 1})

    def test_guesses_that_come_together(self):
        ada = make_user(service)
        spellings = [ada["email"], ada["username"], ada["email"].upper(), ada["username"].upper()]
        guesses = [(path, who, f"{WRONG} {number}") for number, (path, who) in
                   enumerate(itertools.islice(itertools.cycle(itertools.product((LOGIN, TOKEN), spellings)), 20))]
        answers = at_once([lambda of=guess: login(nobody, of[1], of[2], of[0]) for guess in guesses])
        statuses = [answer.status for answer in answers]
        self.assertLessEqual({401}, set(statuses), statuses)
        self.assertLessEqual(set(statuses), {401, 423, 429}, statuses)
        self.assertLessEqual(statuses.count(401), 5, "no more are judged")
        for process in (service, other):
            self.assertEqual(login(people.client_of(process), ada["email"]).status, 423, "nor is the right one")

    def test_a_session_is_no_way_round_the_lock(self):
        ada = make_user(service)
        browser = sign_in(service, ada["email"])
        bodies = [{"currentPassword": f"{WRONG} {number}", "newPassword": WRONG} for number in range(20)]
        answers = at_once([lambda of=body: browser.post(CHANGE, of) for body in bodies])
        statuses = [answer.status for answer in answers]
        self.assertLessEqual({401}, set(statuses), statuses)
        self.assertLessEqual(set(statuses), {401, 423, 429}, statuses)
        self.assertLessEqual(statuses.count(401), 5, "no more are judged")
        self.assertEqual(login(nobody, ada["email"]).status, 423)


class LinkTest(AttackCase):

    def use(self, path, token, password, **more):
        return nobody.post(path, {"token": token, "password": password} | more)

    def check_once(self, path, token, user, passwords):
        """Of uses at the same time one is taken, and its password is the user's."""
        answers = at_once([lambda of=password: self.use(path, token, of) for password in passwords])
        taken = [password for answer, password in zip(answers, passwords) if answer.status == 204]
        self.assertEqual(len(taken), 1, [answer.status for answer in answers])
        for answer in answers:
            if answer.status != 204:
                self.check_fields(answer, "token")
        self.who(sign_in(service, user["email"], taken[0]))
        self.check_fields(self.use(path, token, taken[0]), "token")

    def test_a_link_works_once(self):
        passwords = [f"{secrets.token_hex(8)} of many" for _ in range(8 if support.LONG else 4)]
        ada, bob = make_user(service), make_user(service, password=None)
        self.check_once(RESET, forget(service, ada["email"]), ada, passwords[:2])
        self.check_once(RESET, forget(service, ada["email"], 2), ada, passwords)
        self.check_once(ACCEPT, links(service, bob["email"], "invite")[0], bob, passwords)

    def test_each_link_is_for_its_own_use(self):
        ada, bob = make_user(service), make_user(service, password=None)
        reset, invited = forget(service, ada["email"]), links(service, bob["email"], "invite")[0]
        self.check_fields(self.use(ACCEPT, reset, WRONG), "token")
        self.check_fields(self.use(RESET, invited, WRONG), "token")
        for token in (reset, invited):
            self.check_ended(Browser(service, token).get(ME))
            self.assertEqual(nobody.with_key(token).get(ME).status, 401)
        self.who(sign_in(service, ada["email"]))

    def test_an_invitation_touches_nobody_else(self):
        victim = make_user(service)
        browser = sign_in(service, victim["email"])
        home = make_user(service, people.operator_of(service), password=None)
        token, = links(service, home["email"], "invite")
        named = {"userId": victim["id"], "id": victim["id"], "email": victim["email"], "username": victim["username"],
                 "organizationId": service.demo["organizationId"], "role": "super_admin", "status": "active"}
        self.assertIn(self.use(ACCEPT, token, WRONG, **named).status, (204, 400))
        self.assertEqual(self.who(browser), victim["id"])
        self.assertEqual(login(nobody, victim["email"], WRONG).status, 401)
        self.assertEqual(self.who(sign_in(service, victim["email"])), victim["id"])
        answer = login(nobody, home["email"], WRONG)
        if answer.status == 200:
            self.assertEqual((answer.body["user"]["id"], answer.body["user"]["role"]), (home["id"], home["role"]))

    def test_links_of_who_was_deactivated(self):
        ada, bob = make_user(service), make_user(service, password=None)
        reset, invited = forget(service, ada["email"]), links(service, bob["email"], "invite")[0]
        for user in (ada, bob):
            self.check(owner.delete(f"/api/users/{user['id']}"), 200)
        service.wait_projected()
        for path, token, user in ((RESET, reset, ada), (ACCEPT, invited, bob)):
            self.check_fields(self.use(path, token, WRONG), "token")
            self.assertEqual(login(nobody, user["email"], WRONG).status, 401)
            self.assertEqual(owner.get(f"/api/users/{user['id']}").body["status"], "deactivated")

    def test_what_is_no_link(self):
        ada = make_user(service)
        good = forget(service, ada["email"])
        for token in ("", "x", good[:-1], good + "A", good.swapcase(), "' OR ''='", "\0", "A" * 10_000, "../" + good):
            for path in (RESET, ACCEPT):
                with self.subTest(path=path, token=token[:20]):
                    self.check_fields(self.use(path, token, WRONG), "token")
        self.check(self.use(RESET, good, WRONG), 204)


class OddInputTest(AttackCase):

    # As passwords, with what a new one of the kind is answered.
    PASSWORDS = {"' OR 1=1 --": 400, "x'; DROP TABLE read.user_account; --": 201, "$2b$10$" + "a" * 53: 201, "a\0" * 10: 400,
                 "x" * 1025: 400, "x" * (1 << 20): 413}

    def test_passwords(self):
        for password, status in self.PASSWORDS.items():
            with self.subTest(password=password[:30]):
                ada = make_user(service)
                refused = login(nobody, ada["email"], password)
                self.assertIn(refused.status, (400, 401, 413), str(refused)[:300])
                self.who(sign_in(service, ada["email"]))
                body = people.person(password=password)
                made = owner.post("/api/users", body)
                self.assertIn(made.status, {status, 400} if status > 400 else {status}, str(made)[:300])
                if status == 201:
                    service.wait_projected()
                    self.who(sign_in(service, body["email"], password))

    def test_names(self):
        for name in ("' OR ''='", "admin'--", "\0", "%", "*", "x" * 100_000, "ada\r\nX-Injected: 1", "${jndi:ldap://a}", "\u202e"):
            for field in ("email", "username"):
                with self.subTest(field=field, name=name[:20]):
                    answer = nobody.post(LOGIN, {field: name, "password": PASSWORD})
                    self.assertIn(answer.status, (400, 401, 413), str(answer)[:300])
                    self.assertNotIn("X-Injected", answer.headers)

    def test_bodies(self):
        ada = make_user(service)
        typed = [{"email": ada["email"], "password": password} for password in ({"$ne": ""}, [PASSWORD], True, None)]
        typed += [{"email": email, "password": PASSWORD} for email in ([ada["email"]], {"like": "%"}, 1)]
        for body in ([], "text", 1, None, *typed):
            for path in (LOGIN, TOKEN):
                with self.subTest(body=body, path=path):
                    answer = nobody.send("POST", path, raw=json.dumps(body).encode())
                    self.check_refused(answer, 400, "VALIDATION_ERROR")
        for raw in (b"", b"{", b'{"email":"a","password":"\xff\xfe"}', b'{"email":"a","password":"\\ud800"}', b"[" * 100_000):
            with self.subTest(raw=raw[:40]):
                answer = nobody.send("POST", LOGIN, raw=raw)
                self.assertIn(answer.status, (400, 401, 413), str(answer)[:300])
        self.check(login(nobody, ada["email"]), 200)


if __name__ == "__main__":
    unittest.main()
