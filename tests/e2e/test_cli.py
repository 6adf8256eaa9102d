# The command line and the process: configuration, refusals to start, keys, stopping, health, and a database that dies.

import json
import re
import secrets
import socket
import subprocess
import tempfile
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import log_lines
import rest
import support

service = None
SECONDS = 60
STAFF = "/api/staff"


def setUpModule():
    global service
    service = rest.start_service()


def database_url(name):
    """The cluster's address with another database."""
    return urlunsplit(urlsplit(service.postgres.url)._replace(path=f"/{name}"))


def admin(path):
    """Status and text that the admin listener answers with."""
    try:
        with urllib.request.urlopen(service.demo["adminUrl"] + path, timeout=30) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as refused:
        return refused.code, refused.read().decode()


def person():
    return {"firstName": "C", "lastName": "Li", "email": f"{secrets.token_hex(8)}@example.test"}


class CommandCase(rest.RestCase):

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = Path(scratch.name)

    def write(self, name, text, mode=0o600):
        path = self.scratch / name
        path.write_text(text, encoding="utf-8")
        path.chmod(mode)
        return str(path)

    def run_command(self, *arguments, **settings):
        """Runs a subcommand on ports of its own; settings are variables of the environment (None: unset). Of what it said it is
        left out that it waits."""
        free = {f"WORKFORCE_{name}": str(support.free_port()) for name in ("PORT", "MCP_PORT", "ADMIN_PORT")}
        env = service.env | free | {f"WORKFORCE_{name.upper()}": value for name, value in settings.items()}
        env = {name: str(value) for name, value in env.items() if value is not None}
        done = subprocess.run([support.binary(), *arguments], env=env, cwd=self.scratch, text=True, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=SECONDS, check=False)
        done.stderr = support.said(done.stderr)
        return done

    def check_fails(self, done, *words):
        """The command has ended with one plain line that says why; returns the line."""
        self.assertGreater(done.returncode, 0, f"{done}")
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, r"\Aworkforce: [^\n{}]+\n\Z")
        for word in words:
            self.assertIn(word, done.stderr)
        return done.stderr


