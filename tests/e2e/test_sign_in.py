# The life of people who sign in: sessions and tokens, invitations, passwords and their reset, the lock, and what ends them all.

import base64
import json
import secrets
import time
import unittest

import cluster
import people
import rest
import support
from people import (ACCEPT, CHANGE, FORGOT, LOGIN, LOGOUT, ME, PASSWORD, RESET, SESSIONS, TOKEN, Browser, events_of, forget, links,
                    login, make_user, owner_of, set_cookie, sign_in, take_token)

BASE = "http://people.example.test"
OTHER = "another correct horse battery"
WRONG = "a wrong guess of some length"
IN_SANDBOX = {"Service-Sandbox": "true"}
MANY = 12 if support.LONG else 6  # who sign in at once: more than the five who may be judged at a time
ENDED_SECONDS = 30  # of what has to have ended within one, however busy the machine is
SESSION = {"id", "userId", "kind", "createdAt", "lastSeenAt", "expiresAt", "ip", "userAgent", "current"}
TOO_WEAK = ("elevenchars", "x" * 1025, "password1234", "123456789012")
installation = service = other = owner = operator = nobody = None


def setUpModule():
    """Two processes that answer, and one that does the rest."""
    global installation, service, other, owner, operator, nobody
    postgres = unittest.enterModuleContext(support.Postgres())
    installation = unittest.enterModuleContext(cluster.Cluster(postgres))
    service, other, *_ = installation.start("api", "api", "workers", WORKFORCE_BASE_URL=BASE)
    owner, operator, nobody = owner_of(service), people.operator_of(service), people.client_of(service)

LONGEST = " ".join(str(number) for number in range(300))[:1024]


class PeopleCase(rest.RestCase):

    def setUp(self):
        for client in (owner, operator, nobody):
            client.close()  # the service does so with what has been idle for long

    def tearDown(self):
        if not self._outcome.success:
            installation.print_tails()

    def check_ended(self, *clients):
        """They open nothing, here at once."""
        for client in clients:
            self.check_refused(client.get(ME), 401, "UNAUTHENTICATED")

    def check_open(self, *clients):
        for client in clients:
            self.check(client.get(ME), 200)

    def wait_ended(self, *clients):
        for client in clients:
            support.wait_until(lambda of=client: of.get(ME).status == 401, ENDED_SECONDS, "the session has ended")

    def check_wrong(self, who, password):
        self.check_refused(login(nobody, who, password), 401, "INVALID_CREDENTIALS")

    def check_locked(self, who, password=PASSWORD):
        self.check_refused(login(nobody, who, password), 423, "ACCOUNT_LOCKED")

    def lock(self, who, guesses=5):
        for _ in range(guesses):
            self.check_wrong(who, WRONG)

    def wait_status(self, user, status):
        support.wait_until(lambda: owner.get(f"/api/users/{user['id']}").body["status"] == status, 30, f"the user is {status}")


