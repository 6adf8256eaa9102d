# A round: clients work while harm is done; then all has to be well, and everything acknowledged has to be there once.

import secrets
import time
from collections import Counter

import clients
import faults
import rest
import shift_model
import support
from bed import say
from linearizability import OK, Operation
from witness import Witness

SCOPES = ["shifts:read", "shifts:write", "shifts:assign", "staff:read", "staff:write"]
INTERNAL_ORGANIZATION = 1
CREDENTIALS, GROUPS, PLAYERS = 4, 3, 4
SHIFTS, PERSONS = 3, 3  # of a group
REPLAYS = 40
# What a round is worth something with: as a rule it has many times as much.
LEAST_WRITES, LEAST_READS = 60, 20
BEGINNING = (shift_model.OPEN, (), 1)  # of every shift of a group; then its title and slot


class Totals:
    """What all rounds did, for the last line."""

    def __init__(self):
        self.harms, self.failures, self.ended = Counter(), Counter(), Counter()
        self.possible = set()  # names of the harms that could be done
        self.slowest = 0.0  # seconds from a round's last harm until all were ready and all clients served
        self.rounds = self.operations = self.acknowledged = self.unknown = self.stale = 0

    @property
    def kills(self):
        return sum(self.harms[kill.__name__] for kill in faults.KILLS)

    def __str__(self):
        harms = ", ".join(f"{name} {count}" for name, count in sorted(self.harms.items()))
        return (f"{self.kills} kills and {sum(self.harms.values()) - self.kills} other harms in {self.rounds} rounds ({harms}); "
                f"{self.operations} operations, {self.acknowledged} writes acknowledged, {self.unknown} of unknown outcome, "
                f"{self.stale} reads marked stale; well again within {self.slowest:.0f} s")


def made(caller, path, body):
    """The id of what is made there. AssertionError when it can't be."""
    answer = caller.send("POST", path, body)
    if answer is None or answer.status != 201:
        raise AssertionError(f"the round can't begin: {answer}")
    return answer.body["id"]


class Group:
    """Few shifts and few persons, made anew for a round."""

    def __init__(self, client, facility):
        person = {"firstName": "P", "lastName": "Q"}
        self.persons = [made(client, "/api/staff", person | {"email": f"{secrets.token_hex(8)}@example.test"})
                        for _ in range(PERSONS)]
        self.shifts = {}
        for number in range(SHIFTS):
            slot, title = clients.SLOTS[number % len(clients.SLOTS)], f"group {secrets.token_hex(8)}"
            shift = made(client, "/api/shifts", clients.shift_body(facility, title, slot))
            self.shifts[shift] = (*BEGINNING, title, slot)