class ConfigTest(CommandCase):

    def test_config_shows_where_each_value_is_from_and_no_secret(self):
        file = self.write("w.toml", 'log_level = "warn"\nport = 4711\nhost = "127.0.0.2"\n')
        for url in ("postgresql://someone:hunter2@db.example.test:5432/w?application_name=x&password=hunter2",
                    "host=db.example.test user=someone password='hunter2 \\' x' dbname=w"):
            done = self.run_command("config", "--config", file, "--port", "4712", database_url=url, log_level=None, host=None)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotIn("hunter2", done.stdout + done.stderr)
            self.assertIn("db.example.test", done.stdout)
            self.assertRegex(done.stdout, r'(?m)^database_url = ".*\*\*\*.*"  # WORKFORCE_DATABASE_URL$')
            self.assertRegex(done.stdout, r'(?m)^log_level = "warn"  # .*w\.toml:1$')
            self.assertRegex(done.stdout, r"(?m)^port = 4712  # --port$")
            self.assertRegex(done.stdout, r'(?m)^host = "127\.0\.0\.2"  # .*w\.toml:3$')
            self.assertRegex(done.stdout, r'(?m)^base_url = "http://127\.0\.0\.2:4712"  # default$')
        key = Path(service.env["WORKFORCE_MASTER_KEY_FILE"]).read_text(encoding="ascii").strip()
        self.assertNotIn(key, self.run_command("config").stdout)

    def test_every_example_of_the_documents_configures(self):
        """Settings as TOML has them, each in a line of a block or in the text; and variables with a value that is no shell's."""
        keys = set(re.findall(r"(?m)^(\w+) = ", self.run_command("config").stdout))
        pages = [support.PROJECT_ROOT / name for name in ("README.md", "ARCHITECTURE.md")]
        pages += sorted((support.PROJECT_ROOT / "docs").rglob("*.md"))
        seen = set()
        for page in pages:
            text = page.read_text(encoding="utf-8")
            blocks = re.findall(r"(?ms)^```\w*\n(.*?)^```$", text)
            inline = re.findall(r"`(\w+ = [^`\n]+)`", re.sub(r"(?ms)^```.*?^```$", "", text))
            for example in [*blocks, *inline]:
                lines = [line for line in example.splitlines() if re.match(r"\w+ = ", line) and line.split()[0] in keys]
                variables = dict(re.findall(r"WORKFORCE_([A-Z_]+)=([^\s$\"'`\\]+)", example))
                for name in variables:
                    self.assertIn(name.lower(), keys | {"config", "api_key", "roster_data"}, f"{page.name}: {example}")
                variables = {name.lower(): value for name, value in variables.items() if name.lower() in keys}
                if not lines and not variables:
                    continue
                with self.subTest(page=page.name, example=example):
                    file = self.write("w.toml", "\n".join(lines) + "\n")
                    done = self.run_command("config", "--config", file, **{key: None for key in keys} | variables)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    for key in [line.split()[0] for line in lines]:
                        self.assertRegex(done.stdout, rf"(?m)^{key} = .*  # .*w\.toml:\d+$")
                        seen.add(key)
        self.assertLessEqual({"version_deprecations", "webhooks_allow_insecure_targets", "trusted_proxies"}, seen)

    def test_wrong_values_name_key_source_and_reason(self):
        for key, value in (("port", "abc"), ("port", "70000"), ("admin_port", "-1"), ("partitions", "0"), ("log_level", "loud"),
                           ("base_url", "ftp://x"), ("installation", "A B"), ("log", "paper"), ("database_url", "")):
            for command in ("config", "serve"):
                with self.subTest(key=key, command=command):
                    self.check_fails(self.run_command(command, **{key: value}), key, f"WORKFORCE_{key.upper()}", value)
                    if value:
                        flag = f"--{key.replace('_', '-')}"
                        self.check_fails(self.run_command(command, f"{flag}={value}"), key, flag)

    def test_variables_that_nothing_reads_are_named(self):
        done = self.run_command("config", prot="1")
        said = json.loads(done.stderr)
        self.assertEqual((done.returncode, said["level"], said["name"]), (0, "warn", "WORKFORCE_PROT; did you mean WORKFORCE_PORT?"))

    def test_wrong_files(self):
        for text, words in (("portt = 1\n", ("portt", "w.toml:1", "no such key")), ('\nport = "1"\n', ("port", "w.toml:2", "integer")),
                            ("port = 1.5\n", ("port", "w.toml:1")), ("host = 5\n", ("host", "string")), ("port = \n", ("w.toml:1",)),
                            ("[port]\na = 1\n", ("port",)), ("port = 1\nport = 2\n", ("w.toml:2",))):
            with self.subTest(text=text):
                self.check_fails(self.run_command("serve", "--config", self.write("w.toml", text)), *words)
        self.check_fails(self.run_command("serve", "--config", str(self.scratch / "absent.toml")), "absent.toml")
        self.check_fails(self.run_command("serve", config=str(self.scratch / "absent.toml")), "absent.toml")

    def test_master_keys(self):
        whole = secrets.token_hex(32)
        self.check_fails(self.run_command("serve", master_key_file=None), "master_key_file")
        self.check_fails(self.run_command("serve", master_key_file=self.scratch / "absent"), "master_key_file", "absent")
        self.check_fails(self.run_command("serve", master_key_file=self.scratch), "master_key_file")
        for mode in (0o640, 0o604, 0o620):
            path = self.write("open.key", whole, mode)
            self.check_fails(self.run_command("serve", master_key_file=path), "master_key_file", "chmod 600")
        for text in ("", whole[:-1], whole + "0", "x" * 64):
            self.check_fails(self.run_command("serve", master_key_file=self.write("bad.key", text)), "master_key_file", "64")
            if text:
                self.assertNotIn(text, self.run_command("serve", master_key_file=self.write("bad.key", text)).stderr)
        for command in (("serve",), ("rebuild", "--all"), ("keys", "create", "--organization", "2", "--name", "x", "--scopes", "*")):
            done = self.run_command(*command, master_key_file=self.write("other.key", whole))
            self.check_fails(done, "master key")

    def test_ports_in_use(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            for key in ("port", "mcp_port", "admin_port"):
                self.check_fails(self.run_command("serve", **{key: port}), str(port), "in use", f"--{key.replace('_', '-')}")
        self.assertEqual(rest.client_of(service).get(STAFF).status, 200, "and the one that serves goes on")


class UsageTest(CommandCase):

    def test_wrong_usage_is_one_line_that_names_it_and_code_2(self):
        for arguments, words in (((), ("command is missing", "`workforce --help`")), (("serv",), ("no command 'serv'", "did you mean serve?")),
                                 (("frobnicate",), ("no command 'frobnicate'",)), (("log", "cpy"), ("no command 'cpy'", "copy", "`workforce log --help`")),
                                 (("log",), ("command is missing", "`workforce log --help`")), (("--nope",), ("no option '--nope'",)),
                                 (("status", "--nope"), ("--nope", "`workforce status --help`")), (("log", "copy"), ("--from is required",)),
                                 (("replay", "--verify", "--partition", "x"), ("--partition", "x")), (("serve", "--port"), ("--port",)),
                                 (("replay",), ("--verify",)), (("rebuild",), ("--all",)),
                                 (("replay", "--aggregate", "shift/1", "--as-of", "noon"), ("--as-of", "noon", "as 20"))):
            with self.subTest(arguments=arguments):
                done = self.run_command(*arguments)
                self.check_fails(done, *words)
                self.assertEqual(done.returncode, 2)
        for arguments in (("--help",), ("status", "--help")):
            self.assertEqual(self.run_command(*arguments).returncode, 0)

    def test_a_wrong_configuration_is_code_2_everywhere(self):
        for arguments in (("serve",), ("replay", "--verify"), ("status",), ("migrate",)):
            done = self.run_command(*arguments, database_queue="abc")
            self.check_fails(done, "database_queue", "abc")
            self.assertEqual(done.returncode, 2)


class DatabaseTest(CommandCase):

    def test_a_database_that_is_not_there(self):
        for command in (("serve",), ("seed",), ("migrate",), ("rebuild", "--all")):
            with self.subTest(command=command):
                self.check_fails(self.run_command(*command, database_url=database_url("absent")), "absent")
                port = support.free_port()
                url = f"postgresql://w:hidden@127.0.0.1:{port}/there"
                done = self.run_command(*command, database_url=url)
                self.check_fails(done, f"database postgresql://w:***@127.0.0.1:{port}/there: ")
                self.assertNotIn("hidden", done.stderr)

    def test_a_database_that_is_not_migrated(self):
        service.postgres.psql("CREATE DATABASE bare")
        for command in (("serve",), ("seed",), ("rebuild", "--all")):
            with self.subTest(command=command):
                self.check_fails(self.run_command(*command, database_url=database_url("bare")), "workforce migrate")

    def test_a_database_of_a_newer_program(self):
        service.postgres.psql("CREATE DATABASE newer")
        url = database_url("newer")
        self.assertEqual(self.run_command("migrate", database_url=url).returncode, 0)
        self.assertEqual(self.run_command("migrate", database_url=url).returncode, 0, "again is nothing to do")
        insert = "INSERT INTO public.schema_migration (version, name, checksum) VALUES (9999, '9999_later.sql', 'x')"
        subprocess.run(["psql", "-XAtqc", insert, url], check=True)
        for command in (("serve",), ("seed",), ("migrate",), ("rebuild", "--all")):
            with self.subTest(command=command):
                self.check_fails(self.run_command(*command, database_url=url), "9999", "newer")

    def test_a_migration_that_was_altered(self):
        service.postgres.psql("CREATE DATABASE altered")
        url = database_url("altered")
        self.assertEqual(self.run_command("migrate", database_url=url).returncode, 0)
        subprocess.run(["psql", "-XAtqc", "UPDATE public.schema_migration SET checksum = 'x' WHERE version = 1", url], check=True)
        self.check_fails(self.run_command("migrate", database_url=url), "0001")


class KeysTest(CommandCase):

    def test_beside_the_service(self):
        key, token = rest.make_key(service, ["staff:read", "staff:write"])
        client = rest.client_of(service, token)
        self.check(client.get(STAFF), 200)
        self.check(client.post(STAFF, person()), 201)
        self.check_refused(client.get("/api/shifts"), 403, "INSUFFICIENT_SCOPE")
        self.assertEqual(client.get("/api/auth/me").body["credential"], {"type": "live", "id": key})
        rest.revoke_key(service, key)
        self.check_refused(client.post(STAFF, person()), 401, "UNAUTHENTICATED")  # writes are judged on the log's own state
        support.wait_until(lambda: client.get(STAFF).status == 401, support.READY_SECONDS, "the revoked key is refused")
        rest.revoke_key(service, key)

    def test_without_the_service(self):
        kept = rest.make_key(service, ["staff:read"])
        service.stop()
        made = rest.make_key(service, ["staff:read"])
        rest.revoke_key(service, kept[0])
        lost = rest.make_key(service, ["staff:read"])
        rest.revoke_key(service, lost[0])
        service.start()
        service.wait_projected()
        self.check(rest.client_of(service, made[1]).get(STAFF), 200)
        for _, token in (kept, lost):
            self.check_refused(rest.client_of(service, token).get(STAFF), 401, "UNAUTHENTICATED")

    def test_what_a_key_can_not_be(self):
        organization = str(service.demo["organizationId"])
        for options, word in ((("--scopes", "nope:read"), "scope"), (("--scopes", "*"), "scope"), (("--scopes", "*:*"), "scope"),
                              (("--scopes", "staff:read", "--type", "gold"), "type"),
                              (("--scopes", "staff:read", "--facility", "900"), "900"),
                              (("--scopes", "staff:read", "--user", "900"), "900")):
            with self.subTest(options=options):
                self.check_fails(self.run_command("keys", "create", "--organization", organization, "--name", "x", *options), word)
        self.check_fails(self.run_command("keys", "create", "--organization", "900", "--name", "x", "--scopes", "staff:read"), "900")
        self.check_fails(self.run_command("keys", "revoke", "--organization", "900", "1"), "900")
        self.check_fails(self.run_command("keys", "revoke", "--organization", organization, "900"), "900")

    def test_no_key_stands_in_the_database(self):
        _, token = rest.make_key(service, ["staff:read"])
        for schema in ("log", "read", "auth", "ops"):
            for table in support.tables_of(service.postgres, schema):
                self.assertEqual(support.clear_text_hits(service.postgres, table, [token, token[9:]]), [], table)


class ProcessTest(CommandCase):

    def test_health(self):
        self.assertEqual(admin("/healthz"), (200, '{"status":"ok"}'))
        for path, names in (("/readyz", ("clock", "database")),
                            ("/statusz", ("clock", "database", "log", "writers", "projectors", "projectionLag", "projections",
                                          "reactors"))):
            def well(path=path):
                status, text = admin(path)
                return json.loads(text) if status == 200 and json.loads(text)["status"] == "ok" else None
            told = support.wait_until(well, SECONDS, f"{path} is content")
            self.assertEqual({name: check["ok"] for name, check in told["checks"].items()}, dict.fromkeys(names, True))
        for url in (service.demo["baseUrl"], service.demo["mcpUrl"]):
            self.check(rest.Client(url).get("/healthz"), 200)

    def test_sessions_are_named_after_the_process_and_are_no_more_than_the_docs_say(self):
        rest.client_of(service).get(STAFF)
        names = [name for name, in service.postgres.psql("SELECT application_name FROM pg_stat_activity WHERE application_name "
                                                         "LIKE 'workforce serve%'")]  # a command's may be about to end
        self.assertLessEqual({f"workforce serve: {pool} (local)" for pool in ("watch", "writes", "reads", "keys", "keyring")},
                             set(names))
        self.assertTrue(all(name.startswith("workforce serve: ") for name in names), names)
        self.assertLessEqual(len(names), 24)
        self.assertEqual(admin("/nothing")[0], 404)
        self.assertEqual(rest.client_of(service).get("/metrics").status, 404, "metrics are the admin listener's")

    def metrics(self):
        status, text = admin("/metrics")
        self.assertEqual(status, 200)
        values, kinds = {}, {}
        for line in text.splitlines():
            if line.startswith("# TYPE "):
                _, _, name, kind = line.split(" ")
                self.assertNotIn(name, kinds)
                kinds[name] = kind
            elif not line.startswith("# HELP "):
                match = re.fullmatch(r'([a-z_:][a-z0-9_:]*(?:\{[a-z_]+="[^"\n]*"(?:,[a-z_]+="[^"\n]*")*\})?) (\S+)', line)
                self.assertTrue(match, line)
                self.assertNotIn(match[1], values)
                values[match[1]] = float(match[2])
                family = match[1].split("{")[0]
                self.assertTrue({family, re.sub("_(bucket|sum|count)$", "", family)} & set(kinds), line)
        return values, kinds

    def test_metrics(self):
        client = rest.client_of(service)
        self.check(client.post(STAFF, person()), 201)
        self.check(client.get(STAFF), 200)
        lags = [f"workforce_projection_lag_{unit}" for unit in ("events", "seconds")]
        support.wait_until(lambda: not any(map(self.metrics()[0].get, lags)), SECONDS, "nothing waits to be folded")
        before, kinds = self.metrics()
        self.assertEqual([before[name] for name in (*lags, "workforce_projections_stopped")], [0, 0, 0])
        self.check(client.send("GET", STAFF), 200)
        self.check(client.post(STAFF, person()), 201)
        self.check_refused(client.get("/api/nothing"), 404, "NOT_FOUND")
        after, _ = self.metrics()
        for name, more in (('workforce_http_requests_total{status="2xx"}', 2), ('workforce_http_requests_total{status="4xx"}', 1),
                           ("workforce_http_request_seconds_count", 3)):
            self.assertEqual(after[name] - before[name], more, name)
        self.assertEqual(kinds["workforce_http_request_seconds"], "histogram")
        for operation, more in (("staff.list", 1), ("staff.create", 1)):
            name = f'workforce_operation_seconds_count{{operation="{operation}"}}'
            self.assertEqual(after[name] - before[name], more, name)
        self.assertGreater(after["workforce_append_seconds_count"], before["workforce_append_seconds_count"])
        heads = [sum(value for name, value in values.items() if name.startswith("workforce_log_head{")) for values in (before, after)]
        self.assertEqual(heads[1] - heads[0], 1)

    def test_rebuild_says_what_it_did_and_what_it_needs(self):
        done = self.run_command("rebuild", "facility", "shift")
        self.assertRegex(done.stdout, r"^rebuilt facility, shift from \d+ events; readers waited [0-9.]+ ms at most\n$", done.stderr)
        for line in ("events, 100 %", "rebuild: making indexes", "rebuild: catching up"):
            self.assertIn(line, done.stderr)
        self.check_fails(self.run_command("rebuild"), "--all")
        self.check_fails(self.run_command("rebuild", "shift", "--outdated"), "--outdated")
        service.postgres.psql("UPDATE projection.checkpoint SET revision = revision - 1 WHERE projection = 'shift'")
        self.assertIn("rebuilt shift from", self.run_command("rebuild", "--outdated").stdout)
        self.assertIn("no read model", self.run_command("rebuild", "--outdated").stdout)
        self.check_fails(self.run_command("rebuild", "nonsense"), "nonsense")

    def test_sigterm_lets_a_request_in_flight_end(self):
        client = rest.client_of(service)
        self.check(client.get(STAFF), 200)
        holder = subprocess.Popen(["psql", "-XAtq", service.postgres.url], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        waiting = f"SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = '{support.STAFF_TABLE}'::regclass"
        held = f"SELECT count(*) FROM pg_locks WHERE granted AND mode = 'AccessExclusiveLock' AND relation = '{support.STAFF_TABLE}'::regclass"
        try:
            holder.stdin.write(f"BEGIN; LOCK TABLE {support.STAFF_TABLE} IN ACCESS EXCLUSIVE MODE;\n")
            holder.stdin.flush()
            support.wait_until(lambda: service.postgres.value(held) == "1", SECONDS, "the table is locked")
            with ThreadPoolExecutor(2) as pool:
                answer = pool.submit(client.get, STAFF)
                support.wait_until(lambda: service.postgres.value(waiting) == "1", SECONDS, "the request waits for the table")
                stopped = pool.submit(service.stop)
                support.wait_until(self.refuses_connections, SECONDS, "no new connection is taken")
                self.assertFalse(answer.done() or stopped.done())
                holder.stdin.write("ROLLBACK;\n")
                holder.stdin.flush()
                self.assertEqual(answer.result(SECONDS).status, 200)
                stopped.result(SECONDS)  # has checked that the exit code is 0
        finally:
            holder.stdin.close()
            holder.wait(SECONDS)
        service.start()

    def refuses_connections(self):
        address = urlsplit(service.demo["baseUrl"])
        try:
            socket.create_connection((address.hostname, address.port), timeout=5).close()
        except OSError:
            return True
        return False

    def test_a_database_that_dies_and_comes_back(self):
        client = rest.client_of(service)
        made = client.post(STAFF, person())
        self.check(made, 201)
        before = len(log_lines.lines(service))
        service.postgres.kill9()
        try:
            support.wait_until(lambda: admin("/readyz")[0] == 503, SECONDS, "not ready without the database")
            self.assertFalse(json.loads(admin("/readyz")[1])["checks"]["database"]["ok"])
            self.assertEqual(admin("/healthz")[0], 200)
            self.check(client.get("/openapi.json"), 200)
            refused = [client.get(STAFF) for _ in range(30)] + [client.get(made.headers["Location"])]
            for answer in refused:
                self.check_refused(answer, 503, "SERVICE_UNAVAILABLE")
            told = {line["request_id"]: line for line in map(json.loads, service.tail(100_000).splitlines())
                    if line.get("msg") == "a request was answered with 503"}
            for answer in refused:
                line = told[answer.headers["X-Request-Id"]]
                self.assertEqual((line["code"], line["reason"]), ("SERVICE_UNAVAILABLE", answer.body["error"]["message"]))
            refused = client.post(STAFF, person())
            self.assertIn(refused.code, ("SERVICE_UNAVAILABLE", "LOG_UNAVAILABLE"), str(refused))
            self.check_refused(refused, 503, refused.code)
            values, _ = self.metrics()
            self.assertEqual(values["workforce_database_reachable"], 0)
            self.assertGreaterEqual(values['workforce_unavailable_total{reason="database"}'], 31)
            self.check_fails(self.run_command("serve"), "database")
        finally:
            service.postgres.start()
        support.wait_until(service.ready, SECONDS, "ready again")
        self.assertEqual(self.check(client.get(made.headers["Location"]), 200), made.body)
        # Read models may have lost what was not flushed: until they have it again a write is to be retried.
        answers = []
        support.wait_until(lambda: answers.append(client.post(STAFF, person())) or answers[-1].status != 503, SECONDS, "writes again")
        again = answers[-1]
        self.check(again, 201)
        self.check(client.get(again.headers["Location"]), 200)
        support.verify_chain(support.log_records(service.postgres))
        support.wait_until(lambda: "PostgreSQL is reached again" in log_lines.messages(service, before), SECONDS, "its end is told")
        # One line of each, and none of pools, projections and jobs.
        self.assertEqual(log_lines.messages(service, before).count("PostgreSQL is reached again"), 1)
        self.assertEqual(log_lines.troubles(service, before), ["PostgreSQL can't be reached"])
        self.assertEqual(self.metrics()[0]["workforce_database_reachable"], 1)
        told = next(line for line in log_lines.lines(service)[before:] if line["msg"] == "PostgreSQL can't be reached")
        self.assertEqual(told["means"], "reads and writes are answered with 503 until it is back")
        self.assertIn("database", told["error"])