class SignInTest(PeopleCase):

    def test_by_address_and_by_user_name(self):
        ada = make_user(service)
        self.assertEqual((ada["status"], ada["mfaEnabled"], ada["lastLoginAt"]), ("active", False, None))
        for who in (ada["email"], ada["username"], ada["email"].upper()):
            browser = Browser(service)
            body = self.check(login(browser, who, headers={"User-Agent": "suite/1"}), 200)
            self.assertEqual((set(body), set(body["user"]), body["user"]["id"]), ({"user", "session"}, set(ada), ada["id"]))
            session = body["session"]
            self.assertEqual(set(session), SESSION)
            self.assertEqual([session[name] for name in ("userId", "kind", "ip", "userAgent", "current")],
                             [ada["id"], "cookie", "127.0.0.1", "suite/1", True])
            me = self.check(browser.get(ME), 200)
            self.assertEqual((me["user"]["id"], me["credential"]), (ada["id"], {"type": "session", "id": session["id"]}))
        support.wait_until(lambda: owner.get(f"/api/users/{ada['id']}").body["lastLoginAt"], 30, "the last sign-in is shown")

    def test_the_cookie_is_for_https_where_the_service_is(self):
        ada = make_user(service)
        for base, more in ((BASE, set()), (BASE.replace("http:", "https:"), {"Secure"})):
            member, = installation.start("api", WORKFORCE_BASE_URL=base)
            browser = Browser(member)
            value, attributes = set_cookie(login(browser, ada["email"]))
            self.assertEqual(attributes, {"Path=/", "HttpOnly", "SameSite=Lax", "Max-Age=604800"} | more)
            self.assertRegex(value, r'\A[^\s;,"\\]{32,}\Z')
            _, attributes = set_cookie(browser.post(LOGOUT))
            self.assertLessEqual({"Path=/", "Max-Age=0"}, attributes)
            self.assertNotIn("Max-Age=604800", attributes)
            member.stop()

    def test_what_a_sign_in_needs(self):
        ada = make_user(service)
        for path in (LOGIN, TOKEN):
            for body in ({}, {"email": ada["email"]}, {"username": ada["username"]}, {"password": PASSWORD}):
                answer = nobody.post(path, body)
                self.check_refused(answer, 400, "VALIDATION_ERROR")
                self.assertIsNone(set_cookie(answer))
            unnamed = nobody.post(path, {"password": PASSWORD}).body["error"]["message"]
            self.assertEqual(unnamed, "One field is not valid: email or username is required, and not both")
            self.check(nobody.post(path, {"email": ada["email"], "password": PASSWORD, "otp": "000000"}), 200)

    def test_a_retry_is_another_session(self):
        ada, keyed = make_user(service), {"Idempotency-Key": secrets.token_hex(8)}
        answers = [login(nobody, ada["email"], headers=keyed) for _ in range(2)]
        self.assertNotEqual(*(set_cookie(answer)[0] for answer in answers))
        self.assertNotEqual(*(self.check(answer, 200)["session"]["id"] for answer in answers))
        for wrong in ("", "k" * 256):
            keyed = {"Idempotency-Key": wrong}
            self.check_fields(login(nobody, ada["email"], headers=keyed), "Idempotency-Key")
            self.check_fields(sign_in(service, ada["email"]).post(LOGOUT, headers=keyed), "Idempotency-Key")

    def test_a_token(self):
        ada = make_user(service)
        answer = login(nobody, ada["username"], path=TOKEN)
        body = self.check(answer, 200)
        self.assertEqual((set(body), body["tokenType"], body["expiresIn"]), ({"token", "tokenType", "expiresIn"}, "Bearer", 3600))
        self.assertIsNone(set_cookie(answer))
        header, claims = (json.loads(base64.urlsafe_b64decode(part + "==")) for part in body["token"].split(".")[:2])
        self.assertEqual((header["alg"], claims["aud"]), ("ES256", "dashboard"))
        self.assertLess(abs(claims["exp"] - 3600 - time.time()), 60)
        browser = sign_in(service, ada["email"])
        for process in (service, other):
            me = self.check(people.client_of(process, body["token"]).get(ME), 200)
            self.assertEqual((me["user"]["id"], me["credential"]["type"]), (ada["id"], "jwt"))
            self.assertIn(me["credential"]["id"], [row["id"] for row in browser.get(SESSIONS).body["data"]])

    def test_a_header_goes_before_a_cookie(self):
        ada, bob = make_user(service), make_user(service)
        browser, token = sign_in(service, ada["email"]), take_token(service, bob["email"])
        both = {"Cookie": f"{people.COOKIE}={browser.cookie}"}
        self.assertEqual(self.check(token.get(ME, both), 200)["user"]["id"], bob["id"])
        self.check_refused(nobody.with_key("no.such.token").get(ME, both), 401, "UNAUTHENTICATED")

    def test_the_sandbox(self):
        facility, mail = service.demo["facilityIds"][0], f"{secrets.token_hex(6)}@example.test"
        admin = sign_in(service, make_user(service, operator, role="admin", orgUnitId=service.demo["organizationId"])["email"])
        body = {"firstName": "Only", "lastName": "Practice", "email": mail, "facilityIds": [facility]}
        self.check(admin.post("/api/staff", body, IN_SANDBOX), 201)
        service.wait_projected()
        found = [self.check(admin.get("/api/staff", headers, q=mail), 200)["data"] for headers in (IN_SANDBOX, {})]
        self.assertEqual([len(rows) for rows in found], [1, 0])
        viewer = sign_in(service, make_user(service)["email"])
        self.check_refused(viewer.get("/api/staff", IN_SANDBOX), 403, "FORBIDDEN")

    def test_the_log_tells_of_it(self):
        ada = make_user(service, password=None)
        self.check(nobody.post(ACCEPT, {"token": links(service, ada["email"], "invite")[0], "password": PASSWORD}), 204)
        browser = sign_in(service, ada["email"])
        self.check(browser.post(CHANGE, {"currentPassword": PASSWORD, "newPassword": OTHER}), 204)
        self.check(browser.post(LOGOUT), 204)
        self.lock(ada["email"])
        self.check(nobody.post(RESET, {"token": forget(service, ada["email"]), "password": PASSWORD}), 204)
        wanted = {f"user.{what}" for what in ("activated", "signed_in", "password_changed", "signed_out", "sign_in_failed",
                                              "locked", "unlocked")}
        support.wait_until(lambda: wanted <= set(events_of(service, ada)), 30, "the log has all that happened")
        support.verify_chain(installation.log_records())

    def test_nothing_secret_is_stored_in_clear(self):
        password = f"{secrets.token_hex(8)} to be found"
        ada, bob = make_user(service, password=password), make_user(service, password=None)
        invited = links(service, bob["email"], "invite")[0]
        browser, token = sign_in(service, ada["email"], password), login(nobody, ada["email"], password, TOKEN).body["token"]
        known = [password, browser.cookie, token, invited, forget(service, ada["email"])]
        self.assertNotIn(password, owner.get(f"/api/users/{ada['id']}").text)
        for (schema,) in installation.postgres.psql(
                "SELECT nspname FROM pg_namespace WHERE nspname !~ '^(pg_|information_schema)'"):
            for table in support.tables_of(installation.postgres, schema):
                self.assertEqual(support.clear_text_hits(installation.postgres, table, known), [], table)
        for process in (service, other):
            self.assertEqual([each for each in known if each in process.log_from(0)], [])


