"""The service on servers of its own: a database, a log, customers with their data, and its processes in either layout."""

import concurrent.futures
import contextlib
import datetime
import hashlib
import http.client
import json
import math
import os
import pathlib
import random
import time
import urllib.error
import urllib.request
import zlib

import machine

ROOT = pathlib.Path(__file__).resolve().parents[2]
LAYOUTS = {"split": ("api", "workers"), "serve": ("serve",)}
READY_SECONDS = 600  # a first start folds the whole history
WORKERS = 4  # that a shift takes
FIRST_DAY = datetime.date(2031, 1, 6)
# Eight days from one shift of a person to the next: no rest period and no week's overtime stands in the way.
DAYS_APART = 8
HISTORY_FIRST_ID = 10_000_000  # of the shifts that `bench history` makes
SETTLE_SECONDS = 3
# The limits of keys hold: load is spread over as many keys as it needs at this many requests a second.
MOST_REQUESTS, KEY_LIMIT = 90_000, 6000 / 60
NO_LIMIT_OF_ADDRESSES = {"WORKFORCE_ADDRESS_RATE_LIMIT": "0", "WORKFORCE_LOGIN_RATE_LIMIT": "0"}
HIGH_LIMIT_OF_PEOPLE = {"WORKFORCE_USER_RATE_LIMIT": "100000000"}  # their requests are counted, as keys' are
PASSWORD = "correct horse battery staple"
COLD_KEY_ID = 1_000_000_000  # of the first key that is made beside the log
BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

# Keys as the organization's newest one, each with a secret; "rows" are ids and digests.
COLD_KEYS_SQL = """CREATE TEMP TABLE cold (id bigint, digest bytea);
COPY cold FROM STDIN;
{rows}\\.
INSERT INTO auth.api_key_secret (digest, key_id, organization_id, secret_id, settled_at)
SELECT digest, id, {organization}, 'cold-' || id, now() FROM cold;
INSERT INTO read.api_key
SELECT made.* FROM (SELECT * FROM read.api_key WHERE organization_id = {organization} AND id < {first_id} ORDER BY id DESC LIMIT 1) k,
    cold, LATERAL jsonb_populate_record(NULL::read.api_key, to_jsonb(k) || jsonb_build_object('id', cold.id, 'doc', jsonb_set(jsonb_set(
        k.doc::jsonb, '{{id}}', to_jsonb(cold.id)), '{{secrets,0,id}}', to_jsonb('cold-' || cold.id))::text)) AS made;
ANALYZE auth.api_key_secret, read.api_key;
"""


@contextlib.contextmanager
def postgres(directory, throwaway):
    """A cluster of its own; yields its URL and the pid of the postmaster."""
    tool = ROOT / "scripts" / "postgres"
    machine.run(tool, "start", directory, *(["--throwaway"] if throwaway else []))
    try:
        url = machine.run(tool, "url", directory).strip()
        data = machine.run("psql", "-XAtd", url, "-c", "SHOW data_directory").strip()
        yield url, int(pathlib.Path(data, "postmaster.pid").read_text().split()[0])
    finally:
        machine.run(tool, "remove", directory)


@contextlib.contextmanager
def kafka(directory, throwaway):
    """One broker; yields its bootstrap address and its pid."""
    tool = ROOT / "scripts" / "kafka"
    machine.run(tool, "start", directory, *(["--throwaway"] if throwaway else []), timeout=300)
    try:
        yield machine.run(tool, "brokers", directory).strip(), int(machine.run(tool, "pid", directory, 1))
    finally:
        machine.run(tool, "remove", directory)


def new_token():
    """A token as keys have them: random, with a checksum at its end."""
    text = "svc_live_" + "".join(random.choices(BASE62, k=43))
    value, digits = zlib.crc32(text.encode()), ""
    for _ in range(6):
        value, digit = divmod(value, 62)
        digits = BASE62[digit] + digits
    return text + digits


# Partitions in which a reactor has not folded what the read model of shifts has.
BEHIND_SQL = """
SELECT count(*) FROM projection.checkpoint p
WHERE p.projection = 'shift' AND EXISTS (
    SELECT FROM reactor.checkpoint r WHERE r.partition = p.partition AND r.position < p.position)"""

