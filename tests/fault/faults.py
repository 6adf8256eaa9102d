# What goes wrong: each function does one harm to a Bed and returns how it ends, or None where there is nothing to harm.

import random
import threading
import time

import proxy
import support
from bed import ALONE, say
from kafka_cluster import leader_of

FELT_SECONDS = 30  # in which a full disk has to be met; most meet it at once


# ---- harms: each returns (target, how it ends) -----------------------------------------------------------------------------


def kill_api(bed):
    return _kill(bed, bed.take_role("api"))


def kill_workers(bed):
    return _kill(bed, bed.take_role("workers"))


def kill_serve(bed):
    return _kill(bed, bed.take_role("serve"))


def kill_owner(bed):
    """The process that writes the customer's partition."""
    return _kill(bed, bed.take_owner())


def _kill(bed, member):
    if member is None:
        return None
    if member.exit_code is not None:  # by itself, and not started again yet
        bed.busy.discard(member.name)
        return None
    member.kill9()
    return member.name, member.launch


def kill_postgres(bed):
    if bed.take(["postgres"]) is None:
        return None
    bed.postgres.kill9()
    return "postgres", bed.postgres.start


def pause_postgres(bed):
    """Stands still with all its connections, often past the leases of all processes."""
    if bed.take(["postgres"]) is None:
        return None
    bed.postgres.pause()
    return "postgres", bed.postgres.go_on


def kill_broker(bed):
    """Of several the one that leads the customer's partition, as far as the brokers know one."""
    if not bed.kafka or bed.take(["kafka"]) is None:
        return None
    leader = leader_of(bed.kafka.brokers, bed.cluster.topic, bed.partition) if bed.kafka.nodes > 1 else None
    node = leader or bed.dice.randint(1, bed.kafka.nodes)
    bed.kafka.kill9(node)
    return "kafka", lambda: bed.kafka.start_node(node)


def pause_process(bed):
    """Stands still, often past its lease."""
    return _pause(bed.take_member())


def pause_owner(bed):
    """The process that writes the customer's partition stands still past its lease."""
    return _pause(bed.take_owner())


def _pause(member):
    if member is None:
        return None
    member.pause()
    return member.name, member.go_on


def pause_broker(bed):
    if not bed.kafka or bed.take(["kafka"]) is None:
        return None
    node = bed.dice.randint(1, bed.kafka.nodes)
    bed.kafka.pause(node)
    return "kafka", lambda: bed.kafka.go_on(node)


def stall_database(bed):
    return _disturb(bed, bed.databases, proxy.STALL)


def cut_database(bed):
    return _disturb(bed, bed.databases, proxy.CUT)


def slow_database(bed):
    return _disturb(bed, bed.databases, _slowness(bed))


def stall_kafka(bed):
    return _disturb(bed, bed.brokers, proxy.STALL)


def cut_kafka(bed):
    return _disturb(bed, bed.brokers, proxy.CUT)


def slow_kafka(bed):
    return _disturb(bed, bed.brokers, _slowness(bed))


def _slowness(bed):
    return round(bed.dice.uniform(0.005, 0.1), 3)


def _disturb(bed, proxies, mode):
    """For one process alone: the others reach the server."""
    if (name := bed.take(list(proxies))) is None:
        return None
    proxies[name].set(mode)
    return name, lambda: proxies[name].set(proxy.PASS)


def hold_rows(bed):
    """Another session holds a row that the service changes all the time, so that a commit is late, and others that have rows of
    their own pass it."""
    if "postgres" in bed.busy or bed.take(["rows"]) is None:
        return None
    mine = f"partition = {bed.partition}"
    rows = {"projection.checkpoint": mine, "ops.lease": mine, "ops.process": "expires_at > now()",
            "ops.last_write": "lineage LIKE 'key/%' ORDER BY written_at DESC"}
    if not bed.kafka:
        rows["log.partition"] = mine
    table = bed.dice.choice(list(rows))
    session = support.Session(bed.postgres)
    try:
        session.execute("SET lock_timeout = '2s'; BEGIN; "
                        f"WITH held AS (SELECT 1 FROM {table} WHERE {rows[table]} LIMIT 1 FOR UPDATE) SELECT 1 / count(*) FROM held")
    except (AssertionError, OSError):  # it is held already, there is none, or there is no server
        session.close()
        bed.busy.discard("rows")
        return None
    return "rows", session.close


def set_clock(bed):
    """One process's clock jumps, and later back again; past a minute it writes nothing until then."""
    if not bed.clocks or (name := bed.take([f"clock of {name}" for name in bed.clocks])) is None:
        return None
    clock, far = bed.clocks[name.removeprefix("clock of ")], [7200, 90000]
    clock.set(bed.dice.choice([2, 30, *far] if bed.done["set_clock"] else far) * bed.dice.choice([-1, 1]))
    return name, lambda: clock.set(0)