class SessionsTest(PeopleCase):

    def test_own_sessions_are_listed(self):
        ada = make_user(service)
        first, token, last = sign_in(service, ada["email"]), take_token(other, ada["email"]), sign_in(other, ada["email"])
        sign_in(service, make_user(service)["email"])
        for client, current in ((first, 2), (token, 1), (last, 0)):
            page = self.check(client.get(SESSIONS), 200)
            self.assertEqual(set(page), {"data", "pagination", "scope"})
            self.assertEqual([row["kind"] for row in page["data"]], ["cookie", "jwt", "cookie"])
            self.assertEqual([row["current"] for row in page["data"]], [place == current for place in range(3)])
            self.assertEqual({row["userId"] for row in page["data"]}, {ada["id"]})
            paged = [row["id"] for rows in rest.pages(client, SESSIONS, limit=2) for row in rows]
            self.assertEqual(paged, [row["id"] for row in page["data"]])

    def test_one_is_ended_from_another(self):
        ada = make_user(service)
        browser, lost, token = sign_in(service, ada["email"]), sign_in(service, ada["email"]), take_token(service, ada["email"])
        elsewhere = Browser(other, lost.cookie)
        self.check_open(elsewhere)
        self.check(browser.delete(f"{SESSIONS}/{lost.session}"), 204)
        self.wait_ended(lost, elsewhere)
        self.check(browser.delete(f"{SESSIONS}/{token.get(ME).body['credential']['id']}"), 204)
        self.wait_ended(token)
        self.assertEqual([row["id"] for row in browser.get(SESSIONS).body["data"]], [browser.session])

    def test_nobody_ends_those_of_others(self):
        ada, bob = (sign_in(service, make_user(service)["email"]) for _ in range(2))
        admin = sign_in(service, make_user(service, operator, role="super_admin")["email"])
        for client in (bob, admin):
            self.check_refused(client.delete(f"{SESSIONS}/{ada.session}"), 404, "NOT_FOUND")
        self.check_refused(ada.delete(f"{SESSIONS}/9000000000"), 404, "NOT_FOUND")
        self.check_open(ada)

    def test_signing_out(self):
        ada = make_user(service)
        browser, stays, token = sign_in(service, ada["email"]), sign_in(service, ada["email"]), take_token(service, ada["email"])
        elsewhere, ended = Browser(other, browser.cookie), Browser(service, browser.cookie)
        self.check_open(elsewhere, ended, token)
        self.check(browser.post(LOGOUT), 204)
        self.assertIsNone(browser.cookie)
        self.check_ended(ended)
        self.wait_ended(elsewhere)
        self.check(token.post(LOGOUT), 204)
        self.check_ended(token)
        self.check_open(stays)

    def test_a_restart_ends_none(self):
        ada = make_user(service)
        clients = [sign_in(service, ada["email"]), take_token(service, ada["email"]), Browser(other)]
        clients[2].cookie = clients[0].cookie
        self.check_open(*clients)
        for process in (service, other):
            process.stop()
        for process in (service, other):
            process.start()
        for client in clients:
            client.close()
        self.check_open(*clients)

    def test_deactivating_a_user_ends_them_for_good(self):
        ada = make_user(service)
        clients = [sign_in(service, ada["email"]), sign_in(other, ada["email"]), take_token(service, ada["email"])]
        self.check_open(*clients)
        self.check(owner.delete(f"/api/users/{ada['id']}"), 200)
        self.wait_ended(*clients)
        self.check_wrong(ada["email"], PASSWORD)
        installation.command("users", "reactivate", "--organization", service.demo["organizationId"], ada["id"])
        service.wait_projected()
        self.check_open(sign_in(service, ada["email"]))
        self.check_ended(*clients)

    def test_deactivating_an_organization_ends_them_for_good(self):
        organization = self.check(operator.post("/api/organizations", {"name": f"Ended {secrets.token_hex(6)}"}), 201)["id"]
        service.wait_projected()
        ada = make_user(service, operator, orgUnitId=organization)
        clients = [sign_in(service, ada["email"]), sign_in(other, ada["email"]), take_token(service, ada["email"])]
        self.check_open(*clients)
        self.check(operator.post(f"/api/organizations/{organization}/deactivate"), 200)
        self.wait_ended(*clients)
        self.assertEqual(login(nobody, ada["email"]).status, 401)
        installation.command("organizations", "reactivate", organization)
        service.wait_projected()
        self.check_open(sign_in(service, ada["email"]))
        self.check_ended(*clients)


