# Second factors: enrolled, asked for at every door, used once, recovered, and taken away.

import unittest
from urllib.parse import parse_qs, urlsplit

import mfa
import oauth
import people
import rest
import support
from people import ME, make_user

service = owner = operator = nobody = None


def setUpModule():
    global service, owner, operator, nobody
    service = rest.start_service({"WORKFORCE_LOGIN_RATE_LIMIT": "0", "WORKFORCE_ADDRESS_RATE_LIMIT": "0"})
    owner, operator, nobody = rest.client_of(service), people.operator_of(service), people.client_of(service)


class MfaTest(rest.RestCase):

    def setUp(self):
        self.who = make_user(service)
        self.person = people.sign_in(service, self.who["email"])

    def check_enabled(self, enabled):
        support.wait_until(lambda: owner.get(f"/api/users/{self.who['id']}").body["mfaEnabled"] is enabled, 30, "the record says so")

    def check_wrong(self, otp, path=people.LOGIN):
        self.check_refused(mfa.login(nobody, self.who["email"], otp, path), 401, "INVALID_CREDENTIALS")

    def test_what_is_enrolled(self):
        body = self.check(self.person.post(mfa.ENROL), 200)
        self.assertEqual(set(body), {"secret", "otpauthUrl"})
        parts = urlsplit(body["otpauthUrl"])
        self.assertEqual((parts.scheme, parts.netloc, parse_qs(parts.query)["secret"]), ("otpauth", "totp", [body["secret"]]))
        # It counts once it is confirmed; until then it can be made anew.
        self.check(mfa.login(nobody, self.who["email"]), 200)
        again = self.check(self.person.post(mfa.ENROL), 200)
        self.assertNotEqual(again["secret"], body["secret"])
        for wrong in (mfa.code(body["secret"]), "000000", "x"):
            self.check_fields(self.person.post(mfa.CONFIRM, {"otp": wrong}), "otp")
        codes = self.check(self.person.post(mfa.CONFIRM, {"otp": mfa.code(again["secret"])}), 200)["recoveryCodes"]
        self.assertEqual((len(codes), len(set(codes))), (10, 10))
        self.check_enabled(True)
        self.check_refused(self.person.post(mfa.ENROL), 409, "INVALID_STATE_TRANSITION")
        self.check_fields(self.person.post(mfa.CONFIRM, {"otp": mfa.code(again["secret"])}), "otp")
        self.assertFalse(any(service.log_text_hits([again["secret"], *codes]).values()))

    def test_a_session_of_long_ago_shows_the_password(self):
        """Who has a stolen session alone must not lock its user out by a factor of their own."""
        wrong, right = {"password": "a wrong guess of some length"}, {"password": people.PASSWORD}
        secret = self.check(self.person.post(mfa.ENROL), 200)["secret"]
        service.postgres.psql(f"UPDATE auth.session SET created_at = created_at - interval '11 minutes' WHERE user_id = {self.who['id']}")
        self.check_fields(self.person.post(mfa.ENROL), "password")
        self.check_refused(self.person.post(mfa.ENROL, wrong), 401, "INVALID_CREDENTIALS")
        self.check_fields(self.person.post(mfa.CONFIRM, {"otp": mfa.code(secret)}), "password")
        self.check_refused(self.person.post(mfa.CONFIRM, {"otp": mfa.code(secret)} | wrong), 401, "INVALID_CREDENTIALS")
        self.check(mfa.login(nobody, self.who["email"]), 200)
        secret = self.check(self.person.post(mfa.ENROL, right), 200)["secret"]
        self.check(self.person.post(mfa.CONFIRM, {"otp": mfa.code(secret)} | right), 200)
        self.check_refused(mfa.login(nobody, self.who["email"]), 401, "MFA_REQUIRED")

    def test_at_login_and_token(self):
        secret, codes = mfa.enrol(self.person)
        for path in (people.LOGIN, people.TOKEN):
            self.check_refused(mfa.login(nobody, self.who["email"], path=path), 401, "MFA_REQUIRED")
        self.check_wrong(mfa.code(secret, 5))
        self.check_wrong("nonsense")
        used = mfa.code(secret)
        self.check(mfa.login(nobody, self.who["email"], used), 200)
        self.check_wrong(used)  # once
        self.check(mfa.login(nobody, self.who["email"], mfa.code(secret, 1), people.TOKEN), 200)
        self.check(mfa.login(nobody, self.who["email"], codes[0].upper(), people.TOKEN), 200)
        self.check_wrong(codes[0])
        self.check_refused(mfa.login(nobody, self.who["email"], mfa.code(secret), password="a wrong guess of some length"), 401,
                           "INVALID_CREDENTIALS")
        self.check(self.person.get(ME), 200)

    def test_guesses_lock(self):
        secret, _ = mfa.enrol(self.person)
        for _ in range(5):
            self.check_wrong("123123")
        self.check_refused(mfa.login(nobody, self.who["email"], mfa.code(secret)), 423, "ACCOUNT_LOCKED")

    def test_asking_which_is_no_guess(self):
        secret, _ = mfa.enrol(self.person)
        for _ in range(8):
            self.check_refused(mfa.login(nobody, self.who["email"]), 401, "MFA_REQUIRED")
        self.check(mfa.login(nobody, self.who["email"], mfa.code(secret)), 200)

    def test_at_the_form(self):
        secret, _ = mfa.enrol(self.person)
        browser = oauth.Browser(service)
        form = oauth.Form(browser.get(oauth.LOGIN).text)
        self.assertNotIn("otp", form.fields)
        asked = browser.submit(form, name=self.who["email"], password=people.PASSWORD)
        self.assertEqual((asked.status, people.set_cookie(asked)), (401, None))
        form = oauth.Form(asked.text)
        self.assertEqual((form.fields["otp"], form.fields["name"]), ("", self.who["email"]))
        wrong = browser.submit(form, password=people.PASSWORD, otp="123123")
        self.assertEqual((wrong.status, people.set_cookie(wrong)), (401, None))
        done = browser.submit(oauth.Form(wrong.text), password=people.PASSWORD, otp=mfa.code(secret))
        self.assertEqual(done.status, 303, str(done))
        self.check(browser.get(ME), 200)

    def test_disabled(self):
        secret, codes = mfa.enrol(self.person)
        self.check_refused(self.person.post(mfa.DISABLE, {"otp": "123123", "password": people.PASSWORD}), 401, "INVALID_CREDENTIALS")
        self.check_refused(self.person.post(mfa.DISABLE, {"otp": mfa.code(secret), "password": "a wrong guess of some length"}), 401,
                           "INVALID_CREDENTIALS")
        self.assertEqual(self.person.post(mfa.DISABLE, {"otp": codes[1], "password": people.PASSWORD}).status, 204)
        self.check_enabled(False)
        self.check(mfa.login(nobody, self.who["email"]), 200)

    def test_taken_away_by_a_super_admin(self):
        mfa.enrol(self.person)
        self.check_enabled(True)
        path = f"/api/users/{self.who['id']}/reset-mfa"
        admin = people.take_token(service, make_user(service, role="admin")["email"])
        self.check_refused(admin.post(path), 403, "FORBIDDEN")
        self.assertEqual(operator.post(path).status, 204)
        self.check_enabled(False)
        self.check(mfa.login(nobody, self.who["email"]), 200)
        entries = operator.get("/api/audit-log", orgUnitId=service.demo["organizationId"], resource=f"user:{self.who['id']}").body["data"]
        self.assertLessEqual({"USER_MFA_ENABLED", "USER_MFA_RESET"}, {entry["action"] for entry in entries})

    def test_forgotten_with_the_person(self):
        mfa.enrol(self.person)
        service.command("erase", f"user/{self.who['id']}", "--reason", "asked")
        support.wait_until(lambda: service.postgres.value(
            f"SELECT (SELECT count(*) FROM auth.mfa WHERE user_id = {self.who['id']}) + "
            f"(SELECT count(*) FROM auth.mfa_recovery WHERE user_id = {self.who['id']})") == "0", 30, "nothing is left of it")


if __name__ == "__main__":
    unittest.main()
