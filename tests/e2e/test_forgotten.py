# A person whose key is gone: the log still folds, the chain still verifies, and nothing of them is shown again.

import json
import urllib.request

import support


class ForgottenTest(support.ServiceCase):
    """One of the demo's people loses their key, as an erasure destroys it."""

    def call(self, path, method="GET", body=None):
        request = urllib.request.Request(
            self.service.demo["baseUrl"] + path, method=method, data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": "Bearer " + self.service.demo["keys"]["live"], "Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def test_log_folds_without_the_key(self):
        made = self.call("/api/staff", "POST", {"firstName": "Wilhelmina", "lastName": "Quasthoff",
                                                "email": "wilhelmina.quasthoff@example.test", "specialty": "Nurse",
                                                "skills": ["Nurse"], "hourlyRate": 31.5})
        other = self.call("/api/staff", "POST", {"firstName": "Ottilie", "lastName": "Bergengruen",
                                                 "email": "ottilie.bergengruen@example.test"})
        self.call(f"/api/staff/{made['id']}", "PATCH", {"phone": "+1 555 0199"})
        self.service.stop()

        self.postgres.psql("UPDATE vault.person_key SET sealed_key = NULL, destroyed_at = now() "
                           f"WHERE person = 'staff/{made['id']}'")
        self.service.command("rebuild", "--all")
        self.service.start()

        erased = self.call(f"/api/staff/{made['id']}")
        self.assertEqual(("", "", "", ""), tuple(erased[k] for k in ("firstName", "lastName", "email", "phone")))
        self.assertFalse(erased["isActive"])
        self.assertEqual(31.5, erased["hourlyRate"], "what is not personal stays")
        self.assertEqual("Bergengruen", self.call(f"/api/staff/{other['id']}")["lastName"])
        for schema in ("read", "log"):
            for table in support.tables_of(self.postgres, schema):
                self.assertEqual([], support.clear_text_hits(self.postgres, table, ["Wilhelmina", "Quasthoff"]), table)

        support.verify_chain(support.log_records(self.postgres))
        again = self.call("/api/staff", "POST", {"firstName": "New", "lastName": "Person", "email": made["email"]})
        self.assertNotEqual(made["id"], again["id"], "the address is free again")

        self.service.wait_projected()
        before = support.read_model_checksums(self.postgres)
        self.service.stop()
        self.service.command("rebuild", "--all")
        self.assertEqual(before, support.read_model_checksums(self.postgres))
        self.service.start()