class Round:
    """One round on a bed. `case` is the test, whose assertions are used."""

    def __init__(self, case, bed, totals):
        self._case, self._bed, self._totals = case, bed, totals
        self._record = clients.Record()
        self._addresses = [member.url for member in bed.api]
        if not hasattr(bed, "tokens"):
            bed.tokens = [rest.make_key(bed.cluster, SCOPES)[1] for _ in range(CREDENTIALS)]
            bed.places = self._places()
        self._caller = clients.Caller(self._addresses, bed.tokens[0], self._record, bed.dice)
        self._caller.deadline = time.monotonic() + clients.PATIENCE_SECONDS
        self._groups = [Group(self._caller, bed.places[0][1]) for _ in range(GROUPS)]
        bed.cluster.wait_projected()

    def _places(self):
        """Where shifts are made: (token, facility) of the customer, of its sandbox, and of another organization."""
        bed = self._bed
        facility = bed.cluster.demo["facilityIds"][0]
        sandboxed = rest.make_key(bed.cluster, SCOPES, kind="test", facility=facility)[1]
        foreign = rest.make_key(bed.cluster, [*SCOPES, "facilities:write"], organization=INTERNAL_ORGANIZATION)[1]
        caller = clients.Caller(self._addresses, foreign, self._record, bed.dice)
        caller.deadline = time.monotonic() + clients.PATIENCE_SECONDS
        elsewhere = made(caller, "/api/facilities", {"name": f"elsewhere {secrets.token_hex(8)}"})
        return [(bed.tokens[0], facility), (sandboxed, facility), (foreign, elsewhere)]

    def go(self, kills, others, at_length):
        bed, before = self._bed, Counter(self._bed.done)
        workers = self._workers()
        for worker in workers:
            worker.start()
        trouble = faults.Trouble(bed, bed.dice, at_length)
        try:
            trouble.go(kills, others)
            over = time.monotonic()
            bed.wait_ready()
            say("all are ready")
            steps = [worker.steps for worker in workers]
            support.wait_until(lambda: all(w.steps > s for w, s in zip(workers, steps)) or self._record.faults,
                               clients.PATIENCE_SECONDS, "all clients are served again")
            self._totals.slowest = max(self._totals.slowest, time.monotonic() - over)
            # On a slow machine the harms are over before much was done.
            support.wait_until(lambda: self._is_worth_something() or self._record.faults, clients.PATIENCE_SECONDS,
                               f"{LEAST_WRITES} writes and {LEAST_READS} reads")
        finally:
            trouble.end()
            for worker in workers:
                worker.end()
            for worker in workers:
                worker.join(2 * clients.PATIENCE_SECONDS)
        self._case.assertEqual([worker.name for worker in workers if worker.is_alive()], [], "clients are stuck")
        say("all clients have ended")
        self._count(bed.done - before)
        self._check()

    def _is_worth_something(self):
        """Whether enough was written and read to tell anything."""
        fresh = sum(op.name == "read" and op.value is not None for op in self._record.operations)
        return len(self._record.answers) > LEAST_WRITES and fresh > LEAST_READS

    def _workers(self):
        workers, dice = [], self._bed.dice
        for token, facility in self._bed.places:
            maker = clients.Maker(self._addresses, token, "", self._record, dice.random())
            maker.facility = facility
            workers.append(maker)
        for number in range(GROUPS * PLAYERS):
            credential, group = number % CREDENTIALS, self._groups[number % GROUPS]
            player = clients.Player(self._addresses, self._bed.tokens[credential], str(credential), self._record, dice.random())
            player.shifts, player.persons = list(group.shifts), group.persons
            workers.append(player)
        return workers

    def _count(self, harms):
        totals, record = self._totals, self._record
        totals.rounds += 1
        totals.harms.update(harms)
        totals.possible |= faults.possible_harms(self._bed)
        totals.operations += len(record.operations) + len(record.acknowledged)
        totals.acknowledged += len(record.answers)
        totals.unknown += sum(op.outcome == "unknown" for op in record.operations)
        totals.stale += record.stale
        totals.failures.update(record.failures)
        totals.ended.update(self._bed.ended)
        self._bed.ended.clear()

    # ---- what has to be true afterwards ----------------------------------------------------------------------------------

    def _check(self):
        self._case.assertEqual(self._record.faults[:5], [])
        for place in self._bed.places:
            self._case.assertTrue(any(token == place[0] for *_, token, _ in self._record.answers), "nothing was written there")
        crashed = [how for how in self._totals.ended if " ended with -" in how]
        self._case.assertEqual(crashed, [], "ended by a signal that was not ours")
        self._check_ownership()
        self._bed.cluster.wait_projected()
        say("owned and folded")
        self._read_last()
        self._check_effects()
        self._check_replays()
        say("all is there once")
        self._check_histories()
        say("histories fit")
        self._bed.cluster.command("replay", "--verify")
        before, after = support.checksums_around_rebuild(self._bed.cluster)
        self._case.assertEqual(before, after, "read models are not what a rebuild makes")

    def _check_ownership(self):
        """No lease is without a live process of the right kind, and nothing stands still."""
        def well(status):
            live = {each["owner"]: each["role"] for each in status["processes"] if each["alive"]}
            return status["ok"] and not status["stopped"] and sorted(live.values()) == sorted(self._bed.roles) and all(
                live.get(each["writer"], "workers") != "workers" and live.get(each["projector"], "api") != "api"
                for each in status["partitions"])
        self._bed.cluster.wait_status(well, "every partition is owned by a live process")

    def _read_last(self):
        self._caller.deadline = time.monotonic() + clients.PATIENCE_SECONDS
        for group in self._groups:
            for shift in group.shifts:
                operation = Operation("read", time.monotonic(), outcome=OK, credential="0",
                                      arguments={"shift": shift, "last": True})
                answer = self._caller.send("GET", f"/api/shifts/{shift}")
                self._case.assertEqual(answer.status, 200, str(answer))
                operation.value, operation.version = clients.value_of(answer.body), clients.version_of(answer)
                operation.ended = time.monotonic()
                self._record.add(operation)

    def _check_effects(self):
        """What the log says, which is whole: a mark that was acknowledged is there once, any other at most once; each command
        that was answered stands there as answered, and none twice; states and their order are what clients were told."""
        records, record = self._bed.cluster.log_records(), self._record
        support.verify_chain(records)
        log = Witness(records, clients.overlap)
        self._case.assertEqual(log.wrong, [])
        self._case.assertEqual({title: (log.posted[title], log.ids.get(title)) for title in record.acknowledged},
                               {title: (1, made) for title, made in record.acknowledged.items()}, "acknowledged shifts")
        self._case.assertEqual([title for title in record.titles if log.named[title] != 1], [],
                               "acknowledged updates, lost or twice")
        for what, found in (("shifts", log.posted), ("updates", log.named), ("commands", log.answered)):
            twice = {title: times for title, times in found.items() if times > 1 and not title[0].isupper()}
            self._case.assertEqual(twice, {}, f"{what} that were applied twice")
        first = [answer for *_, answer in record.answers if not clients.is_repeated(answer)]
        self._case.assertEqual(log.unheard(first), {}, "requests that were answered, and how often the log has them")
        self._case.assertEqual(log.misfits(record.operations)[:5], [])
        log.place(record.operations)

    def _check_replays(self):
        """What is asked again gets the first answer again: some of all, and what only an earlier attempt's answer told of."""
        answers = self._record.answers
        asked = self._bed.dice.sample(answers, min(REPLAYS, len(answers)))
        asked += [each for each in answers if clients.is_repeated(each[-1])]
        deadline = time.monotonic() + support.READY_SECONDS  # a lease may lapse on a busy machine
        for method, path, body, key, token, first in asked:
            client = rest.Client(self._bed.dice.choice(self._addresses), token)
            again = client.send(method, path, body, {"Idempotency-Key": key})
            while again.status == 503 and time.monotonic() < deadline:
                time.sleep(0.1)
                again = client.send(method, path, body, {"Idempotency-Key": key})
            self._case.assertEqual((again.status, again.body, again.headers.get("Idempotency-Replayed")),
                                   (first.status, first.body, "true"), f"{first}\n{again}")
            client.close()

    def _check_histories(self):
        for group in self._groups:
            history = [op for op in self._record.operations if op.arguments["shift"] in group.shifts]
            if found := shift_model.check_group(history, group.shifts, group.persons, clients.overlap):
                self._case.fail("\n".join(f"{about}: {verdict}" for about, verdict in found.items()))
