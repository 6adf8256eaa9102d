# Requests wait for the look-up of their API key, and so for nothing that lists may take.

import unittest
from concurrent.futures import ThreadPoolExecutor

import rest
import support

SESSIONS = 2


class KeyLookUpTest(rest.RestCase):

    def test_slow_lists_keep_no_key_from_being_looked_up(self):
        postgres = self.enterContext(support.Postgres())
        service = self.enterContext(support.Service(postgres, environment={"WORKFORCE_DATABASE_CONNECTIONS": str(SESSIONS)}))
        self.addCleanup(unittest.doModuleCleanups)  # connections, before the service ends
        tokens = [rest.make_key(service, ["staff:read"])[1] for _ in range(3)]
        slow = rest.client_of(service)
        self.check(slow.get("/api/shifts"), 200)
        holder = support.Session(postgres)
        self.addCleanup(holder.close)
        holder.execute(f"BEGIN; LOCK TABLE {support.SHIFT_TABLE} IN ACCESS EXCLUSIVE MODE")
        waiting = f"SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = '{support.SHIFT_TABLE}'::regclass"
        with ThreadPoolExecutor(SESSIONS) as pool:
            lists = [pool.submit(slow.get, "/api/shifts", limit=n + 1) for n in range(SESSIONS)]
            support.wait_until(lambda: postgres.value(waiting) == str(SESSIONS), 60, "lists have all sessions")
            for token in tokens:
                self.check(rest.client_of(service, token).get("/api/auth/me"), 200)
            self.assertEqual([each.done() for each in lists], [False] * SESSIONS, "the lists still wait")
            holder.execute("ROLLBACK")
            for each in lists:
                self.check(each.result(60), 200)
