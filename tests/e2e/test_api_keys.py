# API keys over REST: who may manage them, their secrets that are shown once, rotation, and their end.

import base64
import datetime
import json
import re
import secrets
import subprocess
import tempfile
import unittest
from pathlib import Path

import rest
import support
from kafka_cluster import OnKafka, by_default

KEYS = "/api/api-keys"
SUPER_ADMIN = "super.admin@platform.example.com"


def decoded(text):
    """Bytes of base64url without padding."""
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def der_integer(number):
    digits = number.lstrip(b"\0") or b"\0"
    digits = (b"\0" if digits[0] & 0x80 else b"") + digits
    return b"\x02" + bytes([len(digits)]) + digits


def is_signed_by(key, token):
    """Whether OpenSSL verifies a JWT against an ES256 key, a member of a JWK set (RFC 7518 3.4 and 6.2.1)."""
    prefix = bytes.fromhex("3059301306072a8648ce3d020106082a8648ce3d030107034200")  # SubjectPublicKeyInfo of a point of P-256
    signed, signature = token.rsplit(".", 1)
    raw = decoded(signature)
    pair = der_integer(raw[:32]) + der_integer(raw[32:])
    with tempfile.TemporaryDirectory() as scratch:
        files = {"key": prefix + b"\4" + decoded(key["x"]) + decoded(key["y"]),
                 "signature": b"\x30" + bytes([len(pair)]) + pair, "text": signed.encode()}
        for name, content in files.items():
            Path(scratch, name).write_bytes(content)
        done = subprocess.run(["openssl", "dgst", "-sha256", "-keyform", "DER", "-verify", "key", "-signature", "signature", "text"],
                              cwd=scratch, capture_output=True, text=True, timeout=30, check=False)
    return done.stdout == "Verified OK\n"


