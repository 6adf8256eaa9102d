# Harness for suites that drive the binary: a private Postgres, the service's life cycle, SQL and the log's verifier.

import atexit
import collections
import contextlib
import hashlib
import json
import os
import random
import re
import secrets
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request
from pathlib import Path

import psycopg

PROJECT_ROOT = Path(__file__).resolve().parents[2]
if str(PROJECT_ROOT / "tests") not in sys.path:
    sys.path.insert(0, str(PROJECT_ROOT / "tests"))  # for the package `roster`

# Everything that suites know about the database, in one place.
LOG_SCHEMA = "log"
LOG_TABLE = "log.event"
READ_SCHEMA = "read"
STAFF_TABLE = "read.staff"
SHIFT_TABLE = "read.shift"
USER_TABLE = "read.user_account"
# How far the projection that is last has folded each partition.
PROJECTED_SQL = "SELECT partition, min(position) FROM projection.checkpoint GROUP BY partition"
HEADS_SQL = "SELECT partition, head FROM log.partition"
ZERO_HASH = "0" * 64
# What no client may bring about, as log lines tell of it.
STOPPED = "a projection stopped at an event that it can't fold"  # a read model, or a reactor
FAILED = "a request failed"
FAULTS = frozenset({STOPPED, FAILED, "a decision failed", "a command could not be staged", "an approved call failed",
                    "a usage row was dropped"})
# Suites ask for more than callers may: limits that no suite meets, unless it is about them.
HIGH_LIMITS = {f"WORKFORCE_{who}_RATE_LIMIT": "1000000" for who in ("LEAST", "ADDRESS", "USER", "STAFF")}
HIGH_LIMITS |= {"WORKFORCE_LOGIN_RATE_LIMIT": "0", "WORKFORCE_MCP_RATE_LIMIT": "0"}  # none

LONG = "WORKFORCE_TEST_LONG" in os.environ  # ./test --long
USUAL_PARTITIONS = "4"  # of a log, unless its suite wants others

READY_SECONDS = 60
STOP_SECONDS = 30
COMMAND_SECONDS = 120
FOLD_SECONDS = 60  # for a write to be shown, where the service itself waits for two
_POLL_SECONDS = 0.05
_LONGEST_PAUSE = 0.5
# Lines of a command that waits for a database, a log or other processes, which comes on a slow machine alone.
_WAITS = re.compile(r'^\{"ts":"[^"]*","level":"info","msg":"(waiting","for|going on","after)":[^\n]*\n', re.MULTILINE)
# Statements whose effect on a session outlives them, and those that want nobody else in a database.
_STAYS = re.compile(r"(^|;)\s*(SET|LOCK|LISTEN|PREPARE|BEGIN|DECLARE)\b|CREATE TEMP|set_config|advisory|\bDATABASE\b", re.IGNORECASE)
shared_services = []  # that run for more than one test, as conftest.py finds them after a failure
_claims = collections.deque(maxlen=500)  # of ports: sockets, each with a name that only one process can have


def binary():
    """The executable under test."""
    return Path(os.environ.get("WORKFORCE_BINARY", PROJECT_ROOT / "build" / "release" / "workforce"))


def free_port():
    """A TCP port of the loopback interface that nobody listens on. It is this process's until that ends: no other suite gets
    it, and no client that connects does, for it lies below the ports that the system gives those."""
    while True:
        port, claim = random.SystemRandom().randrange(10_000, 15_000), socket.socket(socket.AF_UNIX)
        try:
            claim.bind(f"\0workforce-test-port-{port}")
            with socket.socket() as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(("127.0.0.1", port))
        except OSError:
            claim.close()
            continue
        _claims.append(claim)
        return port


