# What goes wrong: each function does one harm to a Bed and returns how it ends, or None where there is nothing to harm.

import ctypes
import http.client
import os
import random
import shutil
import subprocess
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

import cluster
import proxy
import support
from kafka_cluster import leader_of

SEVERAL, ALONE = ("api", "api", "workers", "workers"), ("serve",)
DISK_BYTES = 640 << 20
_NEW_MOUNTS = 0x00020000  # CLONE_NEWNS


def say(what):
    """A line of the story of a run, with the time of day as the service's own lines have it."""
    print(f"{time.strftime('%H:%M:%S', time.gmtime())} {what}", flush=True)


def _readiness(member):
    """Status and checks of /readyz; 0 and the reason where nobody answers."""
    try:
        return member.readiness()
    except (OSError, ValueError, http.client.HTTPException) as error:
        return 0, repr(error)


class SmallDisk(support.Postgres):
    """A cluster on a file system of its own in memory, small enough to be filled. Only root can have it."""

    @staticmethod
    def possible():
        return os.geteuid() == 0 and ctypes.CDLL(None).unshare(_NEW_MOUNTS) == 0 and \
            subprocess.run(["mount", "--make-rprivate", "/"], check=False).returncode == 0

    def __enter__(self):
        # In mounts of this process alone, so that it is gone with it.
        support.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES},mode=755", "tmpfs", self.directory])
        return super().__enter__()

    def close(self):
        super().close()
        support.run(["umount", "--lazy", self.directory])
        self.directory.rmdir()

    def fill(self):
        """Leaves no room."""
        with open(self.directory / "filler", "wb") as filler:
            size = 0
            for piece in (1 << 24, 1 << 16, 1 << 12):
                try:
                    while True:
                        os.posix_fallocate(filler.fileno(), size, piece)
                        size += piece
                except OSError:
                    pass

    def empty(self):
        (self.directory / "filler").unlink()


class Bed:
    """The service as processes of these roles, its servers, and what is broken of it now. A context manager. Each process
    reaches PostgreSQL and Kafka through proxies of its own, and has a clock that can be set where libfaketime is installed."""

    def __init__(self, kafka, roles, dice):
        self.kafka, self.roles, self.dice = kafka, roles, dice
        self.small_disk = SmallDisk.possible()
        self.postgres = SmallDisk() if self.small_disk else support.Postgres()
        self.members, self.clocks = [], {}
        self.databases, self.brokers = {}, {}  # proxies of each process by the name of what they disturb
        self.busy = set()       # targets of harms that have not ended
        self.broken = []        # what could not be repaired
        self.ended = Counter()  # processes that ended by themselves, and how
        self.done = Counter()   # harms by name
        self._directory = Path(tempfile.mkdtemp(prefix="workforce-fault-"))
        self._directory.chmod(0o755)

    def __enter__(self):
        self.postgres.__enter__()
        try:
            self.cluster = cluster.Cluster(self.postgres, self.kafka).__enter__()
            for number, role in enumerate(self.roles, 1):
                self._launch(role, number)
            self.wait_ready()
            self.partition = self._home()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for each in (*self.databases.values(), *self.brokers.values()):
            each.close()
        if hasattr(self, "cluster"):
            self.cluster.__exit__(None, None, None)
        self.postgres.close()
        shutil.rmtree(self._directory, ignore_errors=True)

    def _launch(self, role, number):
        name = f"{role}-{number}"
        where, _, rest = self.postgres.url.partition("?host=")
        socket, _, port = rest.partition("&port=")
        folder = self._directory / name
        folder.mkdir()
        self.databases[name] = proxy.Proxy((folder / f".s.PGSQL.{port}", f"{socket}/.s.PGSQL.{port}"))
        env = {"WORKFORCE_DATABASE_URL": f"{where}?host={folder}&port={port}"}
        if self.kafka:
            door = self.kafka.door(number)
            self.brokers[f"kafka of {name}"] = proxy.Proxy(*door)
            env["WORKFORCE_KAFKA_BROKERS"] = ",".join(advertised for advertised, _ in door)
        if number == 1:  # keeps next to nothing in memory, so that it decides by rows of read models
            env["WORKFORCE_MEMORY_AGGREGATES"] = "0"
        if support.Clock.LIBRARY:
            self.clocks[name] = support.Clock(folder / "clock")
            env |= self.clocks[name].env
        self.members.append(self.cluster.launch(role, **env))

    @property
    def api(self):
        return [member for member in self.members if member.role != "workers"]

    def _home(self):
        """The customer's partition, to which all clients write."""
        return int(self.postgres.value("SELECT partition FROM ops.organization_home WHERE organization_id = "
                                       f"{self.cluster.demo['organizationId']}"))

    def wait_ready(self):
        """Returns once every process is ready; those that end by themselves are started again."""
        def unready():
            self.supervise()
            return [member for member in self.members if _readiness(member)[0] != 200]
        try:
            support.wait_until(lambda: not unready(), support.READY_SECONDS, "all processes are ready")
        except AssertionError as late:
            raise AssertionError(f"{late}: {[(member.name, _readiness(member)) for member in unready()]}") from None

    def supervise(self):
        """Starts again what ended by itself."""
        for member in self.members:
            if member.name not in self.busy and member.exit_code is not None:
                how = f"{member.name} ended with {member.exit_code}: {member.tail(1)[:400]}"
                self.ended[how] += 1
                say(how)
                member.launch()

    def take(self, targets):
        """One of the targets (by name) that nothing has harmed yet, or None; nothing else harms it until it is well."""
        free = [target for target in targets if target not in self.busy]
        if not free:
            return None
        chosen = self.dice.choice(free)
        self.busy.add(chosen)
        return chosen

    def take_member(self, role=None):
        name = self.take([member.name for member in self.members if role in (None, member.role)])
        return next((member for member in self.members if member.name == name), None)


