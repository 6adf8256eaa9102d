"""Processes and what they cost: starting and ending servers, CPU seconds and memory from /proc."""

import contextlib
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import time

TICK = os.sysconf("SC_CLK_TCK")
PORT_SECONDS = 30
END_SECONDS = 20


def tree_cpu(root):
    """CPU seconds so far of a process, its living descendants, and those that ended and were waited for."""
    parents, ticks = {}, {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        with contextlib.suppress(OSError):
            fields = pathlib.Path("/proc", entry, "stat").read_text().rpartition(")")[2].split()
            parents[int(entry)] = int(fields[1])
            ticks[int(entry)] = sum(int(n) for n in fields[11:15])  # utime, stime, cutime, cstime
    total, todo = 0, [root]
    while todo:
        pid = todo.pop()
        total += ticks.get(pid, 0)
        todo += [child for child, parent in parents.items() if parent == pid]
    return total / TICK


def memory_mb(pid):
    """Resident memory of a process and the most that it ever had, in MB (10^6 bytes)."""
    fields = dict(line.split(":", 1) for line in pathlib.Path("/proc", str(pid), "status").read_text().splitlines())
    return tuple(int(fields[name].split()[0]) * 1024 / 1e6 for name in ("VmRSS", "VmHWM"))


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def run(*command, timeout=120, **options):
    """Output of a command that has to succeed."""
    done = subprocess.run([str(c) for c in command], timeout=timeout, text=True, capture_output=True, **options)
    if done.returncode != 0:
        sys.exit(f"{command[0]} failed ({done.returncode}):\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
    return done.stdout


def bench(options, subcommand, *arguments):
    """The command of a benchmark in C++."""
    return [options.build / "tests" / "bench" / "bench", subcommand, *arguments]


def launch(command, log, env=None):
    """Starts a server with its output appended to a file."""
    with open(log, "a") as output:
        return subprocess.Popen([str(c) for c in command], stdout=output, stderr=output, env=env)


def end(process):
    """Ends a process that launch() started, in good order where it can."""
    process.terminate()
    try:
        process.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def wait_for(condition, seconds, what, process=None, log=None):
    """Returns what `condition()` gives once that is true; ends the program when it takes too long or `process` dies."""
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        dead = process is not None and process.poll() is not None
        if dead or time.monotonic() > deadline:
            tail = pathlib.Path(log).read_text()[-2000:] if log else ""
            sys.exit(f"{what}: {'the process ended' if dead else f'not within {seconds} s'}\n{tail}")
        time.sleep(0.005)
    return value


def listens(port):
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


@contextlib.contextmanager
def server(command, port, log):
    """Runs a server until the block ends; yields its pid once the port takes connections."""
    process = launch(command, log)
    try:
        wait_for(lambda: listens(port), PORT_SECONDS, f"{command[0]} on port {port}", process, log)
        yield process.pid
    finally:
        end(process)


@contextlib.contextmanager
def work_directory():
    with tempfile.TemporaryDirectory(prefix="workforce-bench-") as directory:
        os.chmod(directory, 0o711)  # PostgreSQL may run as another user, in a directory of its own below
        yield pathlib.Path(directory)