def fill_disk(bed):
    """PostgreSQL has no room, not even for its write-ahead log; it may end over that and has to be started then."""
    if not bed.small_disk or bed.take(["postgres"]) is None:
        return None
    sizes = [(member, member.log_size()) for member in bed.members]
    bed.postgres.fill()

    def met():
        return any("No space left" in member.log_from(size) for member, size in sizes) or not bed.postgres.runs()

    def end():
        try:
            support.wait_until(met, FELT_SECONDS, "the full disk was met")
        except AssertionError:
            say("the full disk was not met")
            bed.done["fill_disk"] -= 1
        bed.postgres.empty()
        bed.postgres.start()
    return "postgres", end


# Harm -> how often among its kind, and how many seconds it lasts at least and at most.
KILLS = {kill_api: (3, 0.0, 1.5), kill_owner: (3, 0.0, 1.5), kill_workers: (4, 0.0, 1.5), kill_serve: (7, 0.0, 1.5), kill_postgres: (3, 0.0, 1.0),
         kill_broker: (3, 0.0, 1.0)}
OTHERS = {pause_process: (2, 0.5, 6.0), pause_owner: (2, 3.5, 6.0), pause_postgres: (1, 0.5, 6.0), pause_broker: (2, 0.5, 5.0),
          stall_database: (3, 0.5, 5.0), cut_database: (3, 0.1, 4.0), slow_database: (2, 1.0, 5.0),
          stall_kafka: (3, 0.5, 6.0), cut_kafka: (3, 0.1, 5.0), slow_kafka: (2, 1.0, 5.0),
          hold_rows: (3, 0.5, 4.5), set_clock: (2, 1.0, 5.0), fill_disk: (1, 1.0, 3.0)}
# At length some last so long that other processes take over what that one can't do.
LASTING, LASTS, OF_THEM = {stall_kafka, cut_kafka, slow_kafka, pause_postgres}, (20.0, 30.0), 0.4


def possible_harms(bed):
    """The names of the harms that can be done to a bed, on this machine."""
    impossible = {kill_api, kill_workers} if bed.roles == ALONE else {kill_serve}
    if not bed.kafka:
        impossible |= {kill_broker, pause_broker, stall_kafka, cut_kafka, slow_kafka}
    impossible |= set() if bed.clocks else {set_clock}
    impossible |= set() if bed.small_disk else {fill_disk}
    return {harm.__name__ for harm in (*KILLS, *OTHERS) if harm not in impossible}


def kinds(bed):
    """How many kills, and how many other harms, can be done to a bed."""
    possible = possible_harms(bed)
    return tuple(sum(harm.__name__ in possible for harm in kind) for kind in (KILLS, OTHERS))


def unequipped(possible):
    """The names of what only the machine makes impossible."""
    return sorted({harm.__name__ for harm in (set_clock, fill_disk)} - possible)


class Trouble:
    """Does harm to a bed, at random moments, and ends it."""

    def __init__(self, bed, dice: random.Random, at_length):
        self._bed, self._dice, self._at_length = bed, dice, at_length
        self._under_way = []  # (time of its end, target, how it ends)
        self._ending = []     # threads, for the start of a server takes seconds in which others may be harmed

    def go(self, kills, others):
        """That many kills and other harms, in any order and over one another; returns when all of it has ended."""
        kinds = [KILLS] * kills + [OTHERS] * others
        self._dice.shuffle(kinds)
        for kind in kinds:
            self._rest(self._dice.uniform(0.1, 1.2))
            while not self._harm(kind):
                self._rest(0.1)
        while self._under_way or any(thread.is_alive() for thread in self._ending):
            self._rest(0.1)
        self.end()

    def end(self):
        """Ends at once what is still under way. AssertionError when something could not be ended."""
        for each in self._under_way:
            self._end(each)
        for thread in self._ending:
            thread.join()
        self._under_way, self._ending = [], []
        if self._bed.broken:
            raise AssertionError(f"can't be repaired: {self._bed.broken}")

    def _end(self, each):
        _, target, end = each

        def run():
            try:
                end()
                say(f"over: {target}")
            except Exception as error:  # told by the main thread
                self._bed.broken.append(f"{target}: {error}")
            self._bed.busy.discard(target)
        self._ending.append(threading.Thread(target=run))
        self._ending[-1].start()

    def _harm(self, kind):
        # What this bed has not had yet comes first.
        new = possible_harms(self._bed) - {name for name, times in self._bed.done.items() if times}
        often = {harm: often for harm, (often, *_) in kind.items() if harm.__name__ in new} or \
            {harm: often for harm, (often, *_) in kind.items()}
        harm, = self._dice.choices(list(often), often.values())
        begun = harm(self._bed)
        if begun is None:
            return False
        target, end = begun
        _, *lasts = kind[harm]
        if self._at_length and harm in LASTING and self._dice.random() < OF_THEM:
            lasts = LASTS
        self._bed.done[harm.__name__] += 1
        say(f"{harm.__name__}: {target}")
        self._under_way.append((time.monotonic() + self._dice.uniform(*lasts), target, end))
        return True

    def _rest(self, seconds):
        """Lets time go by, and ends what is due."""
        until = time.monotonic() + seconds
        while True:
            for each in sorted(self._under_way, key=lambda one: one[0]):
                if each[0] <= time.monotonic():
                    self._under_way.remove(each)
                    self._end(each)
            self._bed.supervise()
            if time.monotonic() >= until:
                return
            time.sleep(0.02)
