# Several processes of the service on one database and one log: their life cycle, and who owns what.

import contextlib
import json
import shutil
import signal
import subprocess
import sys
import urllib.error
import urllib.request

import rest
import support


class Member(support.Service):
    """One process of a cluster: `api` or `workers`, on ports of its own."""

    def __init__(self, installation, role, name, env):  # pylint: disable=super-init-not-called
        self.role = role
        self.name = name
        self.postgres, self.kafka, self.topic = installation.postgres, installation.kafka, installation.topic
        self.directory = installation.directory / name
        self.directory.mkdir()
        self.demo = installation.demo
        self._log = self.directory / "log"
        self._process = None
        port = support.free_port()
        self._admin_port = support.free_port()
        self.url = f"http://127.0.0.1:{port}"
        self.admin_url = f"http://127.0.0.1:{self._admin_port}"
        mcp_port = support.free_port()
        self.mcp_url = f"http://127.0.0.1:{mcp_port}"
        self.env = installation.env | {"WORKFORCE_PORT": str(port), "WORKFORCE_MCP_PORT": str(mcp_port),
                                       "WORKFORCE_ADMIN_PORT": str(self._admin_port)} | env

    @property
    def exit_code(self):
        """How the process ended by itself or was killed; None while it runs."""
        return self._process.poll() if self._process else None

    def client(self, key="live"):
        """A client of this process with a key of the demo, or with the token given."""
        return rest.Client(self.url, self.demo["keys"].get(key, key))

    def readiness(self):
        """Status and checks of /readyz."""
        try:
            with urllib.request.urlopen(f"{self.admin_url}/readyz", timeout=30) as answer:
                return answer.status, json.load(answer)["checks"]
        except urllib.error.HTTPError as refused:
            return refused.code, json.load(refused)["checks"]

    def checks(self):
        """The checks of /statusz."""
        return self.standing()["checks"]

    def terminate(self):
        """Asks the process to end (SIGTERM)."""
        self._process.terminate()

    def stops(self):
        """Whether the process says that it is about to end, or has ended."""
        try:
            return not self.is_ready()
        except OSError:
            return True

    def ended(self):
        """Waits until the process has ended by itself, and returns its exit code."""
        process, self._process = self._process, None
        try:
            return process.wait(support.READY_SECONDS)
        except subprocess.TimeoutExpired:
            self._process = process
            raise

    def pause(self):
        """Stops the process where it is (SIGSTOP)."""
        self._process.send_signal(signal.SIGSTOP)

    def go_on(self):
        """Lets a paused process go on (SIGCONT)."""
        self._process.send_signal(signal.SIGCONT)

    def close(self):
        """Kills the process where it runs; its files are the cluster's."""
        if self._process is not None:
            self.kill9()


class Cluster:
    """An installation with as many processes as a test starts. A context manager: what runs at its end is killed. The
    log is in Postgres, or in a topic of its own of `kafka`."""

    def __init__(self, postgres, kafka=None, partitions=4):
        self._installation = support.Service(postgres, kafka)
        self._installation.env["WORKFORCE_PARTITIONS"] = str(partitions)
        self.postgres = postgres
        self.members = []
        self._seed_is_folded = False

    def __enter__(self):
        try:
            self._installation.install()
        except BaseException:
            self.__exit__(*sys.exc_info())
            raise
        return self

    def __exit__(self, *_):
        for member in self.members:
            member.close()
        self._installation.close()

    @property
    def demo(self):
        return self._installation.demo

    @property
    def topic(self):
        return self._installation.topic

    @property
    def running(self):
        """Whether a process runs that folds events."""
        return any(member.running and member.role != "api" for member in self.members)

    def log_records(self):
        return self._installation.log_records()

    def heads(self):
        return self._installation.heads()

    def wait_projected(self):
        self._installation.wait_projected()

    def command(self, *arguments):
        """Runs a subcommand of the binary to its end and returns its output."""
        return self._installation.command(*arguments)

    def launch(self, role, **env):
        """Starts one more process, with these variables besides, and returns it, which may not be ready yet."""
        member = Member(self._installation, role, f"{role}-{len(self.members) + 1}", env)
        self.members.append(member)
        member.launch()
        return member

    def start(self, *roles, **env):
        """Starts processes of these roles, with such variables, and returns them once all are ready, and the demo's events are
        folded where any process folds."""
        started = [self.launch(role, **env) for role in roles]
        for member in started:
            support.wait_until(member.ready, support.READY_SECONDS, f"{member.name} is ready")
        if self.running and not self._seed_is_folded:
            self.wait_projected()  # the command line finds users by their rows, and requests their keys
            self._seed_is_folded = True
        return started

    def forget(self):
        """Kills all that run, as if they had never been there: nobody waits for what they held."""
        for member in self.members:
            member.close()
            shutil.rmtree(member.directory)
        self.members.clear()
        sessions = "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'workforce %'"
        support.wait_until(lambda: self.postgres.value(sessions) == "0", support.READY_SECONDS, "their sessions end")
        self.postgres.psql("DELETE FROM ops.process; DELETE FROM ops.lease")

    def stop_all(self):
        """Ends all that run in good order."""
        for member in self.members:
            if member.running:
                member.stop()

    def status(self):
        """What `workforce status --json` says: its exit code and its JSON."""
        done = subprocess.run([str(support.binary()), "status", "--json"], env=self._installation.env, text=True,
                              capture_output=True, timeout=support.COMMAND_SECONDS, check=False)
        if not done.stdout:
            raise AssertionError(f"status says nothing: {done}")
        return done.returncode, json.loads(done.stdout)

    def owned(self, member, kind="writer"):
        """The partitions that the member holds the leases of."""
        url = member.admin_url
        owners = {each["adminUrl"]: each["owner"] for each in self.status()[1]["processes"]}
        return [each["partition"] for each in self.status()[1]["partitions"] if each[kind] == owners.get(url, "-")]

    def wait_status(self, condition, what, seconds=support.READY_SECONDS):
        """Waits until the status fulfils the condition, and returns it."""
        return support.wait_until(lambda: (lambda now: now if condition(now) else None)(self.status()[1]), seconds, what)

    def print_tails(self):
        for member in self.members:
            with contextlib.suppress(OSError):
                member.print_tail()
