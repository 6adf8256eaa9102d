# compose.yaml as it runs: its services in containers of a project of its own, at ports that are free.

import atexit
import json
import os
import re
import secrets
import shutil
import subprocess
import tempfile
import unittest
import urllib.error
import urllib.request
from pathlib import Path

import yaml

import support

ROOT = support.PROJECT_ROOT
IMAGE = "workforce:test"  # stays, so that the next run compiles nothing where nothing changed
BUILD_SECONDS = 3600
START_SECONDS = 600
STOP_SECONDS = 40  # more than any service's stop_grace_period
CERTIFICATE = "secrets/proxy.pem"
FIXED_NETWORK = "172.31.254."
ONE_SHOT = "on-failure"  # what `restart` says of services that have to end


class Absent(Exception):
    """What this machine lacks for containers, in words for whoever reads that tests were skipped."""


def docker(*words, seconds=support.COMMAND_SECONDS):
    """Runs docker; its output, or AssertionError with what it said."""
    return support.run(["docker", *words], seconds=seconds)


def compose_command():
    """The words that begin a command of Docker Compose, by its plug-in or by itself; raises Absent without either."""
    for words in (["docker", "compose"], ["docker-compose"]):
        if shutil.which(words[0]) and subprocess.run([*words, "version"], capture_output=True, check=False).returncode == 0:
            return words
    raise Absent("neither `docker compose` nor docker-compose is installed")


def require_engine():
    """Raises Absent unless an engine answers."""
    if not shutil.which("docker"):
        raise Absent("docker is not installed")
    asked = subprocess.run(["docker", "version", "--format", "{{.Server.Version}}"], capture_output=True, text=True, check=False)
    if asked.returncode != 0:
        raise Absent(f"no docker engine answers: {asked.stderr.strip().splitlines()[-1]}")


def require_image(name):
    """Returns once the engine has the image; raises Absent when it can't be pulled either."""
    if subprocess.run(["docker", "image", "inspect", name], capture_output=True, check=False).returncode == 0:
        return
    pulled = subprocess.run(["docker", "pull", "--quiet", name], capture_output=True, text=True, timeout=BUILD_SECONDS, check=False)
    if pulled.returncode != 0:
        raise Absent(f"the image {name} is not there and can't be pulled: {pulled.stderr.strip().splitlines()[-1]}")


