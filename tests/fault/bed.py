# What harm is done to: the service as processes, its servers, and what is broken of them now.

import ctypes
import http.client
import os
import shutil
import subprocess
import tempfile
import time
from collections import Counter
from pathlib import Path

import cluster
import proxy
import support

SEVERAL, ALONE = ("api", "api", "workers", "workers"), ("serve",)
DISK_BYTES = 640 << 20
_NEW_MOUNTS = 0x00020000  # CLONE_NEWNS


def say(what):
    """A line of the story of a run, with the time of day as the service's own lines have it."""
    print(f"{time.strftime('%H:%M:%S', time.gmtime())} {what}", flush=True)


def _readiness(member):
    """Whether the process sees all well, and the checks of /statusz; or the reason where nobody answers."""
    try:
        checks = member.checks()
        return support.is_whole(member.role, checks), checks
    except (OSError, ValueError, http.client.HTTPException) as error:
        return False, repr(error)


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
            self.cluster.wait_projected()
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
            env |= {"WORKFORCE_MEMORY_BYTES": "0", "WORKFORCE_CREDENTIAL_BYTES": "0"}
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
            return [member for member in self.members if not _readiness(member)[0]]
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

    def owner(self):
        """The name of the process that writes the customer's partition; None while nobody does or nothing can be asked."""
        try:
            found = self.postgres.psql("SELECT admin_url FROM ops.lease WHERE kind = 'writer' AND expires_at > now() "
                                       f"AND partition = {self.partition}")
        except AssertionError:
            return None
        return next((member.name for member in self.members if found == [(member.admin_url,)]), None)

    def take(self, targets):
        """One of the targets (by name) that nothing has harmed yet, or None; nothing else harms it until it is well."""
        free = [target for target in targets if target not in self.busy]
        if not free:
            return None
        chosen = self.dice.choice(free)
        self.busy.add(chosen)
        return chosen

    def take_member(self, names=None):
        """A process, one of those names where any are given."""
        name = self.take([member.name for member in self.members if names is None or member.name in names])
        return next((member for member in self.members if member.name == name), None)

    def take_role(self, role):
        return self.take_member([member.name for member in self.members if member.role == role])

    def take_owner(self):
        return None if "postgres" in self.busy else self.take_member([self.owner()])
