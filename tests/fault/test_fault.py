# The service under fire, on both logs: processes, PostgreSQL and brokers are killed, stopped, starved and cut off while
# clients work. Each log gets each harm once, and by `./test test_fault --long` some twenty kills; `--minutes N` goes on for so
# long.

import contextlib
import os
import random
import signal
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "e2e"))

import bed  # noqa: E402
import faults  # noqa: E402
import kafka_cluster  # noqa: E402
import rounds  # noqa: E402
import support  # noqa: E402

MINUTES = float(os.environ.get("WORKFORCE_FAULT_MINUTES", "0"))
SEED = int(os.environ.get("WORKFORCE_FAULT_SEED") or random.SystemRandom().randrange(1 << 32))
ROUNDS = 3  # at most, where no time is given: a harm that was not done or not felt in the first has its turn in another
KILLS, OTHERS = 7, 5  # in each round of a longer run
KILLS_A_MINUTE = 4  # at least, at length
LIFE = 10  # rounds, at length, before everything begins anew


def missing(totals):
    """The harms that could be done and were not."""
    return totals.possible - set(+totals.harms)


class FaultTest(unittest.TestCase):
    """The log is in PostgreSQL."""

    maxDiff = None

    def kafka(self, _doors):
        """Where the log is, if not in PostgreSQL, with so many doors; as a context manager."""
        return contextlib.nullcontext()

    def setUp(self):
        if not support.binary().exists():
            raise AssertionError(f"{support.binary()} is not built")
        signal.signal(signal.SIGTERM, signal.default_int_handler)

    def test_what_was_acknowledged_outlives_all_harm(self):
        totals, begun, life = rounds.Totals(), time.monotonic(), 0
        print(f"seed {SEED}")
        while not self.is_done(totals, begun):
            # At length, every third installation is one process alone.
            roles = bed.ALONE if life % 3 == 2 else bed.SEVERAL
            self.live(roles, random.Random(f"{SEED} {life}"), totals, begun)
            life += 1
        print(f"clients' attempts that failed: {dict(totals.failures)}")
        for how, times in totals.ended.items():
            print(f"by itself, {times} times: {how}")
        print(f"summary: fault on {self.name()}, seed {SEED}: {totals}")
        self.assertGreaterEqual(totals.kills, int(KILLS_A_MINUTE * MINUTES) if MINUTES else KILLS * ROUNDS if support.LONG else 1)
        if left_out := faults.unequipped(totals.possible):
            print(f"left out, for this machine lacks root or libfaketime: {', '.join(left_out)}")
        if MINUTES == 0:
            self.assertEqual(missing(totals), set(), "harms that were not done")

    def name(self):
        return "the PostgreSQL log"

    @staticmethod
    def is_done(totals, begun):
        """Whether there were rounds enough."""
        if MINUTES:
            return time.monotonic() > begun + MINUTES * 60
        return totals.rounds == ROUNDS or totals.rounds > 0 and not support.LONG and not missing(totals)

    def live(self, roles, dice, totals, begun):
        """Some rounds on a new installation of processes of these roles."""
        with self.kafka(len(roles)) as kafka, bed.Bed(kafka, roles, dice) as place:
            at_length = support.LONG or MINUTES > 0
            kills, others = (KILLS, OTHERS) if at_length else faults.kinds(place)
            try:
                for _ in range(LIFE):
                    rounds.Round(self, place, totals).go(kills, others, MINUTES > 0)
                    print(f"round {totals.rounds} after {time.monotonic() - begun:.0f} s: {totals.kills} kills", flush=True)
                    if self.is_done(totals, begun):
                        break
            except BaseException:
                place.cluster.print_tails()
                raise


class FaultOnKafkaTest(FaultTest):
    """The log is in Kafka: on one broker, and at length on three, of which the leader is killed."""

    def kafka(self, doors):
        return kafka_cluster.Kafka(3 if MINUTES else 1, doors)

    def name(self):
        return "the Kafka log"


if __name__ == "__main__":
    unittest.main()