def build_image():
    """Builds the Dockerfile as IMAGE. With WORKFORCE_COMPOSE_BINARY set it compiles nothing: the program under test comes onto the
    Dockerfile's runtime, which is for whoever works on this test."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    for name in set(re.findall(r"^FROM (\S+:\S+)", text, re.MULTILINE)):
        require_image(name)
    # The host's network, for an engine's own may have no way out.
    build = ["build", "--quiet", "--network", "host"]
    if "WORKFORCE_COMPOSE_BINARY" not in os.environ:
        docker(*build, "--tag", IMAGE, ROOT, seconds=BUILD_SECONDS)
        return
    docker(*build, "--target", "runtime", "--tag", f"{IMAGE}-runtime", ROOT, seconds=BUILD_SECONDS)
    with tempfile.TemporaryDirectory() as scratch:
        support.run(["strip", "-o", f"{scratch}/workforce", support.binary()])
        Path(scratch, "Dockerfile").write_text(f"FROM {IMAGE}-runtime\nCOPY workforce /usr/local/bin/workforce\n", encoding="ascii")
        docker(*build, "--tag", IMAGE, scratch)


class Dumper(yaml.SafeDumper):
    """Writes what is shared once for each place."""

    def ignore_aliases(self, data):
        return True


class Stack:
    """All services of compose.yaml. A context manager: up and healthy when it is entered, gone with its data afterwards.

    `demo`: what seed wrote for developers, with the address of the front. `addresses`: where on this machine a published port is,
    by service and port within the container."""

    def __init__(self):
        self._compose = compose_command()
        self.directory = Path(tempfile.mkdtemp(prefix="workforce-compose-"))
        self.directory.chmod(0o755)
        self._project = f"workforce-test-{secrets.token_hex(4)}"
        self.services, self.addresses, self.demo = {}, {}, {}

    def __enter__(self):
        atexit.register(self.close)
        try:
            self._write()
            build_image()
            self.compose("up", "--detach", "--no-build", seconds=START_SECONDS)
            self.wait_healthy()
            self.demo = json.loads((self.directory / "secrets/dev.json").read_text(encoding="utf-8"))
            os.environ["SSL_CERT_FILE"] = str(self.directory / CERTIFICATE)  # for all clients of this process
        except BaseException as problem:
            if not isinstance(problem, Absent):
                self.print_tail()
            self.close()
            raise
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Removes containers, networks, volumes, and the secrets."""
        atexit.unregister(self.close)
        if (self.directory / "compose.yaml").exists():
            self.compose("down", "--volumes", "--timeout", "5", seconds=START_SECONDS)
        shutil.rmtree(self.directory, ignore_errors=True)

    def _write(self):
        """What a checkout has for Compose, in a directory of its own: compose.yaml with free ports and IMAGE, deploy/, secrets."""
        text = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
        self.services = text["services"]
        moved = {}  # published ports
        for name, service in self.services.items():
            for at, mapping in enumerate(service.get("ports", [])):
                outside, _, inside = mapping.rpartition(":")
                moved[outside.rpartition(":")[2]] = port = support.free_port()
                self.addresses[name, int(inside)] = f"127.0.0.1:{port}"
                service["ports"][at] = f"127.0.0.1:{port}:{inside}"
            if service.pop("build", None):
                service["image"] = IMAGE
        for service in self.services.values():
            if service["image"] != IMAGE:
                require_image(service["image"])
            for key, value in service.get("environment", {}).items():
                for old, new in moved.items():
                    value = re.sub(rf"(//127\.0\.0\.1|//localhost):{old}\b", rf"\1:{new}", value)
                service["environment"][key] = value
        written = yaml.dump({key: value for key, value in text.items() if not key.startswith("x-")}, Dumper=Dumper)
        # A fixed network would be that of a stack that runs beside.
        written = written.replace(FIXED_NETWORK, f"172.31.{secrets.randbelow(250)}.")
        (self.directory / "compose.yaml").write_text(written, encoding="utf-8")
        shutil.copytree(ROOT / "deploy", self.directory / "deploy")
        support.run([ROOT / "scripts/secrets", self.directory])

    def compose(self, *words, seconds=support.COMMAND_SECONDS):
        """Runs a command of Compose on this project; its output, or AssertionError with what it said."""
        done = subprocess.run([*self._compose, "--project-name", self._project, *words], cwd=self.directory, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=seconds, check=False)
        if done.returncode != 0:
            raise AssertionError(f"compose {words[0]} ended with {done.returncode}\n{done.stdout[-4000:]}")
        return done.stdout

    def print_tail(self):
        """Prints how each container stands and what it said last."""
        for service, container in sorted(self.containers().items()):
            print(f"---- {service}: {json.dumps(container['State'])}")
            print(subprocess.run(["docker", "logs", "--tail", "15", container["Id"]], stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, text=True, check=False).stdout, flush=True)

    # ---- containers ----

    def containers(self):
        """What the engine says of each container, by service."""
        ids = docker("ps", "--all", "--quiet", "--filter", f"label=com.docker.compose.project={self._project}").split()
        found = json.loads(docker("inspect", *ids)) if ids else []
        return {each["Config"]["Labels"]["com.docker.compose.service"]: each for each in found}

    def processes(self, subcommand):
        """Names of the services that run this subcommand of the program."""
        return [name for name, service in self.services.items() if service["image"] == IMAGE and service["command"][0] == subcommand]

    def unhealthy(self):
        """Services that do not stand as they should, and how: those with an end have to have ended well, others to be healthy."""
        containers, found = self.containers(), {}
        for name, service in self.services.items():
            state = containers[name]["State"] if name in containers else {"Status": "absent"}
            now = (state["Status"], state.get("ExitCode")) if service["restart"] == ONE_SHOT else \
                (state["Status"], state.get("Health", {}).get("Status", "healthy"))
            if now != (("exited", 0) if service["restart"] == ONE_SHOT else ("running", "healthy")):
                found[name] = now
        return found

    def wait_healthy(self):
        """Returns once all services stand as they should; AssertionError with those that never do."""
        last = {}

        def whole():
            nonlocal last
            last = self.unhealthy()
            return not last
        try:
            support.wait_until(whole, START_SECONDS, "all services are healthy")
        except AssertionError as late:
            raise AssertionError(f"{late}; but {last}") from None

    def kill(self, service):
        """SIGKILL to all that runs in the service's container, which does not start again by itself then."""
        docker("kill", self.containers()[service]["Id"])

    def stop(self, service):
        """SIGTERM; returns the code that the service ended with once it has."""
        container = self.containers()[service]["Id"]
        docker("stop", "-t", str(STOP_SECONDS), container)
        return json.loads(docker("inspect", container))[0]["State"]["ExitCode"]

    def start(self, service):
        docker("start", self.containers()[service]["Id"])

    def execute(self, service, *command):
        """Runs a command in the service's container; its output."""
        return docker("exec", self.containers()[service]["Id"], *command)

    # ---- requests ----

    def ask(self, url, key=None):
        """Status, headers and JSON of a GET; status 0 where nobody answers."""
        request = urllib.request.Request(url, headers={"Authorization": f"Bearer {key}"} if key else {})
        try:
            with urllib.request.urlopen(request, timeout=support.READY_SECONDS) as answer:
                return answer.status, answer.headers, json.load(answer)
        except urllib.error.HTTPError as refused:
            return refused.code, refused.headers, json.load(refused)
        except (urllib.error.URLError, OSError):
            return 0, {}, {}

    def wait_projected(self):
        """Returns once a read has all that the demo's live key wrote before."""
        url, key = f"{self.demo['baseUrl']}/api/shifts?limit=1", self.demo["keys"]["live"]

        def fresh():
            status, headers, _ = self.ask(url, key)
            return status == 200 and "Service-Stale" not in headers
        support.wait_until(fresh, START_SECONDS, "reads are no longer stale")


def start(case):
    """For setUpClass and setUpModule: a Stack, entered by `case`; raises SkipTest with what this machine lacks."""
    if not support.LONG:
        raise unittest.SkipTest("takes minutes: ./test --long runs it")
    try:
        require_engine()
        return case(Stack())
    except Absent as lack:
        print(f"summary: compose.yaml was not started: {lack}", flush=True)
        raise unittest.SkipTest(str(lack)) from lack