def run(command, env=None, text=None, seconds=COMMAND_SECONDS):
    """Runs a command to its end and returns its standard output; AssertionError with all it wrote when it fails."""
    done = subprocess.run([str(part) for part in command], input=text, env=env, cwd=PROJECT_ROOT, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=seconds, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{command[0]} … ended with {done.returncode}\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
    return done.stdout


def wait_until(condition, seconds, what):
    """Polls until `condition()` is true and returns what it gave; AssertionError when the time is over. To ask takes a quarter of
    the time at most, also where it starts a program, and the longer it lasts the more seldom is asked."""
    began = time.monotonic()
    deadline = began + seconds
    while True:
        asked = time.monotonic()
        if value := condition():
            return value
        now = time.monotonic()
        if now > deadline:
            raise AssertionError(f"after {seconds} s still not: {what}")
        time.sleep(min(max(_POLL_SECONDS, 3 * (now - asked), (now - began) / 20), _LONGEST_PAUSE))


def is_whole(role, checks):
    """Whether the checks of /statusz let tests begin: all but those of reactors, and of writers where the process has none."""
    passed_over = {"reactors"} | ({"writers"} if role == "workers" else set())
    return all(check["ok"] for name, check in checks.items() if name not in passed_over)


def until_fresh(ask, is_stale):
    """What `ask()` gives, once it is not marked as older than the caller's own writes; after a minute as it is."""
    deadline = time.monotonic() + FOLD_SECONDS
    while is_stale(answer := ask()) and time.monotonic() < deadline:
        time.sleep(_POLL_SECONDS)
    return answer


def said(stderr):
    """What a command wrote to standard error, but for the lines that only say that it waits, or waited, for something."""
    return _WAITS.sub("", stderr)


def _has_word(session):
    """Whether the server of an idle session has gone, or says so."""
    asked = select.poll()
    asked.register(session.fileno(), select.POLLIN)
    return bool(asked.poll(0))


class SqlClient:
    """Whoever asks a database by SQL."""

    def __init__(self, url):
        self.url = url
        self._idle = []  # sessions

    def psql(self, sql):
        """Runs SQL and returns the rows of all statements as tuples of text (NULL is ""); AssertionError with what the server
        says. More than one statement are one transaction. What they set or lock ends with them."""
        try:
            with self._session(sql) as session:
                cursor, rows = session.execute(sql, prepare=False), []
                while True:
                    found = cursor.pgresult
                    rows += [tuple((found.get_value(row, column) or b"").decode() for column in range(found.nfields))
                             for row in range(found.ntuples)]
                    if not cursor.nextset():
                        return rows
        except psycopg.Error as error:
            raise AssertionError(f"{sql}\n{error}") from error

    @contextlib.contextmanager
    def _session(self, sql):
        """A session for these statements: the one of some before, for a new one costs the server more than most of what suites
        ask. One of its own for what would outlive it there."""
        alone = _STAYS.search(sql)
        session = None
        while session is None or alone:
            try:
                session = self._idle.pop()
            except IndexError:
                break
            if alone or session.closed or _has_word(session):
                session.close()
                session = None
        session = session or psycopg.connect(self.url, autocommit=True)
        try:
            yield session
        except BaseException:
            session.close()
            raise
        if alone:
            session.close()
        else:
            self._idle.append(session)

    def value(self, sql):
        """The single value of a query, as text."""
        ((value,),) = self.psql(sql)
        return value


class Postgres(SqlClient):
    """A private cluster in a directory of its own, removed at the end, with an empty database `workforce`. Use it as a context
    manager."""

    _SCRIPT = PROJECT_ROOT / "scripts" / "postgres"

    def __init__(self):
        super().__init__("")  # until it is started
        self.directory = Path(tempfile.mkdtemp(prefix="workforce-postgres-"))
        # The cluster may run as another user, who has to be able to enter.
        self.directory.chmod(0o755)
        self._port = free_port()

    def __enter__(self):
        atexit.register(self.close)  # also when the suite is interrupted
        try:
            self.start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Ends the cluster and removes all of it."""
        atexit.unregister(self.close)
        try:
            run([self._SCRIPT, "remove", self._cluster])
        finally:
            shutil.rmtree(self.directory, ignore_errors=True)

    @property
    def _cluster(self):
        return self.directory / "cluster"

    def start(self):
        """Also after kill9: returns when the cluster takes connections again. It need not survive the machine: it is
        processes that tests kill, after which the system still has what they wrote."""
        template = os.environ.get("WORKFORCE_TEST_CLUSTER")  # ./test has one
        like = ["--like", template] if template else []
        self.url = run([self._SCRIPT, "start", self._cluster, "--port", self._port, "--throwaway", *like]).strip()

    def take_seeded(self):
        """Where the cluster has a seeded database of its template, that becomes `workforce`, which is empty until then; true then.
        False where there is none, or it is taken already."""
        with psycopg.connect(self.url, dbname="postgres", autocommit=True) as session:
            if session.execute("SELECT FROM pg_database WHERE datname = 'seeded'").rowcount == 0:
                return False
            session.execute("ALTER DATABASE workforce RENAME TO empty")
            session.execute("ALTER DATABASE seeded RENAME TO workforce")
            return True

    def kill9(self):
        """Ends the cluster as a crash would."""
        run([self._SCRIPT, "kill9", self._cluster])

    def pause(self):
        """Has all its processes stand still, connections and all, as a server does that hangs on its disk."""
        self._signal(signal.SIGSTOP)

    def go_on(self):
        self._signal(signal.SIGCONT)

    def runs(self):
        """Whether its postmaster lives."""
        try:
            os.kill(self._postmaster(), 0)
        except (OSError, ValueError):
            return False
        return True

    def _postmaster(self):
        return int((self._cluster / "data" / "postmaster.pid").read_text(encoding="ascii").split()[0])

    def _signal(self, what):
        """To the postmaster first, so that there are no more children then."""
        postmaster = self._postmaster()
        os.kill(postmaster, what)
        children, told = Path(f"/proc/{postmaster}/task/{postmaster}/children"), set()
        while new := set(children.read_text(encoding="ascii").split()) - told:
            for child in new:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(child), what)
            told |= new
            time.sleep(0.02)  # a signal takes its moment, in which there may be one more


class Clock:
    """The wall clock of processes that are started with the variables `env`: it can be set, anew at any time. How long they
    wait for something is true time, whatever the clock says."""

    LIBRARY = next(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"), None)  # None: not installed

    def __init__(self, file):
        self._file = file
        self.set(0)
        preload = f"{binary().parent / 'tests' / 'libtrue_waits.so'}:{self.LIBRARY}"
        self.env = {"LD_PRELOAD": preload, "FAKETIME_TIMESTAMP_FILE": str(file), "FAKETIME_CACHE_DURATION": "1",
                    "FAKETIME_DONT_FAKE_MONOTONIC": "1"}

    def set(self, seconds):
        """That far from the true time, within a second."""
        self._file.write_text(f"{seconds:+d}\n", encoding="ascii")


class Session:
    """A session of psql that stays open, with what it has locked. `postgres` has a `url`."""

    def __init__(self, postgres):
        self._process = subprocess.Popen(["psql", "-XAtq", "-v", "ON_ERROR_STOP=1", postgres.url], stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE, text=True)

    def execute(self, sql):
        """Returns once the statements have ended; AssertionError when one failed."""
        self._process.stdin.write(f"{sql};\n\\echo done\n")
        self._process.stdin.flush()
        for line in self._process.stdout:
            if line == "done\n":
                return
        raise AssertionError(f"psql ended: {sql}")

    def close(self):
        """Ends the session, and with it its transaction and locks."""
        self._process.communicate(timeout=COMMAND_SECONDS)


class Service:
    """The service on a database of its own: migrated, seeded with the demo, started and ready. Its log is in that
    database, or in a topic of its own of `kafka` (a kafka_cluster.Brokers). A context manager; on its way out after a
    failure it prints the end of its log lines."""

    role = "serve"  # the subcommand that runs
    expected_faults = frozenset()  # of FAULTS: those that a suite brings about on purpose
    launcher = ()  # a command that runs the binary, and its options

    def __init__(self, postgres, kafka=None, environment=None):
        self.postgres = postgres
        self.kafka = kafka
        self.topic = f"workforce.{secrets.token_hex(4)}"
        self.directory = Path(tempfile.mkdtemp(prefix="workforce-service-"))
        self._log = self.directory / "serve.log"
        self._process = None
        self.demo = {}
        self._key = self.directory / "master.key"
        self._key.touch(0o600)
        self._key.write_text(secrets.token_hex(32) + "\n", encoding="ascii")
        self._admin_port = free_port()
        # A caller's own configuration must not leak in, nor what ./run wrote into the checkout: the empty name is no file.
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("WORKFORCE_")}
        self.env = inherited | HIGH_LIMITS | {
            "WORKFORCE_CONFIG": "",
            "WORKFORCE_DATABASE_URL": postgres.url,
            "WORKFORCE_MASTER_KEY_FILE": str(self._key),
            "WORKFORCE_PORT": str(free_port()),
            "WORKFORCE_MCP_PORT": str(free_port()),
            "WORKFORCE_ADMIN_PORT": str(self._admin_port),
        }
        if kafka is not None:
            self.env |= {"WORKFORCE_LOG": "kafka", "WORKFORCE_KAFKA_BROKERS": kafka.brokers,
                         "WORKFORCE_KAFKA_TOPIC": self.topic, "WORKFORCE_KAFKA_USAGE_TOPIC": self.topic + ".usage"}
        self.env |= environment or {}

    def __enter__(self):
        atexit.register(self.close)
        shared_services.append(self)
        try:
            self.install()
            self.start()
            self.wait_projected()  # the command line finds users by their rows
        except BaseException:
            self.__exit__(*sys.exc_info())
            raise
        return self

    def __exit__(self, kind, *_):
        if kind is not None:
            self.print_tail()
        faults = self.faults()
        self.close()
        if faults and kind is None:
            raise AssertionError("\n".join([f"{self.role} logged {len(faults)} faults:", *faults[:10]]))

    def faults(self):
        """Lines of the log that tell of FAULTS: whatever a suite sends, its service has to stand it."""
        if not self._log.exists():
            return []
        lines = self._log.read_text(encoding="utf-8", errors="replace").splitlines()
        return [line for line in lines if any(fault in line for fault in FAULTS - self.expected_faults)]

    def close(self):
        """Kills the process where it runs and removes its files."""
        atexit.unregister(self.close)
        if self in shared_services:
            shared_services.remove(self)
        if self._process is not None:
            self.kill9()
        shutil.rmtree(self.directory, ignore_errors=True)

    @property
    def running(self):
        return self._process is not None

    def install(self):
        """Migrates the database, seeds it with the demo, and reads what the demo is. ./test has done so once, and every cluster
        that is a copy of its template has the outcome: what a log elsewhere or in other partitions can't use."""
        partitions = self.env.get("WORKFORCE_PARTITIONS", USUAL_PARTITIONS)
        if self.kafka is None and partitions == USUAL_PARTITIONS and self.postgres.take_seeded():
            seed = Path(os.environ["WORKFORCE_TEST_SEED"])
            self._key.write_text((seed / "master.key").read_text(encoding="ascii"), encoding="ascii")
            self.demo = json.loads((seed / "dev.json").read_text(encoding="utf-8")) | self.addresses()
            return
        written = self.directory / "dev.json"
        self.command("migrate")
        self.command("seed", "--demo", "--out", written)
        self.demo = json.loads(written.read_text(encoding="utf-8"))

    def addresses(self):
        """What `seed` writes of where this service and its database are."""
        keys = {"baseUrl": ("BASE_URL", "PORT"), "mcpUrl": ("MCP_URL", "MCP_PORT"), "adminUrl": ("ADMIN_URL", "ADMIN_PORT")}
        told = {name: self.env.get(f"WORKFORCE_{url}", f"http://127.0.0.1:{self.env[f'WORKFORCE_{port}']}")
                for name, (url, port) in keys.items()}
        return told | {"databaseUrl": self.env["WORKFORCE_DATABASE_URL"]}

    def command(self, *arguments):
        """Runs a subcommand of the binary to its end and returns its output."""
        return run([binary(), *arguments], env=self.env)

    def start(self):
        """Starts the process and returns when it is ready."""
        self.launch()
        wait_until(self.ready, READY_SECONDS, f"the service ({self.role}) is ready")

    def start_at_once(self):
        """As start(), after kill9(), without the wait."""
        self.forget_killed()
        self.start()

    def forget_killed(self):
        """After kill9(), with nobody else there: as if the three seconds had passed for which what the killed process held is its own.
        That they are waited for shows test_cluster."""
        self.postgres.psql("UPDATE ops.process SET expires_at = now(); UPDATE ops.lease SET expires_at = now()")

    def launch(self):
        """Starts the process."""
        with open(self._log, "ab") as log:
            self._process = subprocess.Popen([*self.launcher, binary(), self.role], env=self.env, cwd=PROJECT_ROOT,
                                             stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def ready(self):
        """Whether the process is ready and sees the whole installation well: partitions have owners, projections keep up.
        AssertionError when the process has ended."""
        if self._process.poll() is not None:
            raise AssertionError(f"{self.role} ended by itself with {self._process.returncode}\n{self.tail()}")
        try:
            return self.is_ready() and is_whole(self.role, self.standing()["checks"])
        except (urllib.error.URLError, OSError):
            return False

    @property
    def admin_headers(self):
        """What shows the admin listener that an administrator asks; nothing where none is needed."""
        file = self.env.get("WORKFORCE_ADMIN_TOKEN_FILE")
        return {"Authorization": f"Bearer {Path(file).read_text(encoding='ascii').strip()}"} if file else {}

    def is_ready(self):
        """What /readyz says now."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self._admin_port}/readyz", timeout=5) as answer:
                return answer.status == 200
        except urllib.error.HTTPError:
            return False

    def standing(self):
        """What /statusz says now."""
        request = urllib.request.Request(f"http://127.0.0.1:{self._admin_port}/statusz", headers=self.admin_headers)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def metrics(self):
        """What /metrics tells now, by name; of several partitions the largest."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self._admin_port}/metrics", timeout=30) as answer:
            lines = [line for line in answer.read().decode().splitlines() if not line.startswith("#")]
        values = {}
        for line in lines:
            name, value = line.rsplit(" ", 1)
            name = name.split("{")[0]
            values[name] = max(values.get(name, float("-inf")), float(value))
        return values

    def log_records(self):
        """All events of the log that count, as verify_chain takes them."""
        return self.kafka.records(self.topic) if self.kafka else log_records(self.postgres)

    def log_text_hits(self, needles):
        """Which of `needles` stand anywhere in the log in clear; by the name of the place."""
        if self.kafka:
            return {self.topic: self.kafka.text_hits(self.topic, needles)}
        return {table: clear_text_hits(self.postgres, table, needles)
                for table in tables_of(self.postgres, LOG_SCHEMA)}

    def heads(self):
        """Where the log ends now: positions by partition (a text)."""
        if self.kafka:
            return {str(partition): position for partition, position, _ in self.log_records()}
        return {partition: int(head) for partition, head in self.postgres.psql(HEADS_SQL)}

    def wait_projected(self):
        """Returns once every read model has come to the end that the log has now."""
        heads = self.heads()

        def projected():
            folded = {partition: int(position) for partition, position in self.postgres.psql(PROJECTED_SQL)}
            return all(folded.get(partition, -1) >= head for partition, head in heads.items())

        assert heads, "the log is empty"
        wait_until(projected, READY_SECONDS, "read models are at the log's end")

    def kill9(self):
        """Ends the process as a crash would."""
        self._process.kill()
        self._process.wait()
        self._process = None

    def stop(self):
        """Asks the process to end, which it has to do in time and with code 0."""
        process, self._process = self._process, None
        process.terminate()
        try:
            code = process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise AssertionError(f"{self.role} did not end within {STOP_SECONDS} s of SIGTERM\n{self.tail()}") from None
        if code != 0:
            raise AssertionError(f"{self.role} ended with {code} after SIGTERM\n{self.tail()}")

    def log_size(self):
        """Bytes that the log has now."""
        return self._log.stat().st_size

    def log_from(self, start):
        """The log's text from that byte on."""
        with open(self._log, "rb") as log:
            log.seek(start)
            return log.read().decode(errors="replace")

    def tail(self, lines=60):
        """The end of the log."""
        if not self._log.exists():
            return ""
        return "\n".join(self._log.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:])

    def print_tail(self):
        print(f"--- end of the log of {self.role} ---\n{self.tail()}\n---", file=sys.stderr)


