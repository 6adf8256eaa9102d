#!/usr/bin/env python3
"""Runs the test suites that ./test built, some at once, and counts over all of them.

C++ suites are GoogleTest binaries; Python suites are files of unittest cases, which this program runs as
`run_tests.py --suite FILE TEST...` and which report in GoogleTest's lines, so that both are read alike.
"""

import collections
import concurrent.futures
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
PRESET = os.environ.get("WORKFORCE_TEST_PRESET", "release")
NAMES = os.environ.get("WORKFORCE_TEST_BINARIES", "unit_tests contract_tests integration_tests").split()
BINARIES = [ROOT / "build" / PRESET / "tests" / name for name in NAMES]
# These drive the program, which is the release build.
PYTHON_SUITES = [ROOT / "tests/e2e", ROOT / "tests/fault"] if PRESET == "release" else []
LOGS = ROOT / ("var/test/log" if PRESET == "release" else f"var/test/log-{PRESET}")
# A test that takes longer hangs, however busy the machine is. Those of the fault and overload suites take as long as they are
# told to, and as much again for their checks.
TEST_SECONDS = 600 + 2 * 60 * float(os.environ.get("WORKFORCE_FAULT_MINUTES", "0")) + \
    2 * float(os.environ.get("WORKFORCE_OVERLOAD_SECONDS", "0"))
LOOK_SECONDS = 0.5  # between two looks at what a suite has printed
END_SECONDS = 8  # to end in good order once asked to
# Found anywhere: a test may leave the cursor amid a line.
LINE = re.compile(r"\[ {1,7}(RUN|OK|FAILED|SKIPPED) {1,6}\] ([^\s,]+)")

# Suites wait for servers more than they compute, so some run at once. Each has servers, databases and topics of its own.
AT_ONCE = 3
# What takes long, longest first, for it had better not begin last. A suite is divided where one of these names but a
# piece of it: each piece is a process of its own.
LONGEST = (
    "integration_tests.",
    "test_kafka_cluster.",
    "test_cluster.",
    "test_schemathesis.",
    "integration_tests.FewPartitionsTest.",
    "integration_tests.Broker/KafkaFaults.",
    "contract_tests.",
    "integration_tests.KafkaMarks.",
    "integration_tests.KafkaLogOutage.",
    "integration_tests.ManyPartitionsTest.",
    "test_roster.",
    "test_analysts.",
    "test_clock.",
    "test_backup.",
)
# Suites that run when all others are done, one at a time: what they find depends on who else is busy.
ALONE = ("test_overload", "test_fault")


class Suite:
    """The tests of a file: its name, the tests it has, and how to run a list of them."""

    def __init__(self, path):
        self.path = path
        self.name = path.stem

    def listing(self, command):
        """Lines that the suite prints when asked for its tests; a suite that can't even do that raises."""
        answer = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        if answer.returncode != 0:
            raise RuntimeError(f"can't list its tests (status {answer.returncode})\n{answer.stdout}{answer.stderr}")
        return answer.stdout.splitlines()

    def called(self, test):
        """The test's name as ./test takes it."""
        return test


class GtestSuite(Suite):
    def tests(self):
        found, group = [], ""
        for line in self.listing([self.path, "--gtest_list_tests"]):
            name = line.split("#")[0].strip()
            if line.startswith(" "):
                found.append(group + name)
            elif name.endswith("."):
                group = name
        return found

    def called(self, test):
        return f"{self.name}.{test}"

    def command(self, tests, file):
        # The filter may be longer than a command line can be, so it comes in a file.
        file.write_text(f"--gtest_filter={':'.join(tests)}\n--gtest_color=no\n")
        return [self.path, f"--gtest_flagfile={file}"]


class PythonSuite(Suite):
    def tests(self):
        return self.listing([sys.executable, __file__, "--suite", self.path])

    def command(self, tests, _):
        return [sys.executable, "-u", __file__, "--suite", self.path, *tests]


def disabled(test):
    return any(part.startswith("DISABLED_") for part in re.split(r"[./]", test))


