# What the suites of backups share: a service, databases to restore into, and services on these.

import hashlib
import json
import secrets
import subprocess
import tempfile
import unittest
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import rest
import support
import zstd

service = None
directory = None

# How a restore is told that its backup knows all that has ended.
NOTHING_ENDED = ("--no-later-erasures", "--no-later-revocations")


def start(settings=None):
    """For setUpModule: a service with the demo customer that exports tombstones, and a directory. Returns both."""
    global service, directory
    directory = Path(unittest.enterModuleContext(tempfile.TemporaryDirectory()))
    postgres = unittest.enterModuleContext(support.Postgres())
    environment = {"WORKFORCE_TOMBSTONES_FILE": str(directory / "tombstones")} | (settings or {})
    service = unittest.enterModuleContext(support.Service(postgres, environment=environment))
    return service, directory


class Database(support.SqlClient):
    """Another database of the same cluster, for support's queries and for the binary: migrated, as a copy of the one of which this
    is done."""

    MIGRATED = "migrated"

    def __init__(self, name=None):
        self.name = name or "restored_" + secrets.token_hex(4)
        if not name and service.postgres.value(f"SELECT count(*) FROM pg_database WHERE datname = '{self.MIGRATED}'") == "0":
            Database(self.MIGRATED).run("migrate", check=True)
        service.postgres.psql(f"CREATE DATABASE {self.name}" + ("" if name else f" TEMPLATE {self.MIGRATED} STRATEGY FILE_COPY"))
        super().__init__(urlunsplit(urlsplit(service.postgres.url)._replace(path=f"/{self.name}")))
        ports = {f"WORKFORCE_{name}": str(support.free_port()) for name in ("PORT", "MCP_PORT", "ADMIN_PORT")}
        self.env = service.env | ports | {"WORKFORCE_DATABASE_URL": self.url,
                                          "WORKFORCE_TOMBSTONES_FILE": str(directory / f"{self.name}.tombstones")}

    def run(self, *arguments, check=False, **env):
        done = subprocess.run([str(support.binary()), *map(str, arguments)], env=self.env | env, capture_output=True,
                              text=True, timeout=support.COMMAND_SECONDS, check=False)
        if check and done.returncode != 0:
            raise AssertionError(f"{arguments} ended with {done.returncode}\n{done.stdout}{done.stderr}")
        return done

    def drop(self):
        service.postgres.psql(f"DROP DATABASE {self.name} WITH (FORCE)")


class Restored(support.Service):
    """The service on a restored database."""

    def __init__(self, database):
        super().__init__(service.postgres)
        self.postgres = database
        self.env = database.env
        self._admin_port = int(database.env["WORKFORCE_ADMIN_PORT"])
        self.demo = service.demo | {"baseUrl": f"http://127.0.0.1:{database.env['WORKFORCE_PORT']}"}

    def __enter__(self):
        self.start()
        self.wait_projected()
        return self


def rows_of(keys, table):
    """The rows of a table's file beside the keys."""
    text = zstd.decompress((keys / f"{table}.ndjson.zst").read_bytes()).decode()
    return [json.loads(line) for line in text.splitlines()]


def write_rows(keys, table, rows):
    """Other rows for it, as if a backup had found these."""
    lines = [json.dumps(row, separators=(",", ":")) for row in rows]
    (keys / f"{table}.ndjson.zst").write_bytes(zstd.compress("".join(line + "\n" for line in lines).encode()))
    digest = ""
    for line in lines:
        digest = hashlib.sha256((digest + line).encode()).hexdigest()
    manifest = json.loads((keys / "keys.json").read_text(encoding="utf-8"))
    for described in [manifest["table"], *manifest.get("readModels", []), *manifest.get("tables", [])]:
        if described["name"] == table:
            described |= {"rows": len(rows), "digest": digest}
    (keys / "keys.json").write_text(json.dumps(manifest), encoding="utf-8")


class BackupCase(rest.RestCase):
    def setUp(self):
        self.path = directory / secrets.token_hex(4)

    def backup(self, *options):
        service.command("backup", self.path, *options)
        return self.path

    def database(self):
        database = Database()
        self.addCleanup(database.drop)
        return database

    def restored(self, path, *options):
        database = self.database()
        told = () if {"--tombstones", "--no-later-erasures"} & set(options) else NOTHING_ENDED
        database.run("restore", path, *options, *told, check=True)
        return database

    def served(self, database):
        return self.enterContext(Restored(database))

    def check_fails(self, done, *words):
        self.assertIn(done.returncode, (1, 2))
        self.assertEqual(done.stderr.count("workforce: "), 1, done.stdout + done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)

    def person(self, name, client=None):
        body = {"firstName": name, "lastName": "Backup", "email": f"{name.lower()}@backup.example"}
        return self.check((client or rest.client_of(service)).post("/api/staff", body, headers={"Idempotency-Key": name}), 201)