class ServiceCase(unittest.TestCase):
    """Base of suites that share one cluster and one service: `cls.postgres` and `cls.service`, which has ENVIRONMENT on
    top of its configuration. The log is in Postgres where `start_kafka` gives none."""

    ENVIRONMENT = {}

    @classmethod
    def start_kafka(cls):
        """A kafka_cluster.Kafka for the log, or None; see kafka_cluster.OnKafka."""

    @classmethod
    def setUpClass(cls):
        if not binary().exists():
            raise AssertionError(f"{binary()} is not built")
        # Interrupted is interrupted: what was started is ended on the way out.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        cls.postgres = cls.enterClassContext(Postgres())
        cls.kafka = cls.start_kafka()
        cls.service = cls.enterClassContext(Service(cls.postgres, cls.kafka, cls.ENVIRONMENT))


def tables_of(postgres, schema):
    """Qualified names of a schema's tables, partitions of a table left to it."""
    return [name for (name,) in postgres.psql(
        "SELECT format('%I.%I', n.nspname, c.relname) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
        f"WHERE n.nspname = '{schema}' AND c.relkind IN ('r', 'p') AND NOT c.relispartition ORDER BY 1")]


def read_model_checksums(postgres):
    """MD5 over the ordered rows of every table of the read models, by table."""
    tables = tables_of(postgres, READ_SCHEMA)
    assert tables, f"schema {READ_SCHEMA} has no tables"
    return {
        table: postgres.value(
            f"SELECT count(*) || ' rows ' || md5(coalesce(string_agg(row, E'\\n' ORDER BY row COLLATE \"C\"), '')) "
            f"FROM (SELECT t::text AS row FROM {table} t) AS rows")
        for table in tables
    }


