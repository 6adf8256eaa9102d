# Alert rules and dashboard name what a started system shows, and each alert has its row in the runbook.

import json
import re
import shutil
import unittest
import urllib.request

import rest
import support
import yaml
from kafka_cluster import shared

ROOT = support.PROJECT_ROOT
RULES = ROOT / "deploy" / "alerts.yml"
BOARD = ROOT / "deploy" / "grafana-dashboard.json"
OPERATING = ROOT / "docs" / "operating.md"
STAFF = "/api/staff"
SECONDS = 60
# What Prometheus itself adds to what it reads.
OWN_METRICS = {"up"}
OWN_LABELS = {"job", "instance"}
WORDS = {"sum", "max", "min", "count", "rate", "increase", "histogram_quantile", "topk", "scalar", "vector", "abs", "by", "or"}


def alerts():
    return [rule for group in yaml.safe_load(RULES.read_text(encoding="utf-8"))["groups"] for rule in group["rules"]]


def panels():
    return json.loads(BOARD.read_text(encoding="utf-8"))["panels"]


def expressions():
    """Every expression, by the name of its alert or panel."""
    yield from ((rule["alert"], rule["expr"]) for rule in alerts())
    yield from ((panel["title"], target["expr"]) for panel in panels() for target in panel.get("targets", []))


def parts(expression):
    """The metrics of an expression with the labels that they are narrowed by, and the labels that it groups by."""
    grouped = {label for labels in re.findall(r"by \(([^)]*)\)", expression) for label in labels.split(", ")}
    rest_of = re.sub(r"by \([^)]*\)|\[[^]]*\]", "", expression)
    metrics = [(name, re.findall(r'(\w+)="([^"]*)"', selector))
               for name, selector in re.findall(r"([a-z_]{2,})(\{[^}]*\})?", rest_of) if name not in WORDS]
    return metrics, grouped


class RulesTest(unittest.TestCase):
    def test_each_alert_has_its_row(self):
        section = OPERATING.read_text(encoding="utf-8").split("\n## Alerts\n", 1)[1].split("\n## ", 1)[0]
        rows = re.findall(r"^\| `(\w+)` \| ([^|]+) \| ([^|]+) \|$", section, re.MULTILINE)
        self.assertEqual([name for name, *_ in rows], [rule["alert"] for rule in alerts()])

    def test_alerts_say_what_they_are(self):
        names = [rule["alert"] for rule in alerts()]
        self.assertEqual(len(names), len(set(names)))
        for rule in alerts():
            self.assertIn(rule["labels"]["severity"], ("warning", "critical"), rule)
            self.assertTrue(rule["annotations"]["summary"], rule)
            document, _, anchor = rule["annotations"]["runbook"].partition("#")
            self.assertIn(f"\n## {anchor.capitalize()}\n", (ROOT / document).read_text(encoding="utf-8"))

    def test_panels_are_apart(self):
        self.assertEqual(len({panel["id"] for panel in panels()}), len(panels()))
        places = [tuple(panel["gridPos"][axis] for axis in "xy") for panel in panels()]
        self.assertEqual(len(set(places)), len(places))

    @unittest.skipUnless(shutil.which("promtool"), "promtool is of Debian's package prometheus")
    def test_prometheus_takes_the_rules(self):
        support.run(["promtool", "check", "rules", RULES])


