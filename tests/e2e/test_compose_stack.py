# compose.yaml, started: everything gets healthy, Prometheus sees it, and no acknowledged write is lost while containers are
# killed and `api` processes are replaced one by one behind a proxy. `./test --long compose`; skipped where there is no engine.

import itertools
import secrets
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

import pytest
import yaml

import containers
import support
import test_roster
from roster.client import Client

pytestmark = pytest.mark.timeout(2 * containers.BUILD_SECONDS)  # the image is compiled in the first test's time

LOAD_SECONDS = 1800
FRONT = ("proxy", 8443)  # the service of compose.yaml that clients go through, and its port
RULES = yaml.safe_load((support.PROJECT_ROOT / "deploy/prometheus.yml").read_text(encoding="utf-8")).get("rule_files")
stack = None
front = None  # where clients reach the service, whichever `api` process runs


def setUpModule():
    global stack, front
    stack = containers.start(unittest.enterModuleContext)
    front = f"https://{stack.addresses[FRONT]}"
    stack.demo["baseUrl"] = front


def client_of(case):
    """A client of the front, closed with the case's class."""
    client = Client(front, stack.demo["keys"]["live"], time.monotonic() + LOAD_SECONDS)
    case.addClassCleanup(client.close)
    return client


class StackTest(unittest.TestCase):
    def test_all_services_are_healthy_at_the_first_go(self):
        now = stack.containers()
        self.assertEqual(set(now), set(stack.services))
        self.assertEqual({name for name, each in now.items() if each["RestartCount"]}, set())
        self.assertEqual(stack.unhealthy(), {})

    def test_the_service_runs_as_nobody_of_importance(self):
        for name in stack.processes("api") + stack.processes("workers"):
            user = stack.execute(name, "id", "-u").strip()
            self.assertNotEqual(user, "0", name)
            with self.assertRaises(AssertionError, msg="its files can't be changed"):
                stack.execute(name, "touch", "/usr/local/bin/workforce")

    def test_the_demo_answers_at_the_front_and_at_each_process(self):
        key = stack.demo["keys"]["live"]
        for url in [front, *(f"http://{stack.addresses[name, 8080]}" for name in stack.processes("api"))]:
            status, _, body = stack.ask(f"{url}/api/auth/me", key)
            self.assertEqual((status, body["organization"]["id"]), (200, stack.demo["organizationId"]), url)
            self.assertEqual(stack.ask(f"{url}/api/auth/me")[0], 401)

    def prometheus(self, what):
        status, _, body = stack.ask(f"http://{stack.addresses['prometheus', 9090]}/api/v1/{what}")
        self.assertEqual((status, body["status"]), (200, "success"))
        return body["data"]

    def targets(self):
        """Whether Prometheus reaches each process: "up" or "down", by the process's address."""
        return {target["labels"]["instance"]: target["health"] for target in self.prometheus("targets")["activeTargets"]}

    def rules(self):
        return [rule for group in self.prometheus("rules")["groups"] for rule in group["rules"]]

    def alerts(self, instance):
        """Names of alerts about a process, which may still be waiting for their time."""
        return {alert["labels"]["alertname"] for alert in self.prometheus("alerts")["alerts"] if alert["labels"].get("instance") == instance}

    def test_prometheus_reads_every_process(self):
        support.wait_until(lambda: set(self.targets().values()) == {"up"}, containers.START_SECONDS, "all targets are up")
        read = {instance.partition(":")[0] for instance in self.targets()}
        self.assertLessEqual(set(stack.processes("api") + stack.processes("workers")), read)

    def test_prometheus_evaluates_its_rules(self):
        if not RULES:
            self.skipTest("deploy/prometheus.yml names no rules")
        self.assertTrue(self.rules(), "rules are configured, and none is loaded")
        support.wait_until(lambda: all(rule["health"] != "unknown" for rule in self.rules()), containers.START_SECONDS,
                           "rules are evaluated")
        self.assertEqual({rule["name"]: rule.get("lastError") for rule in self.rules() if rule["health"] != "ok"}, {})
        firing = sorted(rule["name"] for rule in self.rules() if rule.get("state") == "firing")
        print(f"summary: {len(self.rules())} rules of Prometheus are evaluated; firing: {', '.join(firing) or 'none'}")

    def test_prometheus_notices_a_process_that_is_away(self):
        name = stack.processes("workers")[-1]
        instance = f"{name}:8090"
        stack.kill(name)
        support.wait_until(lambda: self.targets()[instance] == "down", containers.START_SECONDS, "the target is down")
        told = support.wait_until(lambda: self.alerts(instance), containers.START_SECONDS, "an alert is about it") if RULES else set()
        stack.start(name)
        stack.wait_healthy()
        support.wait_until(lambda: self.targets()[instance] == "up" and not told & self.alerts(instance), containers.START_SECONDS,
                           f"the target is up, and {told} is over")


