# scripts/build: what it shows while it builds, what it does not hide, and what its end ends. On a small project.

import os
import pty
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import support

PRESETS = """{"version": 6, "configurePresets": [
    {"name": "release", "generator": "Ninja", "binaryDir": "${sourceDir}/build/${presetName}"}]}"""
# Three files and their sum, each made by a command that takes its part of the input.
PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(small LANGUAGES NONE)
foreach(part one two three)
  add_custom_command(OUTPUT ${part}.txt DEPENDS "${CMAKE_SOURCE_DIR}/input.sh"
                     COMMAND sh "${CMAKE_SOURCE_DIR}/input.sh" ${part} && cmake -E touch ${part}.txt)
endforeach()
add_custom_target(sum ALL DEPENDS one.txt two.txt three.txt)
"""
STEPS = 3
COUNT = re.compile(r"build: (\d+) of (\d+) steps after \d+ s")


class BuildScriptTest(unittest.TestCase):
    def setUp(self):
        self.root = Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.root / "scripts").mkdir()
        self.script = shutil.copy(support.PROJECT_ROOT / "scripts/build", self.root / "scripts/build")
        (self.root / "CMakePresets.json").write_text(PRESETS, encoding="ascii")
        (self.root / "CMakeLists.txt").write_text(PROJECT, encoding="ascii")
        self.input("true")

    def input(self, commands):
        """What each part of the build runs, anew."""
        (self.root / "input.sh").write_text(commands + "\n", encoding="ascii")

    def build(self, status=0):
        """Runs the script where there is no terminal; returns what it said."""
        done = subprocess.run([self.script], capture_output=True, text=True, timeout=support.COMMAND_SECONDS, check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertEqual(done.stdout, "")
        return done.stderr

    def test_lines_tell_how_far_it_is(self):
        lines = self.build().splitlines()
        self.assertRegex(lines[0], "^build: configuring")
        counts = [COUNT.fullmatch(line) for line in lines[1:]]
        self.assertTrue(all(counts), lines)
        self.assertEqual(counts[0].groups()[1], str(STEPS), "all steps are counted from the first line on")
        self.assertEqual(counts[-1].groups(), (str(STEPS), str(STEPS)), "the last line is the end")
        self.assertLess(len(counts), STEPS, "not a line for each step")
        self.assertEqual(self.build(), "", "nothing to do is nothing to say")

    def test_a_failure_is_shown_whole(self):
        self.input("echo what went wrong with $1; echo and why >&2; exit 3")
        said = self.build(status=1)
        for line in ("what went wrong with one", "and why", "ninja: build stopped: subcommand failed."):
            self.assertIn(line, said.splitlines())

    def test_a_terminal_has_one_line_that_is_rewritten(self):
        self.build()
        self.input("true anew")
        leader, follower = pty.openpty()
        process = subprocess.Popen([self.script], stdin=subprocess.DEVNULL, stdout=follower, stderr=follower,
                                   env=os.environ | {"TERM": "xterm"})
        os.close(follower)
        shown = b""
        while piece := self.read(leader):
            shown += piece
        os.close(leader)
        self.assertEqual(process.wait(support.COMMAND_SECONDS), 0, shown)
        self.assertRegex(shown.decode(), rf"\r\[{STEPS}/{STEPS} steps, [0-9.]+ s\]")

    @staticmethod
    def read(leader):
        """What the terminal shows next; nothing once nobody writes to it any more."""
        try:
            return os.read(leader, 4096)
        except OSError:
            return b""

    def test_its_end_ends_what_it_started(self):
        self.input(f"echo $$ >>{self.root}/pids; exec sleep 600")
        process = subprocess.Popen([self.script], stderr=subprocess.DEVNULL)
        started = support.wait_until(self.pids, support.READY_SECONDS, "a step is under way")
        process.terminate()
        process.wait(support.COMMAND_SECONDS)
        support.wait_until(lambda: not any(Path(f"/proc/{pid}/cwd").exists() for pid in started), support.STOP_SECONDS,
                           "no step goes on")

    def pids(self):
        """Processes of the steps so far."""
        file = self.root / "pids"
        return file.read_text(encoding="ascii").split() if file.exists() else []


if __name__ == "__main__":
    unittest.main()