class PasswordsTest(PeopleCase):

    def test_a_new_one_ends_all_other_sessions(self):
        ada = make_user(service)
        browser, lost, token = sign_in(service, ada["email"]), sign_in(other, ada["email"]), take_token(service, ada["email"])
        self.check_open(browser, lost, token)
        self.check(browser.post(CHANGE, {"currentPassword": PASSWORD, "newPassword": OTHER}), 204)
        self.wait_ended(lost, token)
        self.check_open(browser)
        self.check_wrong(ada["email"], PASSWORD)
        self.check_open(sign_in(service, ada["email"], OTHER))

    def test_a_wrong_current_one_counts_as_a_failed_sign_in(self):
        ada = make_user(service)
        browser = sign_in(service, ada["email"])
        for _ in range(5):
            answer = browser.post(CHANGE, {"currentPassword": WRONG, "newPassword": OTHER})
            self.check_refused(answer, 401, "INVALID_CREDENTIALS")
        self.check_locked(ada["email"])
        self.check_open(browser)

    def test_what_a_password_has_to_be(self):
        ada, bob = make_user(service), make_user(service, password=None)
        browser = sign_in(service, ada["email"])
        invited, reset = links(service, bob["email"], "invite")[0], forget(service, ada["email"])
        for weak in TOO_WEAK:
            with self.subTest(password=weak[:20]):
                self.check_fields(owner.post("/api/users", people.person(password=weak)), "password")
                self.check_fields(nobody.post(ACCEPT, {"token": invited, "password": weak}), "password")
                self.check_fields(nobody.post(RESET, {"token": reset, "password": weak}), "password")
                self.check_fields(browser.post(CHANGE, {"currentPassword": PASSWORD, "newPassword": weak}), "newPassword")
        # Nor is it one of the names that its user signs in by.
        for name in (ada["email"].title(), ada["username"]):
            self.check_fields(browser.post(CHANGE, {"currentPassword": PASSWORD, "newPassword": name}), "newPassword")
            self.check_fields(nobody.post(RESET, {"token": reset, "password": name}), "password")
        for name in (bob["email"], bob["username"].upper()):
            self.check_fields(nobody.post(ACCEPT, {"token": invited, "password": name}), "password")
            self.check_fields(owner.post("/api/users", people.person(email=bob["email"], username=bob["username"],
                                                                     password=name)), "password")
        # Links are not used up by what is refused.
        self.check(nobody.post(ACCEPT, {"token": invited, "password": LONGEST}), 204)
        self.check(nobody.post(RESET, {"token": reset, "password": "twelve chars"}), 204)
        self.check_open(sign_in(service, bob["email"], LONGEST), sign_in(service, ada["email"], "twelve chars"))

    def test_one_that_is_forgotten(self):
        ada = make_user(service)
        clients = [sign_in(service, ada["email"]), take_token(service, ada["email"]), sign_in(other, ada["email"])]
        self.check_open(*clients)
        token = forget(service, ada["email"])
        self.check_open(*clients)
        self.check(nobody.post(RESET, {"token": token, "password": OTHER}), 204)
        self.wait_ended(*clients)
        self.check_wrong(ada["email"], PASSWORD)
        self.check_open(sign_in(service, ada["email"], OTHER))
        for ended in (token, secrets.token_urlsafe(32)):
            self.check_fields(nobody.post(RESET, {"token": ended, "password": PASSWORD}), "token")