# Waits in the server, which a question at a time would keep busy.
REACTED_SQL = f"""
DO $$ BEGIN
    WHILE ({BEHIND_SQL}) > 0 OR EXISTS (SELECT FROM reactor.shift_mail_work) LOOP COMMIT; PERFORM pg_sleep(0.1); END LOOP;
END $$"""


class Customer:
    """An organization as a caller of the API; one thread at a time. One of its keys is for what is set up, the others are
    for load."""

    def __init__(self, made):
        self.organization, (self._token, *self._keys) = made["organizationId"], made["keys"]
        self.facility, self.staff, self.shifts = None, [], []
        self.days = FIRST_DAY, FIRST_DAY + datetime.timedelta(2 * DAYS_APART)  # with some of its shifts, and few of many
        self._connection, self._touched = None, 0

    @property
    def keys(self):
        """How many keys load has."""
        return len(self._keys)

    def keyed(self, items, keys=None):
        """Pairs of an item and a token, each item and each key (or of so many) at least once, and keys as often as each other."""
        keys = keys or len(self._keys)
        count = -(-len(items) // keys) * keys
        return [(items[number % len(items)], self._keys[number % keys]) for number in range(count)]

    def connect(self, port):
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def ask(self, method, path, body=None):
        """The answer's headers and document."""
        fields = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        while True:
            self._connection.request(method, path, body and json.dumps(body), fields)
            reply = self._connection.getresponse()
            text = reply.read().decode()
            if reply.status != 429:
                break
            time.sleep(int(reply.headers["Retry-After"]))
        if reply.status not in (200, 201, 204):
            raise SystemExit(f"{method} {path} was answered {reply.status}: {text}")
        return reply.headers, json.loads(text or "null")

    def make_people(self, count):
        """A facility, which leaves shifts as they are when their time comes, and staff."""
        made = self.ask("POST", "/api/facilities", {"name": "Bench", "timezone": "UTC", "autoStart": False,
                                                    "autoComplete": False})[1]
        self.facility = made["facility"]["id"] if "facility" in made else made["id"]
        for number in range(count):
            made = self.ask("POST", "/api/staff", {"firstName": "Bench", "lastName": f"Worker {number}",
                                                   "specialty": "Nurse", "email": f"b{number}@example.test"})[1]
            self.staff.append(made["staff"]["id"] if "staff" in made else made["id"])

    def shift(self, day):
        date = FIRST_DAY + datetime.timedelta(days=day)
        return {"facilityId": self.facility, "title": "Bench", "date": date.isoformat(), "startTime": "08:00",
                "endTime": "16:00", "specialty": "Nurse", "requiredWorkers": WORKERS}

    def make_shifts(self, days):
        """A shift on each of the days; their ids in that order."""
        ids = []
        for first in range(0, len(days), 100):
            body = {"shifts": [self.shift(day) for day in days[first:first + 100]]}
            ids += [shift["id"] for shift in self.ask("POST", "/api/shifts", body)[1]["data"]]
        return ids

    def make_user(self, role="viewer"):
        """A person of that role who has a password: id and address."""
        name = os.urandom(8).hex()
        body = {"firstName": "Bench", "lastName": "Reader", "email": f"{name}@example.test", "username": name, "role": role,
                "password": PASSWORD}
        return self.ask("POST", "/api/users", body)[1]["id"], body["email"]

    def touch(self):
        """A write after all those of the other keys: a read that shows it shows them too."""
        self._touched += 1
        self.ask("PATCH", f"/api/facilities/{self.facility}", {"code": f"touch {self._touched}"})

    def sees_own_writes(self):
        return "Service-Stale" not in self.ask("GET", "/api/shifts?limit=1")[0]


class Installation:
    """A migrated and seeded installation. Its processes run between start() and stop()."""

    def __init__(self, options, directory, engine, url, postmaster, broker=None):
        self.options, self.directory, self.engine = options, pathlib.Path(directory), engine
        self.servers = {"PostgreSQL": postmaster}
        self._log = self.directory / "service.log"
        self._processes = {}
        self._next_slot = 0
        self._next_cold_key = COLD_KEY_ID
        key = self.directory / "master.key"
        key.touch(0o600)
        key.write_text(os.urandom(32).hex() + "\n")
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("WORKFORCE_")}
        self.env = inherited | NO_LIMIT_OF_ADDRESSES | HIGH_LIMIT_OF_PEOPLE | {
            "WORKFORCE_DATABASE_URL": url, "WORKFORCE_MASTER_KEY_FILE": str(key), "WORKFORCE_LOG": engine}
        if broker:
            self.env["WORKFORCE_KAFKA_BROKERS"], self.servers["Kafka"] = broker
        self.env |= dict(setting.split("=", 1) for setting in options.env)
        machine.run(options.workforce, "migrate", env=self.env)
        machine.run(options.workforce, "seed", env=self.env)
        keys = math.ceil(MOST_REQUESTS / KEY_LIMIT)
        made = machine.run(*machine.bench(options, "customers", "--count", options.organizations, "--first", 1 + keys,
                                          "--others", 1 + math.ceil(keys / options.many)), env=self.env, timeout=600)
        self.customers = [Customer(each) for each in json.loads(made)]

    @property
    def pids(self):
        """What is measured, by name: the service's processes and the servers."""
        return {role: process.pid for role, (process, _) in self._processes.items()} | self.servers

    def start(self, layout, **settings):
        """Starts the processes of a layout, with such variables besides, and returns after how many seconds each said that
        it was ready."""
        began = time.monotonic()
        for role in LAYOUTS[layout]:
            ports = {name: machine.free_port() for name in ("WORKFORCE_PORT", "WORKFORCE_ADMIN_PORT", "WORKFORCE_MCP_PORT")}
            env = self.env | settings | {name: str(port) for name, port in ports.items()}
            process = machine.launch([self.options.workforce, role], self._log, env)
            self._processes[role] = process, ports["WORKFORCE_ADMIN_PORT"]
            if role != "workers":
                self.port, self.mcp_port = ports["WORKFORCE_PORT"], ports["WORKFORCE_MCP_PORT"]
        took = {}

        def all_ready():
            for role, (process, port) in self._processes.items():
                if role not in took and is_ready(port):
                    took[role] = time.monotonic() - began
                if process.poll() is not None:
                    raise SystemExit(f"{role} ended:\n{self._log.read_text()[-2000:]}")
            return len(took) == len(self._processes)

        machine.wait_for(all_ready, READY_SECONDS, f"{layout} is ready", log=self._log)
        return took

    def stop(self):
        for process, _ in self._processes.values():
            machine.end(process)
        self._processes = {}

    def memory(self):
        """MB of each of the service's processes: now, and at its highest."""
        return {role: machine.memory_mb(process.pid) for role, (process, _) in self._processes.items()}

    def settle(self, customers):
        """Waits until all reads show what the customers wrote; returns how long that took."""
        began = time.monotonic()
        for customer in customers:
            customer.connect(self.port)  # the one of last time may have been idle for too long
            customer.touch()
            machine.wait_for(customer.sees_own_writes, READY_SECONDS, "read models are at the log's end")
        return time.monotonic() - began

    def psql(self, *statements, timeout=300):
        """What the statements print."""
        commands = [argument for statement in statements for argument in ("-c", statement)]
        return machine.run("psql", "-XAtq", "-v", "ON_ERROR_STOP=1", self.env["WORKFORCE_DATABASE_URL"], *commands, timeout=timeout)

    def settle_reactors(self):
        """Waits until reactors have folded as far as read models have."""
        machine.wait_for(lambda: self.psql(BEHIND_SQL).strip() == "0", READY_SECONDS, "reactors are at the log's end")

    def settle_all(self, customers):
        """As settle(), and waits further until reactors have folded what was written and mails are written."""
        visible = self.settle(customers)
        self.psql(REACTED_SQL, timeout=READY_SECONDS)
        return visible

    def clean_up(self):
        """Has PostgreSQL do at once what it would else do at some time during the measurements; nobody mails what a history of
        the past says, which would go on for longer than they take. The service is stopped meanwhile."""
        self.psql("TRUNCATE reactor.shift_mail_work", "VACUUM ANALYZE", "CHECKPOINT", timeout=900)

    def for_each(self, customers, work):
        """Runs `work(customer)` for all of them, some at a time; the results in their order."""
        for customer in customers:
            customer.connect(self.port)
        with concurrent.futures.ThreadPoolExecutor(8) as threads:
            return list(threads.map(work, customers))

    def fill(self, customers):
        """Gives the customers people and shifts."""
        people, shifts = self.options.people // len(customers), self.options.present // len(customers)
        days = [DAYS_APART * slot for slot in range(shifts)]

        def one(customer):
            customer.make_people(people)
            customer.shifts = customer.make_shifts([day % 2000 for day in days])

        self.for_each(customers, one)
        self.settle(customers)

    def add_history(self, customer, shifts):
        """Gives a customer a past of so many shifts while nothing runs, and reads of it instead of the present."""
        machine.run(*machine.bench(self.options, "history", "--organization", customer.organization, "--facility",
                                   customer.facility, "--shifts", shifts), env=self.env, timeout=1800)
        step = max(1, shifts // 20_000)
        customer.shifts = [HISTORY_FIRST_ID + number for number in range(0, shifts, step)]
        today = datetime.datetime.now(datetime.timezone.utc).date()
        customer.days = today - datetime.timedelta(6), today - datetime.timedelta(4)

    def cold_keys(self, customer, count):
        """Tokens of so many new keys of the customer, which nobody has used yet. They are rows alone: the log would take
        longer to have them than to be measured with them."""
        first, self._next_cold_key = self._next_cold_key, self._next_cold_key + count
        tokens = [new_token() for _ in range(count)]
        rows = "".join(f"{first + number}\t\\\\x{hashlib.sha256(token.encode()).hexdigest()}\n" for number, token in enumerate(tokens))
        machine.run("psql", "-XAtq", "-v", "ON_ERROR_STOP=1", self.env["WORKFORCE_DATABASE_URL"],
                    input=COLD_KEYS_SQL.format(organization=customer.organization, first_id=COLD_KEY_ID, rows=rows), timeout=300)
        return tokens

    def sessions(self, customer, user, kind, count):
        """The secrets of so many new sessions (kind: cookie, jwt) of the customer's user, which nobody has used yet."""
        return machine.run(*machine.bench(self.options, "sessions", "--organization", customer.organization, "--user", user,
                                          "--kind", kind, "--count", count), env=self.env, timeout=300).split()

    def assignments(self, customers, count):
        """Makes shifts for at least so many assignments, each a person and a shift that go together: (customer, shift,
        person). Neighbours differ in all of them, as far as there are several."""
        people = len(customers[0].staff)
        a_day = people // WORKERS
        slots = -(-count // (a_day * WORKERS * len(customers)))
        # Past the days of all that was made before, for the same people.
        days = [DAYS_APART * (self._next_slot + slot) for slot in range(slots) for _ in range(a_day)]
        self._next_slot += slots
        made = self.for_each(customers, lambda customer: customer.make_shifts(days))
        self.settle(customers)
        return [(customer, made[c][slot * a_day + group], customer.staff[group * WORKERS + worker])
                for slot in range(slots) for worker in range(WORKERS) for group in range(a_day)
                for c, customer in enumerate(customers)]


def is_ready(port):
    """Whether the process takes requests, and partitions have owners and are folded."""
    with contextlib.suppress(urllib.error.URLError, OSError):
        for path in ("readyz", "statusz"):
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/{path}", timeout=5) as answer:
                told = json.load(answer)
        return told["status"] == "ok"
    return False


@contextlib.contextmanager
def installation(options, engine):
    """An installation with its servers, which live until the block ends."""
    with contextlib.ExitStack() as stack:
        directory = stack.enter_context(machine.work_directory())
        url, postmaster = stack.enter_context(postgres(directory / "postgres", options.throwaway))
        broker = stack.enter_context(kafka(directory / "kafka", options.throwaway)) if engine == "kafka" else None
        made = Installation(options, directory, engine, url, postmaster, broker)
        try:
            yield made
        finally:
            made.stop()
