# compose.yaml, started: everything gets healthy, Prometheus sees it, and no acknowledged write is lost while containers are
# killed and `api` processes are replaced one by one behind a proxy. `./test --long compose`; skipped where there is no engine.

import time
import unittest

import pytest

import containers
import support
import test_roster
from roster.client import Client

pytestmark = pytest.mark.timeout(2 * containers.BUILD_SECONDS)  # the image is compiled in the first test's time

LOAD_SECONDS = 1800
stack = None
front = None  # where clients reach the service, whichever `api` process runs


def setUpModule():
    global stack, front
    stack = containers.start(unittest.enterModuleContext)
    front = unittest.enterModuleContext(containers.Balancer([stack.addresses[name, 8080] for name in stack.processes("api")])).url
    stack.demo["baseUrl"] = front


class StackTest(unittest.TestCase):
    def test_all_services_are_healthy_at_the_first_go(self):
        containers_now = stack.containers()
        self.assertEqual(set(containers_now), set(stack.services))
        self.assertEqual({name for name, each in containers_now.items() if each["RestartCount"]}, set())
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

    def test_prometheus_reads_every_process(self):
        def targets():
            return {target["labels"]["instance"]: target["health"] for target in self.prometheus("targets")["activeTargets"]}
        support.wait_until(lambda: set(targets().values()) == {"up"}, containers.START_SECONDS, "all targets are up")
        read = {instance.partition(":")[0] for instance in targets()}
        self.assertLessEqual(set(stack.processes("api") + stack.processes("workers")), read)

    def test_prometheus_evaluates_its_rules(self):
        configured = containers.yaml.safe_load((stack.directory / "deploy/prometheus.yml").read_text(encoding="utf-8")).get("rule_files", [])
        if not configured:
            self.skipTest("deploy/prometheus.yml names no rules")

        def rules():
            return [rule for group in self.prometheus("rules")["groups"] for rule in group["rules"]]
        self.assertTrue(rules(), "rules are configured, and none is loaded")
        support.wait_until(lambda: all(rule["health"] != "unknown" for rule in rules()), containers.START_SECONDS, "rules are evaluated")
        self.assertEqual({rule["name"]: rule.get("lastError") for rule in rules() if rule["health"] != "ok"}, {})
        firing = sorted(rule["name"] for rule in rules() if rule.get("state") == "firing")
        print(f"summary: {len(rules())} rules of Prometheus are evaluated; firing: {', '.join(firing) or 'none'}")


class ContainersTest(test_roster.KillTest):
    """Containers are killed while a roster is being played, and processes replaced as a release replaces them."""

    ROSTER = "n030w2"
    FELT = False  # what is behind a proxy may go without a client's notice
    ROLL = "roll"  # every `api` process in turn: asked to stop, and started again
    KILLS = ((0.02, "workers-1"), (0.1, "kafka-2"), (0.2, ROLL), (0.35, "api-1"), (0.5, "postgres"), (0.65, "kafka-1"),
             (0.75, "workers-2"), (0.85, "api-2"))

    @classmethod
    def setUpClass(cls):
        cls.service = stack

    def client(self):
        client = Client(front, stack.demo["keys"]["live"], time.monotonic() + LOAD_SECONDS)
        self.addClassCleanup(client.close)
        return client

    def kill(self, victim, _marks):
        for name in stack.processes("api") if victim == self.ROLL else [victim]:
            if victim == self.ROLL:
                self.assertEqual(stack.stop(name), 0, f"{name} ends in order")
            else:
                stack.kill(name)
            stack.start(name)
            stack.wait_healthy()
            print(f"{name} is there again", flush=True)

    def check_log(self):
        print(stack.execute(stack.processes("api")[0], "workforce", "replay", "--verify"))

    def play(self, player, marks, failures):
        began = time.monotonic()
        super().play(player, marks, failures)
        counts, wire = player.ledger.counts(), player._client.statistics
        print(f"summary: containers: {counts['shifts']} shifts and {counts['assignments']} assignments acknowledged in "
              f"{time.monotonic() - began:.0f} s under {len(self.KILLS)} harms; retries: {dict(wire.retries)}, replays: {wire.replays}")


if __name__ == "__main__":
    unittest.main()
