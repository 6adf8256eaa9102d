#!/usr/bin/env python3
"""Has CTest run the tests that ./test built, some suites at once, and counts over all of them.

A suite of C++ is a GoogleTest suite. One of Python is what shares a service, by pytest: a file that sets one up as its module,
else a class. CTest schedules (docs/decisions/0060-ctest-schedules-every-suite.md); each suite leaves its output and its JUnit
XML in var/test/log. Where ./test --cpu asks for it, each suite runs in a control group of its own, and a table tells their times.
"""

import contextlib
import os
import pathlib
import re
import secrets
import shutil
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
PRESET = os.environ.get("WORKFORCE_TEST_PRESET", "release")
BINARIES = os.environ.get("WORKFORCE_TEST_BINARIES", "unit_tests contract_tests integration_tests").split()
GROUP = os.environ.get("WORKFORCE_TEST_GROUP")  # the control group that ./test --cpu runs in, with the servers that suites share
SUFFIX = "" if PRESET == "release" else f"-{PRESET}"
LOGS = ROOT / f"var/test/log{SUFFIX}"
# CTest's own files. It keeps there how long each suite took, and begins with the longest.
PLAN = ROOT / f"var/test/ctest{SUFFIX}"
TIMES = PLAN / "times.xml"  # of this run
# A test that takes longer hangs, however busy the machine is: the limit is one test's, not a suite's. Those of the fault and
# overload suites take as long as they are told to, and as much again for their checks.
TEST_SECONDS = 600 + 2 * 60 * float(os.environ.get("WORKFORCE_FAULT_MINUTES", "0")) + \
    2 * float(os.environ.get("WORKFORCE_OVERLOAD_SECONDS", "0"))
END_SECONDS = 8  # to end in good order once asked to
SHOWN_LINES = 40  # of each failure