class ApiKeysTest(rest.RestCase, support.ServiceCase):

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.nobody = rest.Client(cls.service.demo["baseUrl"])
        cls.admin = cls.person(SUPER_ADMIN)

    @classmethod
    def person(cls, email):
        """A client with a token of the user with that address."""
        return cls.nobody.with_key(cls.service.command("token", email).strip())

    def make(self, headers=None, **fields):
        made = self.check(self.admin.post(KEYS, {"name": "suite", "scopes": ["staff:read"], **fields}, headers), 201)
        rest.wait_for_key(self.service, made["id"])
        return made

    def check_same(self, record, other, *why):
        """The records are the same but for their last use, which is written some seconds later."""
        use = ("lastUsedAt", "lastUsedIp")
        self.assertEqual(*({name: value for name, value in each.items() if name not in use} for each in (record, other)), *why)

    def works(self, token):
        """Whether the token opens anything; checks that it is refused as what has ended where it doesn't."""
        answer = self.nobody.with_key(token).get("/api/staff")
        if answer.status != 200:
            self.check_refused(answer, 401, "UNAUTHENTICATED")
        return answer.status == 200

    def check_nowhere(self, token):
        """The token stands in clear neither in the log nor in any table."""
        self.service.wait_projected()
        self.assertFalse(any(self.service.log_text_hits([token]).values()))
        for schema in ("read", "auth", "ops"):
            for table in support.tables_of(self.service.postgres, schema):
                self.assertEqual(support.clear_text_hits(self.service.postgres, table, [token]), [], table)

    def test_a_key_lives(self):
        answer = self.admin.post(KEYS, {"name": "Nightly", "scopes": ["staff:read", "crm:*"], "modelTier": "advanced"})
        made = self.check(answer, 201)
        token = made.pop("key")
        where = f"{KEYS}/{made['id']}"
        self.assertRegex(token, "^svc_live_[A-Za-z0-9]{49}$")
        self.assertEqual((made["prefix"], made["last4"], made["status"], made["rateLimitPerMin"], made["rateLimitIsDefault"]),
                         ("svc_live_", token[-4:], "active", 60, True))
        rest.wait_for_key(self.service, made["id"])
        self.assertTrue(self.works(token))
        self.check_same(self.check(self.admin.get(where), 200), made)
        changed = self.check(self.admin.patch(where, {"name": "Weekly", "rateLimitPerMin": 600}), 200)
        self.assertEqual((changed["name"], changed["rateLimitPerMin"], changed["rateLimitIsDefault"]), ("Weekly", 600, False))
        self.check_fields(self.admin.put(where, changed | {"type": "pat"}), "type")
        self.assertNotIn(token, json.dumps([self.admin.get(where).body, self.admin.get(KEYS).body]))
        revoked = self.check(self.admin.delete(where), 200)
        self.assertEqual((revoked["status"], revoked["secrets"]), ("revoked", []))
        support.wait_until(lambda: not self.works(token), support.READY_SECONDS, "the revoked key is refused")
        self.check_same(self.check(self.admin.post(f"{where}/revoke"), 200), revoked)
        self.check_refused(self.admin.post(f"{where}/rotate"), 409, "INVALID_STATE_TRANSITION")
        self.check_refused(self.admin.patch(where, {"name": "Late"}), 409, "INVALID_STATE_TRANSITION")

    def stand_in(self, user, **fields):
        """A client of one more person of the internal organization, of whom the read model alone knows: no route makes users."""
        email = f"stand.in.{user}@platform.example.com"
        said = json.dumps({"id": user, "email": email} | fields)
        self.service.postgres.psql(
            "INSERT INTO read.user_account SELECT (jsonb_populate_record(u, jsonb_build_object("
            f"'id', {user}, 'email', '{email}', 'doc', (u.doc::jsonb || '{said}'::jsonb)::text))).* "
            f"FROM read.user_account u WHERE u.email = '{SUPER_ADMIN}'")
        return self.person(email)

    def test_a_lesser_manager_hands_on_no_more_than_they_have(self):
        manager = self.stand_in(900_001, role="manager")
        far, near = self.make(scopes=["staff:read", "payroll:run"]), self.make()
        where, other = (f"{KEYS}/{key['id']}" for key in (far, near))
        support.wait_until(lambda: manager.get(other).status == 200, support.READY_SECONDS, "others see the keys")

        def check_beyond(answer):
            self.check_refused(answer, 403, "FORBIDDEN")
            self.assertEqual(answer.details["scopes"], ["payroll:run"], str(answer))

        later = (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=1)).isoformat()
        check_beyond(manager.post(KEYS, {"name": "s", "scopes": ["staff:read", "payroll:run"]}))
        check_beyond(manager.post(f"{where}/rotate"))
        check_beyond(manager.patch(other, {"scopes": ["payroll:run"]}))
        own = self.check(manager.post(KEYS, {"name": "s", "scopes": ["staff:read"]}), 201)
        rest.wait_for_key(self.service, own["id"])
        self.check(manager.post(f"{KEYS}/{own['id']}/rotate"), 200)
        changed = self.check(manager.patch(where, {"name": "x", "scopes": ["payroll:run", "crm:read"], "expiresAt": later}), 200)
        self.assertEqual(changed["scopes"], ["payroll:run", "crm:read"], "what it has may stay, and end sooner")
        self.service.wait_projected()  # rights are judged by the key as it is shown
        check_beyond(manager.patch(where, {"expiresAt": None}))
        self.check(self.admin.patch(where, {"expiresAt": None}), 200)
        token = self.make(type="pat")
        support.wait_until(lambda: manager.get(f"{KEYS}/{token['id']}").status == 200, support.READY_SECONDS, "others see the token")
        for request in (lambda path: manager.post(f"{path}/rotate"), lambda path: manager.patch(path, {"scopes": ["crm:read"]})):
            self.check_refused(request(f"{KEYS}/{token['id']}"), 403, "FORBIDDEN")
        for path in (where, other, f"{KEYS}/{token['id']}"):
            self.assertEqual(self.check(manager.delete(path), 200)["status"], "revoked", "whoever manages keys may end each")

    def test_rights_are_judged_by_the_key_as_it_is(self):
        manager = self.stand_in(900_003, role="manager")
        # Of a customer it stands for nobody, and so for nobody above the manager.
        where = f"{KEYS}/{self.make(orgUnitId=self.service.demo['organizationId'])['id']}"
        support.wait_until(lambda: manager.get(where).status == 200, support.READY_SECONDS, "others see the key")
        later = (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=1)).isoformat()
        keyed = {"Idempotency-Key": "judged"}
        holder = support.Session(self.service.postgres)
        holder.execute("BEGIN; LOCK TABLE read.api_key IN SHARE MODE")
        try:  # the read model stays behind
            self.check(self.admin.patch(where, {"scopes": ["staff:read", "payroll:run"]}), 200)
            self.check_refused(manager.post(f"{where}/rotate", headers=keyed), 409, "CONCURRENT_MODIFICATION")
            self.check_refused(manager.patch(where, {"expiresAt": later}), 409, "CONCURRENT_MODIFICATION")
        finally:
            holder.close()
        self.service.wait_projected()
        self.check_refused(manager.post(f"{where}/rotate", headers=keyed), 403, "FORBIDDEN")
        self.check(self.admin.patch(where, {"scopes": ["staff:read"]}), 200)
        self.service.wait_projected()
        self.check(manager.post(f"{where}/rotate", headers=keyed), 200)

    def test_who_is_bound_to_facilities_sees_no_other_keys(self):
        manager = self.stand_in(900_002, role="manager", facilityIds=[999_999])
        where = f"{KEYS}/{self.make()['id']}"
        self.assertEqual(self.check(manager.get(KEYS), 200)["data"], [])
        for answer in (manager.get(where), manager.patch(where, {"name": "x"}), manager.delete(where), manager.post(f"{where}/revoke"),
                       manager.post(f"{where}/rotate")):
            self.check_refused(answer, 404, "NOT_FOUND")
        self.assertEqual(self.admin.get(where).body["status"], "active")

    def test_tokens_that_are_not_ours(self):
        token = self.service.command("token", SUPER_ADMIN).strip()
        head, body, signature = token.split(".")
        self.check(self.nobody.with_key(token).get("/api/auth/me"), 200)
        swapped = signature[:-6] + ("A" if signature[-6] != "A" else "B") + signature[-5:]
        none = "eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0"
        for wrong in (f"{head}.{body}.{swapped}", f"{head}.{body}.", f"{none}.{body}.", f"{none}.{body}.{signature}", "eyJ..", "eyJhbGciOiJFUzI1NiJ9.e30.AA"):
            self.check_refused(self.nobody.with_key(wrong).get("/api/auth/me"), 401, "UNAUTHENTICATED")

    def test_who_has_the_public_keys_verifies_tokens(self):
        head, body, signature = (token := self.service.command("token", SUPER_ADMIN).strip()).split(".")
        answer = rest.Client(self.service.demo["baseUrl"]).get("/.well-known/jwks.json", {"Origin": "https://app.test"})
        keys = {key["kid"]: key for key in self.check(answer, 200)["keys"]}
        key = keys[json.loads(decoded(head))["kid"]]
        self.assertEqual({name: key[name] for name in ("kty", "crv", "alg", "use")},
                         {"kty": "EC", "crv": "P-256", "alg": "ES256", "use": "sig"})
        self.assertEqual(set(key), {"kty", "crv", "alg", "use", "kid", "x", "y"}, "nothing private")
        self.assertTrue(is_signed_by(key, token))
        altered = re.sub(rb'("sub": ?")', rb"\g<1>9", decoded(body))
        self.assertNotEqual(altered, decoded(body))
        self.assertFalse(is_signed_by(key, f"{head}.{base64.urlsafe_b64encode(altered).decode().rstrip('=')}.{signature}"))
        self.assertEqual(answer.headers["Access-Control-Allow-Origin"], "*")
        try:
            self.service.postgres.psql("INSERT INTO auth.signing_key (id, public_key, sealed_private_key, created_at) SELECT "
                                       "'former', public_key, '', now() - interval '1 year' FROM auth.signing_key LIMIT 1")
            self.assertEqual({key["kid"] for key in self.nobody.get("/.well-known/jwks.json").body["keys"]}, {*keys, "former"})
        finally:
            self.service.postgres.psql("DELETE FROM auth.signing_key WHERE id = 'former'")

    def test_an_operators_key_reaches_what_it_is_bound_to(self):
        customer, internal = self.service.demo["organizationId"], 1
        for body, organization, scope in (({}, internal, {"global": True}),
                                          ({"orgUnitId": internal}, internal, {"orgUnitId": internal}),
                                          ({"orgUnitId": customer}, customer, {"orgUnitId": customer})):
            made = self.make(**body)
            self.assertEqual((made["organizationId"], made["acrossOrganizations"]), (organization, "global" in scope))
            self.assertEqual(made["orgUnitId"], None if "global" in scope else organization)
            listed = self.check(self.nobody.with_key(made["key"]).get("/api/staff"), 200)
            self.assertEqual(listed["scope"], scope)
            self.check(self.admin.patch(f"{KEYS}/{made['id']}", {"name": "renamed"}), 200)
            revoked = self.check(self.admin.post(f"{KEYS}/{made['id']}/revoke"), 200)
            self.assertEqual((revoked["name"], revoked["status"]), ("renamed", "revoked"))
            support.wait_until(lambda token=made["key"]: not self.works(token), support.READY_SECONDS, "it opens nothing")

    def test_the_organization_of_a_key_is_fixed(self):
        customer = self.service.demo["organizationId"]
        self.check_refused(self.admin.post(KEYS, {"name": "s", "scopes": ["staff:read"], "orgUnitId": 999_999}), 403,
                           "ORG_SCOPE_VIOLATION")
        for made in (self.make(), self.make(orgUnitId=customer)):
            where = f"{KEYS}/{made['id']}"
            for other in (1, customer, None):
                answer = self.admin.patch(where, {"orgUnitId": other, "name": "renamed"})
                if other == made["orgUnitId"]:
                    self.assertEqual(self.check(answer, 200)["orgUnitId"], other)
                else:
                    self.check_fields(answer, "orgUnitId")

    def test_the_last_use(self):
        made = self.make()
        self.assertEqual((made["lastUsedAt"], made["lastUsedIp"]), (None, None))
        where = f"{KEYS}/{made['id']}"
        self.assertIsNone(self.admin.get(where).body["lastUsedAt"])
        begun = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(seconds=1)
        self.check_refused(self.nobody.with_key(made["key"]).post("/api/staff", {}), 403, "INSUFFICIENT_SCOPE")
        read = support.wait_until(lambda: next((body for body in [self.admin.get(where).body] if body["lastUsedAt"]), None),
                                  support.READY_SECONDS, "the use is written")
        self.assertEqual(read["lastUsedIp"], "127.0.0.1")
        self.assertRegex(read["lastUsedAt"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
        self.assertGreater(datetime.datetime.fromisoformat(read["lastUsedAt"]), begun)
        self.assertEqual(self.check(self.admin.get(KEYS, limit=1, sort="-createdAt"), 200)["data"][0]["lastUsedAt"], read["lastUsedAt"])
        for answer in (self.admin.patch(where, {"name": "x"}), self.admin.post(f"{where}/rotate"), self.admin.delete(where)):
            self.assertEqual((answer.body["lastUsedAt"], answer.body["lastUsedIp"]), (read["lastUsedAt"], "127.0.0.1"))

    def test_an_answer_is_stale_while_uses_can_not_be_written(self):
        made = self.make()
        where = f"{KEYS}/{made['id']}"
        self.service.postgres.psql("ALTER TABLE auth.api_key_use RENAME COLUMN user_id TO away")
        try:
            self.assertTrue(self.works(made["key"]))
            support.wait_until(lambda: "Service-Stale" in self.admin.send("GET", where).headers, support.READY_SECONDS, "it is told")
            self.assertNotIn("Service-Stale", self.admin.send("GET", "/api/users").headers)
        finally:
            self.service.postgres.psql("ALTER TABLE auth.api_key_use RENAME COLUMN away TO user_id")
        support.wait_until(lambda: "Service-Stale" not in self.admin.send("GET", where).headers, support.READY_SECONDS, "it is over")
        self.assertIsNotNone(self.check(self.admin.get(where), 200)["lastUsedAt"])

    def test_a_last_use_is_written_at_a_stop(self):
        made = self.make()
        self.assertTrue(self.works(made["key"]))
        for client in (self.admin, self.nobody):
            client.close()
        self.service.stop()
        self.service.start()
        self.assertIsNotNone(self.check(self.admin.get(f"{KEYS}/{made['id']}"), 200)["lastUsedAt"])

    def test_a_retry_is_shown_the_same_secret(self):
        headers = {"Idempotency-Key": secrets.token_hex(8)}
        body = {"name": "suite", "scopes": ["staff:read"]}
        first = self.admin.post(KEYS, body, headers)
        made = self.check(first, 201)
        again = self.admin.post(KEYS, body, headers)
        self.assertEqual(self.check(again, 201), made)
        self.assertEqual(again.headers["Idempotency-Replayed"], "true")
        rest.wait_for_key(self.service, made["id"])
        self.assertTrue(self.works(made["key"]))
        self.check_refused(self.admin.post(KEYS, body | {"name": "other"}, headers), 409, "IDEMPOTENCY_KEY_CONFLICT")
        self.service.kill9()
        self.admin.close()
        self.service.start()
        self.assertEqual(self.check(self.admin.post(KEYS, body, headers), 201), made, "also after a crash")
        rotation = f"{KEYS}/{made['id']}/rotate"
        headers_of_rotation = {"Idempotency-Key": secrets.token_hex(8)}
        rotated = self.check(self.admin.post(rotation, headers=headers_of_rotation), 200)
        self.check_same(self.check(self.admin.post(rotation, headers=headers_of_rotation), 200), rotated)
        self.assertNotEqual(rotated["key"], made["key"])
        for token in (made["key"], rotated["key"]):
            self.check_nowhere(token)
        owned = self.service.postgres.value(f"SELECT count(*) FROM auth.api_key_secret WHERE key_id = {made['id']}")
        self.assertEqual(owned, "2", "what retries made in vain is gone")
        self.service.postgres.psql("UPDATE auth.shown_secret SET created_at = created_at - interval '25 hours'")
        self.assertIsNone(self.check(self.admin.post(KEYS, body, headers), 201)["key"], "shown for a day")

    def test_old_secrets_go_on_for_a_day(self):
        made = self.make()
        tokens = [made["key"]]
        for _ in range(4):
            rotated = self.check(self.admin.post(f"{KEYS}/{made['id']}/rotate"), 200)
            tokens.append(rotated["key"])
            self.assertEqual((rotated["id"], rotated["status"], rotated["last4"]), (made["id"], "rotating", tokens[-1][-4:]))
        self.service.wait_projected()  # before that a secret opens nothing
        self.assertTrue(all(map(self.works, tokens)))
        self.check_refused(self.admin.post(f"{KEYS}/{made['id']}/rotate"), 409, "INVALID_STATE_TRANSITION")
        left = datetime.datetime.fromisoformat(rotated["previousKeyValidUntil"]) - datetime.datetime.now(datetime.timezone.utc)
        self.assertLess(abs(left.total_seconds() - 24 * 3600), 60)
        self.service.postgres.psql("UPDATE auth.api_key_secret SET valid_until = now() WHERE valid_until IS NOT NULL "
                                   f"AND key_id = {made['id']}")
        support.wait_until(lambda: not any(map(self.works, tokens[:-1])), support.READY_SECONDS, "the old ones have ended")
        self.assertTrue(self.works(tokens[-1]))

    def test_each_field_has_its_rule(self):
        past = (datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(seconds=1)).isoformat()
        wrong = {"name": ("", " ", "x" * 201, 7, None), "type": ("session", "LIVE", 1, None), "modelTier": ("huge", 1, None),
                 "scopes": ([], "staff:read", None, ["staff:read"] * 101), "rateLimitPerMin": (0, 6001, -1, "60", 1.5, True),
                 "userId": ("1", 0, 1.5), "facilityId": ("1", 0, -1), "facility_id": ("1", 0), "orgUnitId": ("1", 0),
                 "expiresAt": (past, "tomorrow", "2031-01-01", 1)}
        for field, values in wrong.items():
            for value in values:
                with self.subTest(field=field, value=str(value)[:20]):
                    self.check_fields(self.admin.post(KEYS, {"name": "s", "scopes": ["staff:read"], field: value}), field)
        for value in (1, 6000, 60.0, None):
            made = self.make(rateLimitPerMin=value)
            self.assertEqual((made["rateLimitPerMin"], made["rateLimitIsDefault"]), (value or 60, value is None))

    def test_a_rotated_key_goes_on_with_its_idempotency_keys(self):
        made = self.make(scopes=["staff:write"], orgUnitId=self.service.demo["organizationId"])
        body = {"firstName": "R", "lastName": "Otated", "email": f"{secrets.token_hex(8)}@example.test"}
        headers = {"Idempotency-Key": secrets.token_hex(8)}
        first = self.nobody.with_key(made["key"]).post("/api/staff", body, headers)
        self.check(first, 201)
        token = self.check(self.admin.post(f"{KEYS}/{made['id']}/rotate"), 200)["key"]
        self.service.wait_projected()
        for secret in (token, made["key"]):
            again = self.nobody.with_key(secret).post("/api/staff", body, headers)
            self.assertEqual((again.status, again.text, again.headers["Idempotency-Replayed"]), (201, first.text, "true"), str(again))
        other = self.make(scopes=["staff:write"], orgUnitId=self.service.demo["organizationId"])["key"]
        self.check_refused(self.nobody.with_key(other).post("/api/staff", body, headers), 409, "DUPLICATE_RESOURCE")

    def test_keys_are_of_live_data_alone(self):
        made = self.make(type="test", facilityId=self.service.demo["facilityIds"][0], orgUnitId=self.service.demo["organizationId"])
        where, headers = f"{KEYS}/{made['id']}", {"Service-Sandbox": "true"}
        body = {"name": "suite", "scopes": ["staff:read"]}
        for method, path, sent in (("GET", KEYS, None), ("GET", where, None), ("POST", KEYS, body), ("PATCH", where, {"name": "x"}),
                                   ("POST", f"{where}/rotate", None), ("POST", f"{where}/revoke", None), ("DELETE", where, None)):
            self.check_refused(self.admin.send(method, path, sent, headers), 403, "FORBIDDEN")
        self.assertTrue(self.works(made["key"]))

    def test_scopes(self):
        def refused(*scopes):
            return self.admin.post(KEYS, {"name": "suite", "scopes": list(scopes)})
        self.check_fields(refused("staff:read", "*", "pets:read", "*:*"), "scopes[1]", "scopes[2]", "scopes[3]")
        self.assertIn("scopes[1] names 'pets:read', which is no scope", refused("staff:read", "pets:read").body["error"]["message"])
        self.check_fields(refused(), "scopes")
        self.make(scopes=["notifications:read"])
        self.check_fields(self.admin.post(KEYS, {"name": "s", "scopes": ["organizations:manage"],
                                                 "orgUnitId": self.service.demo["organizationId"]}), "scopes[0]")
        self.make(scopes=["organizations:manage"])

    def test_all_faults_are_named_at_once(self):
        faults = {"name": "", "type": "session", "scopes": ["staff:read", "*", "pets:read", "*:*", "staff"], "rateLimitPerMin": 6001,
                  "userId": 0, "facilityId": "1", "modelTier": "huge", "expiresAt": "2001-01-01T00:00:00Z"}
        named = set(faults) - {"scopes"} | {f"scopes[{place}]" for place in (1, 2, 3, 4)}
        self.check_fields(self.admin.post(KEYS, faults), *named)
        self.check_fields(self.admin.post(KEYS, {}), "name", "scopes")
        self.check_fields(self.admin.post(KEYS, {"type": "test", "scopes": ["*"], "orgUnitId": self.service.demo["organizationId"]}),
                          "name", "scopes[0]")
        where = f"{KEYS}/{self.make()['id']}"
        changes = {name: fault for name, fault in faults.items() if name not in ("type", "userId", "facilityId")}
        self.check_fields(self.admin.patch(where, changes), *(named - {"type", "userId", "facilityId"}))
        self.check_fields(self.admin.patch(where, {"type": "pat", "userId": 999_999, "facilityId": 999_999, "scopes": ["*"]}),
                          "type", "userId", "facilityId", "scopes[0]")

    def test_what_keys_are_bound_to(self):
        customer, (facility, _) = self.service.demo["organizationId"], self.service.demo["facilityIds"]
        self.assertEqual(self.make(type="pat")["userId"], self.admin.get("/api/auth/me").body["user"]["id"])
        body = {"name": "suite", "scopes": ["staff:read"], "type": "test", "orgUnitId": customer}
        self.check_fields(self.admin.post(KEYS, body), "facilityId")  # which of the two
        for name in ("facilityId", "facility_id"):
            answer = self.admin.post(KEYS, body | {name: facility})
            self.assertEqual(self.check(answer, 201)["facilityId"], facility)
            self.assertNotIn("Service-Warnings", answer.headers)
            self.check_refused(self.admin.post(KEYS, body | {name: 99}), 403, "FACILITY_SCOPE_VIOLATION")
        answer = self.admin.post(KEYS, body | {"facilityId": facility, "facility_id": facility + 1})
        self.assertEqual(self.check(answer, 201)["facilityId"], facility)
        self.assertEqual(answer.headers["Service-Warnings"], "ignored fields: facility_id")
        self.check_refused(self.admin.post(KEYS, body | {"facilityId": facility, "userId": 999_999}), 404, "NOT_FOUND")

    def test_the_ceiling_of_an_operator_elsewhere(self):
        customer, manager = self.service.demo["organizationId"], self.person("manager@platform.example.com")
        above = int(self.service.postgres.value("SELECT id FROM read.user_account WHERE email = 'admin@demo.example.com'"))
        body = {"name": "suite", "scopes": ["staff:read"], "orgUnitId": customer}
        self.check_refused(manager.post(KEYS, body | {"userId": above}), 403, "FORBIDDEN")
        self.assertIsNone(self.check(manager.post(KEYS, body), 201)["userId"])
        made = self.check(self.admin.post(KEYS, body | {"userId": above}), 201)
        self.assertEqual(made["userId"], above)
        self.service.wait_projected()
        self.check_refused(manager.post(f"{KEYS}/{made['id']}/rotate"), 403, "FORBIDDEN")
        for named in ({}, {"userId": above}):
            self.check_fields(self.admin.post(KEYS, body | {"type": "pat"} | named), "orgUnitId")

    def test_fields_that_keys_do_not_have(self):
        answer = self.admin.post(KEYS, {"name": "s", "scopes": ["staff:read"], "colour": "red", "rate_limit_per_min": 5})
        made = self.check(answer, 201)
        for name in ("colour", "rate_limit_per_min"):
            self.assertIn(name, answer.headers["Service-Warnings"])
            self.assertNotIn(name, made)
        changed = self.admin.patch(f"{KEYS}/{made['id']}", {"colour": "blue", "status": "revoked", "createdBy": 9, "last4": "xxxx"})
        self.assertEqual(self.check(changed, 200), {name: value for name, value in made.items() if name != "key"})
        self.assertIn("colour", changed.headers["Service-Warnings"])

    def test_a_key_expires(self):
        end = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=20)
        made = self.make(expiresAt=end.isoformat())
        self.assertTrue(self.works(made["key"]))
        support.wait_until(lambda: not self.works(made["key"]), 90, "it has ended")


@by_default("test_a_key_lives", "test_a_retry_is_shown_the_same_secret", "test_old_secrets_go_on_for_a_day",
            "test_a_rotated_key_goes_on_with_its_idempotency_keys")
class ApiKeysOnKafkaTest(OnKafka, ApiKeysTest):
    pass


if __name__ == "__main__":
    unittest.main()