class ReleaseTest(unittest.TestCase):
    """Processes are replaced one after the other, as a release does, while clients write through the front."""

    WRITERS = 2
    PAUSE_SECONDS = 0.05  # after each write

    def setUp(self):
        self.client = client_of(self)
        self.made, self.over = {}, threading.Event()  # made: ids that were acknowledged, by address

    def write(self, run):
        """Makes people until it is over."""
        for number in itertools.count():
            if self.over.wait(self.PAUSE_SECONDS):
                return
            email = f"{run}.{number}@release.example.test"
            person = {"firstName": "Rolled", "lastName": "Over", "email": email}
            self.made[email] = self.client.expect("POST", "/api/staff", person, idempotency_key=email)["id"]

    def replace(self, name):
        """Ends a process in order and starts it again; returns once it is healthy, and clients have written since."""
        self.assertEqual(stack.stop(name), 0, f"{name} ended in order")
        stack.start(name)
        stack.wait_healthy()
        so_far = len(self.made)
        support.wait_until(lambda: len(self.made) > so_far, containers.START_SECONDS, f"writes go on after {name}")

    def test_no_write_is_lost(self):
        with ThreadPoolExecutor(self.WRITERS) as pool:
            writers = [pool.submit(self.write, secrets.token_hex(6)) for _ in range(self.WRITERS)]
            try:
                for name in stack.processes("api") + stack.processes("workers"):
                    self.replace(name)
                    print(f"summary: containers: after {name} was replaced: {len(self.made)} writes acknowledged, "
                          f"retries: {dict(self.client.statistics.retries)}")
            finally:
                self.over.set()
        for writer in writers:
            writer.result()
        stack.wait_projected()
        there = [(person["email"], person["id"]) for person in self.client.items("/api/staff") if person["email"] in self.made]
        self.assertEqual(sorted(there), sorted(self.made.items()))


class KillTest(test_roster.KillTest):
    """Containers are killed, and started again, while a roster is being played."""

    ROSTER = "n030w2"
    FELT = False  # what is behind a proxy may go without a client's notice
    KILLS = ((0.02, "workers-1"), (0.15, "kafka-2"), (0.3, "api-1"), (0.45, "postgres"), (0.6, "kafka-1"), (0.7, "workers-2"),
             (0.85, "api-2"))

    @classmethod
    def setUpClass(cls):
        cls.service = stack

    def client(self):
        return client_of(self)

    def kill(self, victim, _marks):
        stack.kill(victim)
        stack.start(victim)
        stack.wait_healthy()
        print(f"{victim} was killed and is there again", flush=True)

    def check_log(self):
        print(stack.execute(stack.processes("api")[0], "workforce", "replay", "--verify"))

    def check(self, plan, ledger):
        super().check(plan, ledger)
        counts = ledger.counts()
        print(f"summary: containers: {counts['shifts']} shifts and {counts['assignments']} assignments acknowledged under "
              f"{len(self.KILLS)} kills, all there once")


if __name__ == "__main__":
    unittest.main()