class MonitoringTest(rest.RestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        postgres = cls.enterClassContext(support.Postgres())
        cls.service = support.Service(postgres, cls.enterClassContext(shared()))
        cls.service.env |= {"WORKFORCE_HEADS_FILE": str(cls.service.directory / "heads.json"),
                            "WORKFORCE_TOMBSTONES_FILE": str(cls.service.directory / "tombstones.json"),
                            "WORKFORCE_MAIL_CHANNEL": "smtp", "WORKFORCE_MAIL_FROM": "workforce@example.test",
                            "WORKFORCE_SMTP_URL": "smtp://127.0.0.1:9",
                            "WORKFORCE_BILLING_METER": "cloudevents", "WORKFORCE_BILLING_URL": "http://127.0.0.1:9/events"}
        cls.enterClassContext(cls.service)

    def scrape(self):
        """What each metric has for labels, a list of dictionaries; and the kind of each family."""
        with urllib.request.urlopen(self.service.demo["adminUrl"] + "/metrics", timeout=30) as answer:
            text = answer.read().decode()
        series = {}
        for name, labels, value in re.findall(r"^(\w+)(\{.*\})? (\S+)$", text, re.MULTILINE):
            series.setdefault(name, []).append(dict(re.findall(r'(\w+)="([^"]*)"', labels)) | {"": float(value)})
        return series, dict(re.findall(r"^# TYPE (\w+) (\w+)$", text, re.MULTILINE))

    def test_rules_and_dashboard_name_what_is_there(self):
        client = rest.client_of(self.service)
        self.check(client.get(STAFF), 200)
        self.check(client.post(STAFF, {"firstName": "M", "lastName": "T", "email": "m@example.test"}), 201)
        support.wait_until(lambda: {"workforce_kafka_brokers_up", "workforce_signed_heads_age_seconds", "workforce_backup_age_seconds",
                                    "workforce_reactor_pending"} <= set(self.scrape()[0]), SECONDS, "all is known once")
        series, _ = self.scrape()
        for title, expression in expressions():
            metrics, grouped = parts(expression)
            self.assertTrue(metrics, title)
            known = set(OWN_LABELS)
            for name, narrowed in metrics:
                if name in OWN_METRICS:
                    continue
                self.assertIn(name, series, f"{title}: {expression}")
                known |= {label for each in series[name] for label in each}
                for label, value in narrowed:
                    if label not in OWN_LABELS:
                        self.assertIn(value, {each.get(label) for each in series[name]}, f"{title}: {label} of {name}")
            self.assertLessEqual(grouped, known, f"{title}: {expression}")

    def test_what_only_grows_is_a_counter(self):
        _, kinds = self.scrape()
        for name, kind in kinds.items():
            self.assertEqual(name.endswith("_total"), kind == "counter", name)

    def test_process_and_build(self):
        series, _ = self.scrape()
        build, = series["workforce_build_info"]
        self.assertEqual(build[""], 1)
        version = support.run([support.binary(), "--version"]).split()[1]
        self.assertEqual(build["version"], version)
        self.assertRegex(build["compiler"], r"\d+\.\d+")
        for name, least in (("process_cpu_seconds_total", 0.01), ("process_resident_memory_bytes", 1 << 20), ("process_threads", 10),
                            ("process_open_fds", 10), ("process_virtual_memory_bytes", 1 << 20), ("process_max_fds", 100),
                            ("process_start_time_seconds", 1_700_000_000)):
            self.assertGreater(series[name][0][""], least, name)

    def test_sessions_are_counted_by_pool(self):
        self.check(rest.client_of(self.service).get(STAFF), 200)
        series, _ = self.scrape()
        counted = {each["pool"]: each[""] for each in series["workforce_database_sessions"] if each["role"]}
        self.assertGreaterEqual(counted["reads"], 1)
        self.assertEqual(counted["watch"], 1)
        names = [f"workforce serve: {pool} (local)" for pool in counted]
        there = dict(self.service.postgres.psql("SELECT application_name, count(*) FROM pg_stat_activity WHERE application_name "
                                                f"IN ({','.join(repr(name) for name in names)}) GROUP BY 1"))
        # Sessions come and go meanwhile, but for those that always stay.
        self.assertEqual(int(there["workforce serve: watch (local)"]), counted["watch"])
        kinds = {name: {(each["pool"], each["role"]) for each in series[f"workforce_database_{name}"]}
                 for name in ("sessions", "sessions_used", "sessions_idle", "jobs_waiting")}
        self.assertEqual(len(set(map(frozenset, kinds.values()))), 1, kinds)
        self.assertIn(("writes", "workforce_writer"), kinds["sessions_idle"])

    def test_ages(self):
        series, _ = self.scrape()
        self.assertEqual(series["workforce_backup_age_seconds"][0][""], float("inf"), "there is none yet")
        self.assertLess(series["workforce_signed_heads_age_seconds"][0][""], 3600)
        self.assertLess(series["workforce_tombstones_age_seconds"][0][""], 3600)
        self.service.command("backup", self.service.directory / "backup")
        self.service.stop()
        self.service.start()
        support.wait_until(lambda: self.scrape()[0].get("workforce_backup_age_seconds", [{"": 0}])[0][""] not in (0, float("inf")),
                           SECONDS, "the process knows of the backup")
        self.assertLess(self.scrape()[0]["workforce_backup_age_seconds"][0][""], 3600)


if __name__ == "__main__":
    unittest.main()
