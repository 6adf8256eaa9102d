#!/usr/bin/env python3
"""Runs the test suites that ./test built, one process each, and counts over all of them.

C++ suites are GoogleTest binaries; Python suites are files of unittest cases, which this program runs as
`run_tests.py --suite FILE TEST...` and which report in GoogleTest's lines, so that both are read alike.
"""

import ctypes
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
PRESET = os.environ.get("WORKFORCE_TEST_PRESET", "release")
BINARIES = [ROOT / "build" / PRESET / "tests" / name for name in ("unit_tests", "integration_tests")]
# These drive the program, which is the release build.
PYTHON_SUITES = [ROOT / "tests/e2e", ROOT / "tests/fault"] if PRESET == "release" else []
LOGS = ROOT / ("var/test/log" if PRESET == "release" else f"var/test/log-{PRESET}")
# The fault suite has two tests that run as long as it is told to.
SUITE_SECONDS = 600 + 2 * 60 * float(os.environ.get("WORKFORCE_FAULT_MINUTES", "0"))
# Found anywhere: a test may leave the cursor amid a line.
LINE = re.compile(r"\[ {1,7}(RUN|OK|FAILED|SKIPPED) {1,6}\] ([^\s,]+)")


class Suite:
    """One process worth of tests: its name, the tests it has, and how to run a list of them."""

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

    def command(self, tests):
        flags = LOGS / f"{self.name}.flags"  # a file: the filter may be longer than a command line can be
        flags.write_text(f"--gtest_filter={':'.join(tests)}\n--gtest_color=no\n")
        return [self.path, f"--gtest_flagfile={flags}"]


class PythonSuite(Suite):
    def tests(self):
        return self.listing([sys.executable, __file__, "--suite", self.path])

    def command(self, tests):
        return [sys.executable, "-u", __file__, "--suite", self.path, *tests]


class Totals:
    def __init__(self):
        self.passed = self.failed = self.skipped = 0


def disabled(test):
    return any(part.startswith("DISABLED_") for part in re.split(r"[./]", test))


def die_with_parent():
    """In the child: be killed when this runner is, so that nothing runs on after a `kill -9` of it."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL, 0, 0, 0)


def execute(command, log, seconds):
    """Runs the command in a process group of its own, its output into the log file. Returns its exit status, or None
    when the time was over; in either case nothing of its group is left."""
    with open(log, "wb") as output:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, cwd=ROOT,
                                 start_new_session=True, preexec_fn=die_with_parent)
        try:
            return child.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            return None
        finally:
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


def run_suite(suite, tests, totals):
    """Runs the tests; after a crash, those that had not been started yet again in a new process."""
    deadline = time.monotonic() + SUITE_SECONDS
    log = LOGS / f"{suite.name}.log"
    passed = failed = skipped = 0
    skipped += sum(1 for test in tests if disabled(test))
    waiting = [test for test in tests if not disabled(test)]
    whole = ""
    while waiting:
        status = execute(suite.command(waiting), log, max(1.0, deadline - time.monotonic()))
        text = log.read_text(errors="replace")
        whole += text
        state, output = outcomes(text)
        passed += sum(1 for verdict in state.values() if verdict == "OK")
        skipped += sum(1 for verdict in state.values() if verdict == "SKIPPED")
        broken = [test for test, verdict in state.items() if verdict in ("RUN", "FAILED")]
        failed += len(broken)
        for test in broken:
            print(f"---- {suite.name}: {test}\n{output[test]}")
        waiting = [test for test in waiting if test not in state]
        how = "took too long and was ended" if status is None else f"ended with status {status}"
        if waiting or any(verdict == "RUN" for verdict in state.values()) or (status != 0 and not broken):
            print(f"---- {suite.name}: {how}; {len(waiting)} tests had not been started. Last lines:")
            print("\n".join(text.splitlines()[-15:]))
            if not broken:
                failed += 1
        if status is None or not state:
            failed += len(waiting)
            break
    log.write_text(whole)
    for line in whole.splitlines():
        if line.startswith("summary: "):
            print(line)
    spent = SUITE_SECONDS - (deadline - time.monotonic())
    print(f"{suite.name}: {passed} passed, {failed} failed, {skipped} skipped ({spent:.1f} s)", flush=True)
    totals.passed += passed
    totals.failed += failed
    totals.skipped += skipped


def main(names):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    LOGS.mkdir(parents=True, exist_ok=True)
    totals = Totals()
    suites = [GtestSuite(path) for path in BINARIES if path.exists()]
    suites += [PythonSuite(path) for folder in PYTHON_SUITES for path in sorted(folder.glob("test_*.py"))]
    for suite in suites:
        try:
            tests = suite.tests()
        except (RuntimeError, OSError, subprocess.TimeoutExpired) as problem:
            print(f"---- {suite.name}: {problem}")
            totals.failed += 1
            continue
        if names:
            # A file that can't be imported has no names to compare, so it is always shown.
            tests = [test for test in tests if "_FailedTest" in test or any(name in suite.called(test) for name in names)]
        if tests:
            run_suite(suite, tests, totals)
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
    result = Reporter(names)
    unittest.TestSuite(chosen).run(result)
    return 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--suite"]:
        sys.exit(run_python(pathlib.Path(sys.argv[2]), sys.argv[3:]))
    sys.exit(main(sys.argv[1:]))