class InvitationsTest(PeopleCase):

    def test_an_invited_user_accepts(self):
        made = owner.post("/api/users", people.person(password=None))
        ada = self.check(made, 201)
        self.assertEqual(ada["status"], "invited")
        token, = links(service, ada["email"], "invite")
        self.assertNotIn(token, made.text)
        self.check_wrong(ada["email"], PASSWORD)
        self.check(nobody.post(ACCEPT, {"token": token, "password": PASSWORD}), 204)
        self.check_open(sign_in(service, ada["email"]))
        self.wait_status(ada, "active")
        for ended in (token, secrets.token_urlsafe(32)):
            self.check_fields(nobody.post(ACCEPT, {"token": ended, "password": OTHER}), "token")
        self.check_open(sign_in(service, ada["email"]))

    def test_a_new_link_ends_those_before(self):
        ada = make_user(service, password=None)
        first, = links(service, ada["email"], "invite")
        self.check(owner.post(f"/api/users/{ada['id']}/reset-invite"), 200)
        second, = set(links(service, ada["email"], "invite", 2)) - {first}
        self.check_fields(nobody.post(ACCEPT, {"token": first, "password": PASSWORD}), "token")
        self.check(nobody.post(ACCEPT, {"token": second, "password": PASSWORD}), 204)

    def test_a_retry_sends_no_other_link(self):
        ada = make_user(service, password=None)
        first, = links(service, ada["email"], "invite")
        keyed = {"Idempotency-Key": secrets.token_hex(8)}
        answers = [owner.post(f"/api/users/{ada['id']}/reset-invite", headers=keyed) for _ in range(3)]
        self.assertEqual([answer.status for answer in answers], [200] * 3)
        self.assertEqual(installation.postgres.value(f"SELECT count(*) FROM auth.link WHERE user_id = {ada['id']}"), "1")
        second, = set(links(service, ada["email"], "invite", 2)) - {first}
        self.check(owner.post(f"/api/users/{ada['id']}/reset-invite", headers=keyed), 200)
        self.check(nobody.post(ACCEPT, {"token": second, "password": PASSWORD}), 204)

    def test_an_edit_that_leaves_the_address_leaves_the_link(self):
        ada, bob = make_user(service, password=None), make_user(service)
        invited, reset = links(service, ada["email"], "invite")[0], forget(service, bob["email"])
        for user in (ada, bob):
            path = f"/api/users/{user['id']}"
            read = self.check(owner.get(path), 200)
            self.check(owner.put(path, read), 200)
            self.check(owner.put(path, read | {"lastName": "Lovelace"}), 200)
            self.check(owner.patch(path, {"email": user["email"].upper()}), 200)
        self.check(nobody.post(ACCEPT, {"token": invited, "password": PASSWORD}), 204)
        self.check(nobody.post(RESET, {"token": reset, "password": OTHER}), 204)

    def test_an_invitation_follows_the_address(self):
        ada, bob, cyd = make_user(service, password=None), make_user(service), make_user(service)
        invited, reset = links(service, ada["email"], "invite")[0], forget(service, bob["email"])
        moved = {user["id"]: f"moved-{user['email']}" for user in (ada, bob)}
        holder = support.Session(installation.postgres)
        holder.execute("BEGIN; LOCK TABLE read.user_account IN SHARE MODE")
        try:  # the read model stays behind, and so does the mail; another link, which is later, is mailed
            for user in (ada, bob):
                self.check(owner.patch(f"/api/users/{user['id']}", {"email": moved[user["id"]]}), 200)
            forget(service, cyd["email"])
            self.assertEqual(len(people.mailed(service, ada["email"], "invite")), 1)
        finally:
            holder.close()
        self.check_fields(nobody.post(ACCEPT, {"token": invited, "password": PASSWORD}), "token")
        self.check_fields(nobody.post(RESET, {"token": reset, "password": OTHER}), "token")
        again, = links(service, moved[ada["id"]], "invite")
        self.assertEqual(people.mailed(service, moved[bob["id"]], "reset"), [], "who has a password is sent nothing")
        self.assertEqual(len(people.mailed(service, ada["email"], "invite")), 1)
        self.check(nobody.post(ACCEPT, {"token": again, "password": PASSWORD}), 204)
        self.check_open(sign_in(service, moved[ada["id"]]))

    def test_a_retry_leaves_the_link(self):
        ada = make_user(service, password=None)
        links(service, ada["email"], "invite")
        keyed, moved = {"Idempotency-Key": secrets.token_hex(8)}, f"moved-{ada['email']}"
        for _ in range(2):
            self.check(owner.patch(f"/api/users/{ada['id']}", {"email": moved}, keyed), 200)
            token, = links(service, moved, "invite")
        self.check(nobody.post(ACCEPT, {"token": token, "password": PASSWORD}), 204)

    def test_whom_one_does_not_see_is_not_invited(self):
        home = make_user(service, operator, password=None)
        self.check_refused(owner.post(f"/api/users/{home['id']}/reset-invite"), 404, "NOT_FOUND")
        self.check_refused(owner.post("/api/users/9000000000/reset-invite"), 404, "NOT_FOUND")

    def test_who_has_a_password_is_sent_no_link(self):
        password = f"{secrets.token_hex(8)} in no answer"
        made = owner.post("/api/users", people.person(password=password))
        ada = self.check(made, 201)
        later = make_user(service, password=None)
        links(service, later["email"], "invite")
        self.assertEqual(people.mailed(service, ada["email"], "invite"), [])
        for answer in (made, owner.get(f"/api/users/{ada['id']}"), owner.get("/api/users", q=ada["email"]),
                       login(nobody, ada["email"], password)):
            self.assertLess(answer.status, 300, str(answer))
            self.assertNotRegex(answer.text, f"{password}|argon2")


