# compose.yaml and the Dockerfile, read and checked against the program: no container engine is needed.

import json
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest
import urllib.error
import urllib.request
from pathlib import Path
from xml.etree import ElementTree

import yaml

import support

ROOT = support.PROJECT_ROOT
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
SERVICES = COMPOSE["services"]
OURS = {name: service for name, service in SERVICES.items() if "build" in service}
HEALTH_PATHS = {"/healthz", "/readyz"}
# Has a version: neither no tag nor one that moves.
PINNED = re.compile(r"[a-z0-9./-]+:v?\d+\.\d+[\w.-]*")


def instructions():
    """The Dockerfile's instructions as (word, rest), lines put together, comments left out."""
    text = re.sub(r"^\s*#.*\n", "", (ROOT / "Dockerfile").read_text(encoding="utf-8"), flags=re.MULTILINE)
    return [tuple(line.split(None, 1)) for line in text.replace("\\\n", " ").splitlines() if line.strip()]


def stages():
    """The Dockerfile's instructions, a list for each stage by its name; the last stage is "image"."""
    found = {}
    for word, rest in instructions():
        if word == "FROM":
            name = rest.partition(" AS ")[2] or "image"
            found[name] = []
        found[name].append((word, rest))
    return found


def runtime():
    """Instructions of the stage that the image is but for the program."""
    found = stages()
    assert found["image"][0] == ("FROM", "runtime") and [word for word, _ in found["image"]] == ["FROM", "COPY"], found["image"]
    return found["runtime"]


def dockerfile_environment():
    """What ENV sets in the image."""
    return dict(pair.split("=", 1) for word, rest in runtime() if word == "ENV" for pair in shlex.split(rest))


def help_of(*subcommand):
    return support.run([support.binary(), *subcommand, "--help"])


def configuration(environment):
    """What the program makes of these variables, by key; AssertionError with its words when it refuses them."""
    text = support.run([support.binary(), "config"], env={"PATH": "/usr/bin:/bin", "WORKFORCE_CONFIG": ""} | environment)
    return dict(re.findall(r"^(\w+) = (.*?)  # ", text, re.MULTILINE))


def environment_of(service):
    """A service's environment in its container."""
    return dockerfile_environment() | service.get("environment", {})


def scratch_checkout(case, *names):
    """A directory with copies of these files of the checkout."""
    scratch = Path(case.enterContext(tempfile.TemporaryDirectory()))
    for name in names:
        (scratch / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, scratch / name)
    return scratch