# Suites wait for servers more than they compute, so more run at once than there are processors. Each has servers, databases
# and topics of its own.
AT_ONCE = min(8, 4 * len(os.sched_getaffinity(0)))
# What a suite finds may depend on who else is busy: by the start of its name, how many of the places at once it takes. These go
# first: CTest gives a place that gets free to whoever needs no more than that, and they would wait until nobody else does.
PLACES = {"test_overload.": AT_ONCE, "test_fault.": (AT_ONCE + 2) // 3, "test_compose_stack": (AT_ONCE + 2) // 3}
FIRST = 1e6  # what a place costs, in CTest's seconds: more than any suite takes


def gtest_suites(binary):
    """Tests by suite, as the executable lists them."""
    answer = subprocess.run([binary, "--gtest_list_tests"], capture_output=True, text=True, timeout=60, check=False)
    if answer.returncode != 0:
        raise RuntimeError(f"{binary} can't list its tests\n{answer.stdout}{answer.stderr}")
    suites, tests = {}, []
    for line in answer.stdout.splitlines():
        name = line.split("#")[0].strip()
        if line.startswith(" "):
            tests.append(name)
        elif name.endswith("."):
            tests = suites.setdefault(name, [])
    return {name: [name + test for test in tests] for name, tests in suites.items()}


class Collector:
    """What pytest finds, by suite: (name as ./test takes it, argument for pytest) of each test. And which suites use Kafka."""

    def __init__(self):
        self.suites, self.broken, self.on_kafka = {}, [], set()

    def pytest_collectreport(self, report):
        if report.failed:
            self.broken.append(str(report.longrepr))

    def pytest_collection_finish(self, session):
        for item in session.items:
            file, suite = item.path.stem, f"{item.path.stem}.{item.cls.__name__}"
            key = file if hasattr(item.module, "setUpModule") else suite
            self.suites.setdefault(key, []).append((f"{suite}.{item.name}", f"{item.path}::{item.cls.__name__}::{item.name}"))
            if "Kafka" in item.path.read_text(encoding="utf-8"):
                self.on_kafka.add(key)


def python_suites(names):
    """As planned(), of the suites that drive the program."""
    found, plan = Collector(), {}
    with open(LOGS / "collection.log", "w", encoding="utf-8") as log, contextlib.redirect_stdout(log):
        pytest.main(["--collect-only", "--quiet", str(ROOT / "tests")], plugins=[found])
    if found.broken:
        raise RuntimeError("\n".join(found.broken))
    for suite in sorted(found.suites, key=lambda suite: (places_of(suite), suite not in found.on_kafka)):
        chosen = [argument for called, argument in found.suites[suite] if not names or any(name in called for name in names)]
        if chosen:
            options = [f"--timeout={TEST_SECONDS:.0f}", f"--junitxml={xml_of(suite)}"]
            plan[suite] = ([sys.executable, "-m", "pytest", *options, *chosen], len(chosen))
    return plan


def places_of(suite):
    return next((places for start, places in PLACES.items() if f"{suite}.".startswith(start)), 1)


def planned(names):
    """The tests to run: by suite the command, and how many tests it has to report; and how many tests are disabled. The order
    is the one for CTest where it knows no durations yet: what may take long is ahead."""
    plan, disabled = python_suites(names) if os.environ.get("WORKFORCE_BINARY") else {}, 0
    for binary in (ROOT / f"build/{PRESET}/tests/{name}" for name in BINARIES):
        for suite, tests in gtest_suites(binary).items():
            wanted = [test for test in tests if not names or any(name in f"{binary.stem}.{test}" for name in names)]
            enabled = [test for test in wanted if not re.search(r"(^|[./])DISABLED_", test)]
            disabled += len(wanted) - len(enabled)
            if enabled:
                key = f"{binary.stem}.{suite.rstrip('.')}"
                plan[key] = ([binary, f"--gtest_filter={':'.join(enabled)}", f"--gtest_output=xml:{xml_of(key)}"], len(enabled))
    return plan, disabled


def file_of(suite, kind):
    return LOGS / f"{suite.replace('/', '-')}.{kind}"


def xml_of(suite):
    return file_of(suite, "xml")


def group_of(suite):
    return pathlib.Path(GROUP) / suite.replace("/", "-")


def write_ctest(plan):
    """The plan as CTest reads it. Each command ends with CTest, and writes into a log of its own."""
    PLAN.mkdir(parents=True, exist_ok=True)
    lines = []
    for suite, (command, _) in plan.items():
        members = "/dev/null"  # of its control group
        if GROUP:
            group_of(suite).mkdir()
            members = group_of(suite) / "cgroup.procs"
        run = ["setpriv", "--pdeathsig", "TERM", "sh", "-c", 'echo $$ >"$1" && shift && exec "$@" >"$0" 2>&1 </dev/null',
               file_of(suite, "log"), members, *command]
        places = places_of(suite)
        first = f" COST {FIRST * places}" if places > 1 else ""
        lines.append(f"add_test([=[{suite}]=] {' '.join(f'[=[{part}]=]' for part in run)})\n"
                     f"set_tests_properties([=[{suite}]=] PROPERTIES WORKING_DIRECTORY [=[{ROOT}]=] PROCESSORS {places}{first})\n")
    (PLAN / "CTestTestfile.cmake").write_text("".join(lines), encoding="utf-8")


def marked(mark):
    """Processes that carry this mark in their environment, which children inherit."""
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if mark in (folder / "environ").read_bytes().split(b"\0"):
                yield int(folder.name)
        except OSError:
            pass  # it has ended, or is another user's


def end_all(mark):
    """Returns once nothing that carries the mark runs: it has been told to end, and some seconds for it."""
    deadline = time.monotonic() + END_SECONDS
    while list(marked(mark)) and time.monotonic() < deadline:
        time.sleep(0.1)
    for pid in marked(mark):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def run_ctest():
    """Runs the plan. Whether it is run to its end or interrupted, nothing that it started is left."""
    TIMES.unlink(missing_ok=True)
    mark = f"WORKFORCE_TEST_RUN={secrets.token_hex(8)}"
    name, value = mark.split("=")
    ctest = subprocess.Popen(["setpriv", "--pdeathsig", "TERM", "ctest", "--test-dir", PLAN, "--parallel", str(AT_ONCE),
                              "--timeout", "1000000", "--output-junit", TIMES], env=os.environ | {name: value, "WORKFORCE_TEST_SECONDS": f"{TEST_SECONDS:.0f}"})
    try:
        ctest.wait()
    finally:
        ctest.kill()
        end_all(mark.encode())


def cpu_seconds(group):
    """Processor time of all that runs and ran in a control group, and in those below."""
    usage, = re.findall(r"^usage_usec (\d+)$", (group / "cpu.stat").read_text(encoding="ascii"), re.MULTILINE)
    return int(usage) / 1e6


def cpu_table(plan):
    """The processor time of each suite with the servers of its own, and how long it took; the one that took most first."""
    took = {case.get("name"): f"{float(case.get('time')):.1f}" for case in ET.parse(TIMES).iter("testcase")}
    used = {suite: cpu_seconds(group_of(suite)) for suite in plan}
    everything = cpu_seconds(pathlib.Path(GROUP))
    used |= {"(all)": everything, "(what suites share: servers, their start, collection)": everything - sum(used.values())}
    lines = [f"{used[suite]:8.1f} {took.get(suite, ''):>8} {suite}" for suite in sorted(used, key=used.get, reverse=True)]
    return "\n".join([f"{'CPU s':>8} {'took s':>8}", *lines])


def last_lines(text):
    return "\n".join(text.rstrip().splitlines()[-SHOWN_LINES:])


def outcome(suite, expected):
    """How many tests of a suite passed, failed and were skipped, and a text for each failure."""
    passed = skipped = 0
    failures = []
    log = file_of(suite, "log").read_text(encoding="utf-8", errors="replace") if file_of(suite, "log").exists() else ""
    try:
        cases = list(ET.parse(xml_of(suite)).iter("testcase"))
    except (FileNotFoundError, ET.ParseError):  # of a process that was ended
        cases = []
    for case in cases:
        found = [each for each in case if each.tag in ("failure", "error")]
        if found:
            text = "\n".join(last_lines(each.text or each.get("message", "")) for each in found)
            failures.append(f"{case.get('classname')}.{case.get('name')}\n{text}")
        elif case.find("skipped") is not None or case.get("result") == "skipped":
            skipped += 1
        else:
            passed += 1
    lost = expected - passed - skipped - len(failures)
    if lost > 0:
        failures.append(f"{suite}: it ended before all of its tests had; {lost} tests count as failed. Last lines:\n{last_lines(log)}")
    for line in log.splitlines():
        if line.startswith("summary: "):
            print(line)
    return passed, len(failures) + max(0, lost - 1), skipped, failures


def main(names):
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # what schemathesis brings along takes seconds to import
    shutil.rmtree(LOGS, ignore_errors=True)
    LOGS.mkdir(parents=True)
    passed = failed = 0
    try:
        plan, skipped = planned(names)
    except RuntimeError as problem:
        print(f"{problem}\n0 passed, 1 failed, 0 skipped", flush=True)
        return 1
    # Only now: pytest, which has listed tests in this process, sets them too.
    for what in (signal.SIGINT, signal.SIGTERM):
        signal.signal(what, lambda number, _: sys.exit(128 + number))
    if plan:
        write_ctest(plan)
        run_ctest()
    if plan and GROUP:
        print(cpu_table(plan))
    texts = []
    for suite, (_, expected) in plan.items():
        one = outcome(suite, expected)
        passed, failed, skipped = passed + one[0], failed + one[1], skipped + one[2]
        texts += [f"---- {suite}: {text}" for text in one[3]]
    print("\n".join(texts) or ("" if plan else "there are no such tests"))
    print(f"{passed} passed, {failed} failed, {skipped} skipped", flush=True)
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