class LocksTest(PeopleCase):

    def test_the_sixth_try_meets_a_lock(self):
        ada = make_user(service)
        browser = sign_in(service, ada["email"])
        key = owner.with_key(rest.make_key(service, ["staff:read"])[1])
        for number in range(5):
            self.check_wrong(ada["email" if number % 2 else "username"], WRONG)  # both count for one account
        for who in (ada["email"], ada["username"], ada["email"].upper()):
            for password in (PASSWORD, WRONG):
                self.check_locked(who, password)
        self.check_refused(login(nobody, ada["email"], path=TOKEN), 423, "ACCOUNT_LOCKED")
        self.wait_status(ada, "locked")
        self.check_open(browser, key)
        self.check_open(sign_in(service, make_user(service)["email"]))

    def test_a_lock_keeps_from_signing_in_alone(self):
        ada = make_user(service, role="manager")
        browser, token = sign_in(service, ada["email"]), take_token(other, ada["email"])
        body = {"name": "Theirs", "scopes": ["staff:write"], "userId": ada["id"], "orgUnitId": service.demo["organizationId"]}
        key = owner.with_key(self.check(operator.post("/api/api-keys", body), 201)["key"])
        self.lock(ada["email"])
        self.wait_status(ada, "locked")
        for client in (browser, token, key):
            body = {"firstName": "Still", "lastName": "At work", "email": f"{secrets.token_hex(6)}@example.test"}
            self.check(client.post("/api/staff", body), 201)
        self.check_locked(ada["email"])

    def test_a_success_begins_anew(self):
        ada = make_user(service)
        for _ in range(2):
            self.lock(ada["email"], 4)
            self.check_open(sign_in(service, ada["email"]))
        self.lock(ada["email"])
        self.check_locked(ada["email"])

    def test_accounts_that_are_none_lock_too(self):
        nowhere = f"{secrets.token_hex(6)}@nowhere.example.test"
        self.lock(nowhere)
        self.check_locked(nowhere)

    def test_processes_count_together(self):
        ada = make_user(service)
        clients = [people.client_of(process) for process in (service, other) * 10]
        answers = people.at_once([lambda of=client: login(of, ada["email"], WRONG) for client in clients])
        statuses = [answer.status for answer in answers]
        self.assertLessEqual({401}, set(statuses), statuses)
        self.assertLessEqual(set(statuses), {401, 423, 429}, statuses)
        self.assertLessEqual(statuses.count(401), 5)
        self.assertEqual(login(people.client_of(other), ada["email"]).status, 423)

    def test_who_waits_for_others_in_vain_may_come_again_soon(self):
        ada = make_user(service)
        browser = sign_in(service, ada["email"])
        account = f"'user/{ada['id']}'"
        installation.postgres.psql("INSERT INTO auth.sign_in_failure (account, organization_id, user_id, failures)"
                                   f" VALUES ({account}, {service.demo['organizationId']}, {ada['id']}, 5)")
        change = {"currentPassword": PASSWORD, "newPassword": PASSWORD}
        for crowded in (login(nobody, ada["email"]), login(nobody, ada["email"], path=TOKEN), browser.post(CHANGE, change)):
            self.check_refused(crowded, 429, "RATE_LIMITED")
            self.assertEqual(crowded.headers.get_all("Retry-After"), ["1"])
        installation.postgres.psql(f"UPDATE auth.sign_in_failure SET failures = 4 WHERE account = {account}")  # one is judged
        self.check_open(sign_in(service, ada["email"]))

    def test_the_right_password_is_taken_however_often_at_once(self):
        ada = make_user(service)
        clients = [people.client_of(process) for process in (service, other) * (MANY // 2)]

        def judged(send):
            """The answer, once the attempts before it leave it a place: on a slow machine it waits for that in vain."""
            return support.wait_until(lambda: (answer := send()).status != 429 and answer, 60, "the password is judged")
        for path in (LOGIN, TOKEN):
            answers = people.at_once([lambda of=client: judged(lambda: login(of, ada["email"], path=path)) for client in clients])
            self.assertEqual([answer.status for answer in answers], [200] * len(clients))
        browser = sign_in(service, ada["email"])
        bodies = [{"currentPassword": PASSWORD, "newPassword": PASSWORD}] * (MANY * 2 // 3)
        answers = people.at_once([lambda of=body: judged(lambda: Browser(service, browser.cookie).post(CHANGE, of))
                                  for body in bodies])
        self.assertEqual([answer.status for answer in answers], [204] * len(bodies))
        self.check_open(sign_in(service, ada["email"]))

    def test_what_was_not_judged_does_not_count(self):
        ada = make_user(service)
        browser = sign_in(service, ada["email"])
        for table, right in (("auth.session", "INSERT"), ("auth.password", "UPDATE")):
            installation.postgres.psql(f"REVOKE {right} ON {table} FROM workforce_writer")
            try:
                for _ in range(6):
                    self.assertGreaterEqual(login(nobody, ada["email"]).status, 500)
                    if right == "UPDATE":
                        answer = browser.post(CHANGE, {"currentPassword": PASSWORD, "newPassword": OTHER})
                        self.assertGreaterEqual(answer.status, 500)
            finally:
                installation.postgres.psql(f"GRANT {right} ON {table} TO workforce_writer")
            self.check_open(sign_in(service, ada["email"]), browser)

    def test_a_reset_ends_it(self):
        ada = make_user(service)
        self.lock(ada["email"])
        self.check_locked(ada["email"])
        self.wait_status(ada, "locked")
        self.check(nobody.post(RESET, {"token": forget(service, ada["email"]), "password": OTHER}), 204)
        self.check_open(sign_in(service, ada["email"], OTHER))
        self.wait_status(ada, "active")

    def test_an_address_tries_so_often_a_minute(self):
        member, = installation.start("api", WORKFORCE_LOGIN_RATE_LIMIT="3")
        ada = make_user(service)
        browser, client = Browser(member, sign_in(service, ada["email"]).cookie), people.client_of(member)
        self.assertEqual([login(client, ada["email"], path=path).status for path in (LOGIN, TOKEN, LOGIN)], [200] * 3)
        for path in (LOGIN, TOKEN):
            refused = login(client, ada["email"], path=path)
            self.check_refused(refused, 429, "RATE_LIMITED")
            self.assertTrue(1 <= int(refused.headers["Retry-After"]) <= 60, str(refused))
            self.assertNotIn("X-RateLimit-Limit", refused.headers, str(refused))
        self.check_open(browser)
        self.check(client.post(FORGOT, {"email": ada["email"]}), 202)
        self.check_open(sign_in(service, ada["email"]))
        member.stop()


if __name__ == "__main__":
    unittest.main()