def checksums_around_rebuild(service):
    """Makes the read models anew from the log while the service runs, once they stand at the log's end. Returns their
    checksums before and after, both of the same log: when the service wrote meanwhile, as its clock does, once more."""
    for _ in range(10):
        service.wait_projected()
        heads = service.heads()
        before = read_model_checksums(service.postgres)
        service.command("rebuild", "--all")
        service.wait_projected()
        after = read_model_checksums(service.postgres)
        if service.heads() == heads:
            return before, after
    raise AssertionError("the log did not stand still for a rebuild")


def clear_text_hits(postgres, table, needles):
    """Which of `needles` stand in any row of a table: as text in any case, or as they are in a bytea column (hex)."""
    everything = "\n".join(row for (row,) in postgres.psql(f"SELECT lower(t::text) FROM {table} t"))
    has_bytes = "\\x" in everything
    return [needle for needle in needles
            if needle.lower() in everything or has_bytes and needle.encode().hex() in everything]


class ChainBroken(AssertionError):
    """The log is not whole; the text names partition and position."""


def verify_chain(records):
    """Checks the log on its own, by what is promised of its stored bytes. `records` are (partition, position, body
    bytes) in order of partition and position: positions run from 0 without a gap, each body tells its own position
    and the SHA-256 of the body before it, and every command's events are there, 1 to n of n. Returns the number of
    records by partition; raises ChainBroken."""
    counts = {}
    current, expected, previous, event, events = None, 0, ZERO_HASH, 0, 0
    for partition, position, body in records:
        if partition != current:
            if event != events:
                raise ChainBroken(f"partition {current} ends with event {event} of {events} of a command")
            if partition in counts:
                raise ChainBroken(f"records of partition {partition} are not in order")
            current, expected, previous, event, events = partition, 0, ZERO_HASH, 0, 0
        where = f"partition {partition}, position {position}"
        if position != expected:
            raise ChainBroken(f"{where}: position {expected} should stand here")
        attributes = json.loads(body)
        if attributes["position"] != str(position):
            raise ChainBroken(f"{where}: the body says position {attributes['position']!r}")
        if attributes["prevhash"] != previous:
            raise ChainBroken(f"{where}: prevhash {attributes['prevhash']}, but the record before has {previous}")
        index, count = int(attributes["cmdindex"]), int(attributes["cmdcount"])
        if event == events:
            event, events = 0, count
        if index != event + 1 or count != events:
            raise ChainBroken(f"{where}: event {index} of {count} after {event} of {events}")
        event, expected, previous = index, expected + 1, hashlib.sha256(body).hexdigest()
        counts[partition] = expected
    if event != events:
        raise ChainBroken(f"partition {current} ends with event {event} of {events} of a command")
    return counts


def logged_events(installation):
    """The events of an installation's log as JSON, each partition's in order: to ask the program for them costs more."""
    return [json.loads(body) for _, _, body in installation.log_records()]


def logged_types(installation, subject):
    """The types of an aggregate's events, in order."""
    return [event["type"] for event in logged_events(installation) if event["subject"] == subject]


def log_records(postgres):
    """All records as verify_chain takes them."""
    rows = postgres.psql("SELECT partition, position, encode(convert_to(body, 'UTF8'), 'hex') "
                         f"FROM {LOG_TABLE} ORDER BY partition, position")
    return [(int(partition), int(position), bytes.fromhex(body)) for partition, position, body in rows]
