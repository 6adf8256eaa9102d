# A process that stands still while it owns partitions: what others sent on to it goes to the next owner.

import concurrent.futures

import rest
import support
from test_cluster import STAFF, ClusterCase, person


class HungOwnerTest(ClusterCase):

    def test_forwarded_requests_do_not_wait_for_an_owner_that_lost_its_partition(self):
        self.cluster.start("api", "api", "workers")
        hung, other = self.owner_of_home()
        made = [self.check(other.client().post(STAFF, person()), 201)["id"]]
        former = self.epoch_of_home()
        hung.pause()
        self.addCleanup(lambda: hung.running and hung.go_on())
        keyed = [{"Idempotency-Key": f"hung-{i}"} for i in range(5)]
        people = [person() for _ in keyed]

        def send(body, headers):
            return other.client().post(STAFF, body, headers=headers)
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            with_key = [pool.submit(send, *one) for one in zip(people, keyed)]
            without = pool.submit(send, person(), None)
            # Answered while the former owner still stands: not by it, and not because it was given up on.
            for one, sent in zip(people, with_key):
                answer = sent.result(support.READY_SECONDS)
                self.check(answer, 201)
                self.assertEqual(answer.body["email"], one["email"])
                made.append(answer.body["id"])
            answer = without.result(support.READY_SECONDS)
            if answer.status != 201:  # it came after the move
                self.check_refused(answer, 503, "LOG_UNAVAILABLE")
                self.assertIn(answer.code, rest.RETRYABLE)
                self.assertIn("another process took over", answer.body["error"]["message"])
        self.assertGreater(self.epoch_of_home(), former)
        hung.go_on()
        support.wait_until(hung.ready, support.READY_SECONDS, "it is one of them again")
        for one, headers, known in zip(people, keyed, made[1:]):
            self.assertEqual(self.check(send(one, headers), 201)["id"], known, "what it held was not done a second time")
        self.check_all_there(other.client(), made)