class Processes:
    """Runs commands, each with a process group of its own, from any thread."""

    def __init__(self):
        self._running = set()
        self.stopped = threading.Event()

    def execute(self, command, log):
        """Runs the command, its output into the log file. Returns its exit status, or None when a test of it hung; in
        either case nothing of its group is left. It dies with this thread, so that nothing outlives a `kill -9`."""
        with open(log, "wb") as output:
            child = subprocess.Popen(["setpriv", "--pdeathsig", "KILL", *command], stdin=subprocess.DEVNULL,
                                     stdout=output, stderr=subprocess.STDOUT, cwd=ROOT, start_new_session=True)
            self._running.add(child)
            try:
                return self._watched(child, log)
            finally:
                self._running.discard(child)
                self._end([child], 0)

    def _watched(self, child, log):
        """Waits for the end. Each test that begins or ends is progress; without any for too long, ends the command."""
        begun, rest = time.monotonic(), ""
        with open(log, errors="replace") as output:
            while True:
                try:
                    return child.wait(timeout=LOOK_SECONDS)
                except subprocess.TimeoutExpired:
                    pass
                lines = (rest + output.read()).split("\n")
                rest = lines.pop()
                if any(LINE.search(line) for line in lines):
                    begun = time.monotonic()
                elif time.monotonic() > begun + TEST_SECONDS:
                    self._end([child])
                    return None

    def stop(self):
        """Ends all that run, and starts no more."""
        self.stopped.set()
        self._end(list(self._running))

    @staticmethod
    def _end(children, seconds=END_SECONDS):
        for child in children if seconds else []:
            child.terminate()
        deadline = time.monotonic() + seconds
        for child in children:
            try:
                child.wait(max(0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                pass
            try:
                os.killpg(child.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            child.wait()


def outcomes(text):
    """Maps each test that was started to OK, FAILED, SKIPPED, or RUN when it never ended; and each failure's output."""
    state, output, current = {}, {}, None
    for line in text.splitlines():
        if line.startswith("[==========]") and "ran" in line:
            break  # the summary repeats the names of what failed
        match = LINE.search(line)
        if match:
            verdict, test = match.groups()
            state[test] = verdict
            current = test if verdict == "RUN" else None
            output.setdefault(test, []).append(line)
        elif current:
            output[current].append(line)
    return state, {test: "\n".join(lines) for test, lines in output.items()}


class Part:
    """Tests of a suite for one process, and what came of them."""

    def __init__(self, suite, rank, tests):
        self.suite, self.rank = suite, rank
        self.skipped = sum(1 for test in tests if disabled(test))
        self.passed = self.failed = 0
        self.seconds = 0.0
        self.lines = []  # what to print of it
        self.output = ""
        self._waiting = [test for test in tests if not disabled(test)]

    def run(self, processes):
        """After a crash, or a test that hung, runs those that had not been started yet in a new process."""
        begun = time.monotonic()
        name = f"{self.suite.name}.{self.rank}"
        log, flags = LOGS / f"{name}.part", LOGS / f"{name}.flags"
        while self._waiting and not processes.stopped.is_set():
            status = processes.execute(self.suite.command(self._waiting, flags), log)
            if not self._read(status, log.read_text(errors="replace")):
                break
        log.unlink(missing_ok=True)
        flags.unlink(missing_ok=True)
        self.lines += [line for line in self.output.splitlines() if line.startswith("summary: ")]
        self.seconds = time.monotonic() - begun
        return self

    def _read(self, status, text):
        """Counts what a process did. False when there is no sense in another one."""
        self.output += text
        state, output = outcomes(text)
        self.passed += sum(1 for verdict in state.values() if verdict == "OK")
        self.skipped += sum(1 for verdict in state.values() if verdict == "SKIPPED")
        broken = [test for test, verdict in state.items() if verdict in ("RUN", "FAILED")]
        self.failed += len(broken)
        self.lines += [f"---- {self.suite.name}: {test}\n{output[test]}" for test in broken]
        waiting = self._waiting = [test for test in self._waiting if test not in state]
        how = "had a test that hung, and was ended" if status is None else f"ended with status {status}"
        if waiting or any(verdict == "RUN" for verdict in state.values()) or (status != 0 and not broken):
            self.lines.append(f"---- {self.suite.name}: {how}; {len(waiting)} tests had not been started. Last lines:")
            self.lines += text.splitlines()[-15:]
            if not broken:
                self.failed += 1
        if not state:
            self.failed += len(waiting)
            return False
        return True


class Totals:
    """Prints each suite once all parts of it have ended, and counts."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def add(self, parts):
        """All parts of one suite."""
        suite = parts[0].suite
        (LOGS / f"{suite.name}.log").write_text("".join(part.output for part in parts))
        passed, failed, skipped, spent = (sum(getattr(part, what) for part in parts)
                                          for what in ("passed", "failed", "skipped", "seconds"))
        for part in parts:
            for line in part.lines:
                print(line)
        print(f"{suite.name}: {passed} passed, {failed} failed, {skipped} skipped ({spent:.1f} s)", flush=True)
        self.passed += passed
        self.failed += failed
        self.skipped += skipped


def parts_of(suite, tests):
    """Divides the tests of a suite by what LONGEST has of it."""
    found = {}
    for test in tests:
        fitting = [name for name in LONGEST if suite.called(test).startswith(name)]
        rank = LONGEST.index(max(fitting, key=len)) if fitting else len(LONGEST)
        found.setdefault(rank, []).append(test)
    return [Part(suite, rank, some) for rank, some in found.items()]


def run_parts(parts, at_once, totals):
    """Runs the parts of some suites, so many at once."""
    processes, suites = Processes(), {}
    for part in parts:
        suites.setdefault(part.suite, []).append(part)
    with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
        try:
            under_way = [pool.submit(part.run, processes) for part in sorted(parts, key=lambda part: part.rank)]
            ended = collections.Counter()
            for future in concurrent.futures.as_completed(under_way):
                suite = future.result().suite
                ended[suite] += 1
                if ended[suite] == len(suites[suite]):
                    totals.add(suites[suite])
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            processes.stop()
            raise


def listed(suite):
    """The tests of a suite, or why there are none to be had."""
    try:
        return suite.tests()
    except (RuntimeError, OSError, subprocess.TimeoutExpired) as problem:
        return problem


def main(names):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    LOGS.mkdir(parents=True, exist_ok=True)
    totals, parts = Totals(), []
    suites = [GtestSuite(path) for path in BINARIES if path.exists()]
    suites += [PythonSuite(path) for folder in PYTHON_SUITES for path in sorted(folder.glob("test_*.py"))]
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        listings = list(pool.map(listed, suites))
    for suite, tests in zip(suites, listings):
        if isinstance(tests, Exception):
            print(f"---- {suite.name}: {tests}")
            totals.failed += 1
            continue
        if names:
            # A file that can't be imported has no names to compare, so it is always shown.
            tests = [test for test in tests if "_FailedTest" in test or any(name in suite.called(test) for name in names)]
        parts += parts_of(suite, tests)
    run_parts([part for part in parts if part.suite.name not in ALONE], AT_ONCE, totals)
    run_parts([part for part in parts if part.suite.name in ALONE], 1, totals)
    if totals.passed + totals.failed + totals.skipped == 0:
        print("no test has such a name" if names else "there are no tests")
    print(f"{totals.passed} passed, {totals.failed} failed, {totals.skipped} skipped", flush=True)
    return 0 if totals.passed and not totals.failed else 1


# ---- a Python suite, from inside --------------------------------------------------------------------------------------


class Reporter(unittest.TestResult):
    """Prints GoogleTest's lines."""

    def __init__(self, every):
        super().__init__()
        self.every = every
        self.verdict = ""

    def startTest(self, test):
        super().startTest(test)
        self.verdict = "OK"
        print(f"[ RUN      ] {test.id()}")

    def stopTest(self, test):
        super().stopTest(test)
        print(f"[ {self.verdict:>8} ] {test.id()}", flush=True)

    def report(self, test, verdict, text):
        holder = re.match(r"(?:setUpClass|tearDownClass) \((.*)\)", test.id())
        module = re.match(r"(?:setUpModule|tearDownModule) \((.*)\)", test.id())
        if not holder and not module:
            print(text)
            if self.verdict != "FAILED":
                self.verdict = verdict
            return
        # The fixture failed, so none of its tests is started; or it failed after them, and they are failures all.
        prefix = (holder or module).group(1) + "."
        for name in [name for name in self.every if name.startswith(prefix)]:
            print(f"[ RUN      ] {name}\n{text}\n[ {verdict:>8} ] {name}", flush=True)

    def addError(self, test, err):
        self.report(test, "FAILED", self._exc_info_to_string(err, test))

    addFailure = addError

    def addSubTest(self, test, subtest, err):
        if err:
            self.report(test, "FAILED", f"{subtest}\n{self._exc_info_to_string(err, test)}")

    def addSkip(self, test, reason):
        self.report(test, "SKIPPED", f"skipped: {reason}")

    def addUnexpectedSuccess(self, test):
        self.report(test, "FAILED", "was expected to fail, and passed")


def flatten(tests):
    for test in tests:
        if isinstance(test, unittest.TestSuite):
            yield from flatten(test)
        else:
            yield test


def run_python(path, names):
    """Lists the tests of a file, or runs the named ones."""
    sys.path.insert(0, str(path.parent))
    every = list(flatten(unittest.TestLoader().loadTestsFromName(path.stem)))
    if not names:
        print("\n".join(test.id() for test in every))
        return 0
    chosen = [test for test in every if test.id() in set(names)]
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # to be ended is to tidy up
    result = Reporter(names)
    unittest.TestSuite(chosen).run(result)
    return 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--suite"]:
        sys.exit(run_python(pathlib.Path(sys.argv[2]), sys.argv[3:]))
    sys.exit(main(sys.argv[1:]))