class ComposeTest(unittest.TestCase):
    def test_images_are_pinned(self):
        images = [service["image"] for service in SERVICES.values() if "build" not in service]
        images += [rest.split()[0] for word, rest in instructions() if word == "FROM" and rest not in stages()]
        for image in images:
            self.assertRegex(image, re.compile(f"^{PINNED.pattern}$"))

    def test_kafka_is_the_version_that_the_tests_run(self):
        pom = ElementTree.parse(ROOT / "scripts/kafka.d/pom.xml").getroot()
        version = pom.find("{*}properties/{*}kafka.version").text
        brokers = {name: service for name, service in SERVICES.items() if name.startswith("kafka-")}
        self.assertEqual({service["image"] for service in brokers.values()}, {f"apache/kafka:{version}"})
        for index, (name, service) in enumerate(brokers.items()):
            self.assertEqual(service["environment"]["KAFKA_NODE_ID"], str(index + 1))
            self.assertEqual(service["environment"]["KAFKA_ADVERTISED_LISTENERS"], f"PLAINTEXT://{name}:9092")
            voters = ",".join(f"{i + 1}@{voter}:9093" for i, voter in enumerate(brokers))
            self.assertEqual(service["environment"]["KAFKA_CONTROLLER_QUORUM_VOTERS"], voters)
        for name, service in OURS.items():
            bootstrap = ",".join(f"{broker}:9092" for broker in brokers)
            self.assertEqual(service["environment"]["WORKFORCE_KAFKA_BROKERS"], bootstrap, name)

    def test_commands_are_known(self):
        subcommands = set(re.findall(r"^  ([a-z-]+) {2,}", help_of().partition("Subcommands:")[2], re.MULTILINE))
        self.assertIn("serve", subcommands)
        commands = {name: service["command"] for name, service in OURS.items()}
        commands["Dockerfile"] = next(json.loads(rest) for word, rest in runtime() if word == "CMD")
        for name, (subcommand, *words) in commands.items():
            with self.subTest(service=name):
                self.assertIn(subcommand, subcommands)
                known = set(re.findall(r"--[a-z-]+", help_of() + help_of(subcommand)))
                flags = {word.partition("=")[0] for word in words if word.startswith("-")}
                self.assertEqual(flags - known, set())

    def test_variables_are_known_and_taken(self):
        keys = {f"WORKFORCE_{key.upper()}" for key in configuration({})}
        for name, service in {"Dockerfile": {}, **OURS}.items():
            with self.subTest(service=name):
                environment = environment_of(service)
                self.assertEqual({key for key in environment if key.startswith("WORKFORCE_")} - keys, set())
                self.assertEqual({key for key in environment if not key.startswith("WORKFORCE_")}, set())
                configuration(environment)

    def test_every_process_names_its_own_address(self):
        """Other processes reach it there, and its listener is not on the loopback interface alone."""
        for name, service in OURS.items():
            if service["command"][0] in ("migrate", "seed"):
                continue
            got = configuration(environment_of(service))
            self.assertEqual(got["admin_url"], f'"http://{name}:{got["admin_port"]}"')
            self.assertEqual((got["host"], got["admin_host"]), ('"0.0.0.0"', '"0.0.0.0"'))

    def test_a_stop_takes_less_time_than_it_is_given(self):
        for name, service in OURS.items():
            patience = int(service["stop_grace_period"].removesuffix("s"))
            self.assertLess(int(configuration(environment_of(service))["drain_seconds"]), patience // 2, name)

    def test_ports_are_those_that_are_listened_on(self):
        got = configuration(environment_of({}))
        listened = {got["port"], got["mcp_port"], got["admin_port"]}
        exposed = next(rest.split() for word, rest in runtime() if word == "EXPOSE")
        self.assertEqual(set(exposed), listened)
        for service in OURS.values():
            for port in service.get("ports", []):
                address, _, inner = port.rpartition(":")
                self.assertIn(inner, listened - {got["admin_port"]}, "what administers stays inside")
                self.assertTrue(address.startswith("127.0.0.1:"), port)

    def test_the_proxy_is_believed_and_asks_every_api_process(self):
        proxy = SERVICES["proxy"]
        config = (ROOT / "deploy/haproxy.cfg").read_text(encoding="utf-8")
        apis = {name for name, service in OURS.items() if service["command"][0] == "api"}
        got = configuration(environment_of(OURS[min(apis)]))
        self.assertEqual(dict(re.findall(r"(?m)^    server (\S+) (\S+)", config)), {name: f"{name}:{got['port']}" for name in apis})
        self.assertIn(f"check port {got['admin_port']} ", config)
        self.assertIn("/run/secrets/proxy_pem", config)
        for name in apis:
            settings = configuration(environment_of(OURS[name]))
            (network, place), = proxy["networks"].items()
            self.assertIn(network, OURS[name]["networks"])
            self.assertEqual(settings["trusted_proxies"], f'"{place["ipv4_address"]}"')
            for setting, port in (("base_url", "8443"), ("mcp_url", "8444")):
                self.assertTrue(settings[setting].endswith(f':{port}"'), settings[setting])
                self.assertIn(f"bind :{port} ssl ", config)
                self.assertIn(f"127.0.0.1:{port}:{port}", proxy["ports"])
        self.assertIn("http-request del-header Forwarded\n", config)
        self.assertIn("http-request set-header X-Forwarded-For %[src]\n", config)

    def health_urls(self):
        """Where health checks of the program look, by where they stand."""
        checks = {name: service["healthcheck"]["test"] for name, service in OURS.items()
                  if not service["healthcheck"].get("disable")}
        checks["Dockerfile"] = next(json.loads(rest.partition("CMD")[2])
                                    for word, rest in runtime() if word == "HEALTHCHECK")
        return {name: re.search(r"http://127\.0\.0\.1:(\d+)(/\S*)", " ".join(check)).groups()
                for name, check in checks.items()}

    def test_health_checks_look_at_the_admin_listener(self):
        for name, (port, path) in self.health_urls().items():
            got = configuration(environment_of(OURS.get(name, {})))
            self.assertEqual(port, got["admin_port"], name)
            self.assertIn(path, HEALTH_PATHS, name)
        one_shot = {name for name, service in OURS.items() if service["healthcheck"].get("disable")}
        self.assertEqual(one_shot, {"migrate", "seed"})

    def test_prometheus_asks_every_process(self):
        jobs = yaml.safe_load((ROOT / "deploy/prometheus.yml").read_text(encoding="utf-8"))["scrape_configs"]
        self.assertEqual([job["metrics_path"] for job in jobs], ["/metrics"])
        targets = [target for job in jobs for group in job["static_configs"] for target in group["targets"]]
        port = configuration({})["admin_port"]
        self.assertEqual(sorted(targets), sorted(f"{name}:{port}" for name, service in OURS.items()
                                                 if service["command"][0] not in ("migrate", "seed")))

    def test_what_is_referred_to_is_there(self):
        for name, service in SERVICES.items():
            with self.subTest(service=name):
                for other, how in service.get("depends_on", {}).items():
                    self.assertIn(other, SERVICES)
                    if how["condition"] == "service_healthy":
                        self.assertIn("test", SERVICES[other]["healthcheck"])
                    else:
                        self.assertEqual(SERVICES[other]["restart"], "on-failure", "it has to end")
                self.assertEqual(set(service["networks"]) - set(COMPOSE["networks"]), set())
                self.assertEqual(set(service.get("secrets", [])) - set(COMPOSE["secrets"]), set())
                self.assertIn("restart", service)
                for volume in service.get("volumes", []):
                    source = volume.split(":")[0]
                    if not source.startswith("./"):
                        self.assertIn(source, COMPOSE["volumes"])
                    elif source != "./secrets":
                        self.assertTrue((ROOT / source).is_file(), source)
        database = {service["environment"]["WORKFORCE_DATABASE_URL"] for service in OURS.values()}
        self.assertEqual({re.search(r"@(\w+)/", url)[1] for url in database}, {"postgres"})

    def test_secrets_are_made(self):
        """And what compose.yaml takes from .env, with no secret in the clear in either."""
        scratch = scratch_checkout(self, "compose.yaml", "scripts/secrets")
        support.run([scratch / "scripts/secrets", scratch])
        made = {path: path.read_text(encoding="ascii") for path in (scratch / "secrets").iterdir()}
        wanted = {scratch / secret["file"] for secret in COMPOSE["secrets"].values()}
        self.assertEqual(set(made), wanted)
        for path in made:
            self.assertEqual(path.stat().st_mode & 0o777, 0o600)
        self.assertEqual(re.findall("-----BEGIN (.*)-----", made[scratch / "secrets/proxy.pem"]), ["PRIVATE KEY", "CERTIFICATE"])
        variables = set(re.findall(r"\$\{(\w+)", (ROOT / "compose.yaml").read_text(encoding="utf-8")))
        given = dict(re.findall(r"^(\w+)=(.*)$", (scratch / ".env").read_text(encoding="ascii"), re.MULTILINE))
        self.assertEqual(variables, set(given))
        self.assertNotEqual(given["RUN_AS"].split(":")[0], "0", "nothing runs as root")
        self.assertRegex(made[scratch / "secrets/master.key"], "^[0-9a-f]{64}$")
        password = made[scratch / "secrets/postgres.password"]
        self.assertEqual(made[scratch / "secrets/pgpass"], f"*:*:*:*:{password}\n")
        self.assertNotIn(password, (scratch / ".env").read_text(encoding="ascii"))
        support.run([scratch / "scripts/secrets", scratch])
        self.assertEqual(made, {path: path.read_text(encoding="ascii") for path in made}, "they were made anew")

    def test_secrets_stay_out_of_git_and_of_the_image(self):
        ignored = (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
        self.assertTrue({"/secrets/", "/.env"} <= set(ignored))
        self.assertNotIn("secrets/", " ".join(self.context()))

    def context(self):
        """Files that .dockerignore lets into the build."""
        lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
        rules = [line for line in lines if line and not line.startswith("#")]
        self.assertEqual(rules[0], "*")
        self.assertTrue(all(rule.startswith("!") for rule in rules[1:]))
        found = []
        for rule in rules[1:]:
            path = ROOT / rule[1:]
            self.assertTrue(path.exists(), rule)
            found += [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
        return [str(file.relative_to(ROOT)) for file in found]

    def test_the_context_is_all_that_the_build_needs(self):
        scratch = scratch_checkout(self, *self.context())
        fetched = "var/node-viewer"  # by the build of this checkout, as the image's would by what its context has
        shutil.copytree(ROOT / fetched, scratch / fetched)
        self.assertLessEqual({"scripts/node", "scripts/python", "tests/mcp/node/requirements.txt"}, set(self.context()))
        build = stages()["build"]
        for word, rest in build:
            if word == "COPY" and rest != ". .":
                self.assertTrue((scratch / rest.split()[0]).exists(), rest)
        command = next(rest for word, rest in build if word == "RUN" and "cmake --preset" in rest)
        configure, compile_, _ = (part.strip() for part in command.split("&&"))
        self.assertEqual(compile_, "cmake --build --preset release --target workforce")
        support.run(["sh", "-c", f"cd {scratch} && {configure}"], seconds=500)
        self.assertEqual(self.sources(scratch), self.sources(ROOT))
        self.assertEqual(self.generated(scratch), self.generated(ROOT))

    def generated(self, checkout):
        """What configuring made of other files of the checkout, SQL above all."""
        folder = checkout / "build/release/generated"
        return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}

    def sources(self, checkout):
        """Files of the checkout that the program is built from, by its configured build."""
        listed = support.run(["ninja", "-C", checkout / "build/release", "-t", "inputs", "workforce"]).splitlines()
        folder = f"{checkout.resolve()}/"
        return {name.removeprefix(folder) for name in listed if name.startswith(folder) and "/build/" not in name}

    def test_the_image_has_the_libraries(self):
        """Those that the binary names, and no others; a user of its own; what the health check calls."""
        install = next(rest for word, rest in runtime() if word == "RUN" and "apt-get install" in rest)
        words = install.partition("install")[2].partition("&&")[0].split()
        listed = {word for word in words if not word.startswith("-")}
        needed = re.findall(r"NEEDED.*\[(.*)\]", support.run(["readelf", "-d", support.binary()]))
        paths = dict(re.findall(r"^\s*(\S+) => (/\S+)", support.run(["ldd", support.binary()]), re.MULTILINE))
        packages = {self.package_of(paths[name]) for name in needed}
        in_every_image = {"libc6", "libgcc-s1"}
        self.assertEqual(packages - in_every_image, {name for name in listed if name.startswith("lib")})
        self.assertEqual({name for name in listed if not name.startswith("lib")}, {"ca-certificates", "curl", "tzdata"})
        self.assertEqual([rest for word, rest in runtime() if word == "USER"], ["workforce"])
        self.assertIn("useradd", install)

    def package_of(self, library):
        """The package that a library came with; by its real path, and as it was before /lib moved into /usr."""
        for path in {str(Path(library).resolve()), str(Path(library).resolve()).removeprefix("/usr")}:
            done = subprocess.run(["dpkg", "-S", path], capture_output=True, text=True, check=False)
            if done.returncode == 0:
                return done.stdout.split(":")[0]
        raise AssertionError(f"no package has {library}")


class HealthPathsTest(support.ServiceCase):
    """The paths that health checks and Prometheus ask are there, whatever the process is."""

    def start(self, subcommand):
        """Runs a process beside the others, ended with the test; returns where its admin listener is."""
        ports = {f"WORKFORCE_{name}PORT": str(support.free_port()) for name in ("", "MCP_", "ADMIN_")}
        process = subprocess.Popen([support.binary(), subcommand], env=self.service.env | ports,
                                   stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return f"http://127.0.0.1:{ports['WORKFORCE_ADMIN_PORT']}"

    def status(self, url):
        try:
            with urllib.request.urlopen(url, timeout=support.READY_SECONDS) as answer:
                return answer.status
        except urllib.error.HTTPError as answer:
            return answer.code
        except urllib.error.URLError:
            return 0

    def check_paths(self, subcommand, address):
        for path in (*HEALTH_PATHS, "/statusz", "/metrics"):
            with self.subTest(subcommand=subcommand, path=path):
                support.wait_until(lambda: self.status(address + path) == 200, support.READY_SECONDS, "it answers")
        self.assertEqual(self.status(address + "/nothing"), 404, subcommand)

    def test_paths_are_real(self):
        used = {service["command"][0] for service in OURS.values()} - {"migrate", "seed"}
        self.assertLessEqual(used, {"serve", "api", "workers"})
        self.check_paths("serve", f"http://127.0.0.1:{self.service.env['WORKFORCE_ADMIN_PORT']}")
        self.service.stop()
        self.addCleanup(self.service.start)  # the others do not run beside it; it waits for their end
        addresses = {subcommand: self.start(subcommand) for subcommand in ("api", "workers")}
        for subcommand, address in addresses.items():
            self.check_paths(subcommand, address)


if __name__ == "__main__":
    unittest.main()