# ---- harms: each returns (target, how it ends) -----------------------------------------------------------------------------


def kill_api(bed):
    return _kill(bed, "api")


def kill_workers(bed):
    return _kill(bed, "workers")


def kill_serve(bed):
    return _kill(bed, "serve")


def _kill(bed, role):
    if (member := bed.take_member(role)) is None:
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
    if (member := bed.take_member()) is None:
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
    """Another session holds rows that the service must change, so that what it commits is late."""
    if "postgres" in bed.busy or bed.take(["rows"]) is None:
        return None
    table = bed.dice.choice(["log.partition", "projection.checkpoint", "ops.lease", "ops.process", "ops.last_write"])
    session = subprocess.Popen(["psql", "-XAtq", bed.postgres.url], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, text=True)
    session.stdin.write(f"BEGIN; SELECT 1 FROM {table} FOR UPDATE;\n")
    session.stdin.flush()

    def end():
        session.kill()  # the server rolls back
        session.communicate()
    return "rows", end


def set_clock(bed):
    """One process's clock jumps, and later back again; past a minute it writes nothing until then. Only back where librdkafka runs: its timed waits take the faked time
    for the end and the true one for the waiting, so that ahead of it they would last as long as the jump is."""
    if not bed.clocks or (name := bed.take([f"clock of {name}" for name in bed.clocks])) is None:
        return None
    clock = bed.clocks[name.removeprefix("clock of ")]
    clock.set(bed.dice.choice([2, 30, 7200, 90000]) * (-1 if bed.kafka else bed.dice.choice([-1, 1])))
    return name, lambda: clock.set(0)


def fill_disk(bed):
    """PostgreSQL has no room, not even for its write-ahead log; it may end over that and has to be started then."""
    if not bed.small_disk or bed.take(["postgres"]) is None:
        return None
    bed.postgres.fill()

    def end():
        bed.postgres.empty()
        bed.postgres.start()
    return "postgres", end


# Harm -> how often among its kind, and how many seconds it lasts at least and at most.
KILLS = {kill_api: (6, 0.0, 1.5), kill_workers: (4, 0.0, 1.5), kill_serve: (10, 0.0, 1.5), kill_postgres: (3, 0.0, 1.0),
         kill_broker: (3, 0.0, 1.0)}
OTHERS = {pause_process: (4, 0.5, 6.0), pause_postgres: (1, 0.5, 6.0), pause_broker: (2, 0.5, 5.0),
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
