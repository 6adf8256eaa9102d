# The clients of clients/ as they are published, and what they make of the service's answers. Their programs are in tests/clients.

import contextlib
import hashlib
import json
import os
import re
import subprocess
import tarfile
import tempfile
import zipfile
from pathlib import Path

import rest
import support

PROGRAMS = support.PROJECT_ROOT / "tests" / "clients"
MADE = support.PROJECT_ROOT / "build" / "clients"
DESCRIPTION = json.loads((support.PROJECT_ROOT / "schemas/openapi.json").read_text(encoding="utf-8"))
PYTHON = [support.PROJECT_ROOT / "scripts" / "python", "--requirements", support.PROJECT_ROOT / "clients" / "requirements.txt"]
NODE = [support.PROJECT_ROOT / "scripts" / "node", "--packages", support.PROJECT_ROOT / "clients"]
PACKAGES = support.PROJECT_ROOT / "var" / "node-clients" / "node_modules"
PROGRAM_SECONDS = 300
UNTYPED = {("service", "openapi"), ("service", "openapi_api")}  # documents whose form is another specification's


def make(*options):
    """Makes the clients where they are not of what is there now."""
    support.run([support.PROJECT_ROOT / "scripts" / "clients", *options], seconds=900)


def python_package(folder):
    """The environment of a program that uses the Python client, which is unpacked into that folder."""
    (wheel,) = MADE.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return os.environ | {"PYTHONPATH": str(folder)}


def node_package(folder):
    """Unpacks the TypeScript client into that folder, where programs find it, beside what it needs."""
    (archive,) = MADE.glob("*.tgz")
    modules = Path(folder) / "node_modules"
    modules.mkdir()
    for package in PACKAGES.iterdir():
        (modules / package.name).symlink_to(package)
    with tarfile.open(archive) as packed:
        packed.extractall(modules, filter="data")
    (modules / "package").rename(modules / "workforce-client")


def check_types(folder):
    """Has the compiler look at the programs in that folder, which node_package() has been called for; once, as long as neither they nor
    the package change."""
    programs = sorted(folder.glob("*.ts"))
    (archive,) = MADE.glob("*.tgz")
    seen = [archive, PACKAGES / "typescript" / "package.json", Path(__file__), *programs]
    digest = hashlib.sha256(b"".join(hashlib.sha256(file.read_bytes()).digest() for file in seen)).hexdigest()
    checked = MADE / "programs-checked"
    if not checked.exists() or checked.read_text(encoding="ascii") != digest:
        run([*NODE, PACKAGES / "typescript/bin/tsc", "--strict", "--noEmit", "--skipLibCheck", "false", "--target", "es2022",
             "--module", "nodenext", "--types", "node", *programs], "", folder=folder)
        checked.write_text(digest, encoding="ascii")


def run(command, text, env=None, folder=None):
    """What a program says; AssertionError with all of it when it fails."""
    done = subprocess.run([str(part) for part in command], input=text, env=env, cwd=folder, capture_output=True, text=True,
                          timeout=PROGRAM_SECONDS, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{command[-1]}\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
    return done.stdout


@contextlib.contextmanager
def recorded():
    """A list of what clients of rest.py are answered meanwhile: (method, path, rest.Answer)."""
    answers = []
    rest.listeners.append(hear := lambda *heard: answers.append(heard))
    try:
        yield answers
    finally:
        rest.listeners.remove(hear)


def operation_of(method, path):
    """Resource and name of the client's method for a request; None where the clients have none."""
    bare = path.split("?")[0]
    method = "patch" if method == "PUT" else method.lower()
    for template, methods in DESCRIPTION["paths"].items():
        if method in methods and re.fullmatch(re.sub(r"\{\w+\}", r"\\d+", template), bare):
            return method_of(methods[method])
    return None


def method_of(operation):
    """Resource and name of an operation's method in the Python client."""
    tag = operation["tags"][0]
    return tag, operation["operationId"].removeprefix(f"{tag}.").replace(".", "_")


def faults(answers):
    """What the Python client doesn't read of answers, as (method, path, rest.Answer)."""
    make()
    lines = []
    for method, path, answer in answers:
        operation = operation_of(method, path)
        if answer.body is not None and (answer.status >= 400 or operation not in (None, *UNTYPED)):
            lines.append({"operation": operation if answer.status < 400 else None, "text": answer.text})
    assert lines, "nothing was asked"
    with tempfile.TemporaryDirectory() as folder:
        environment = python_package(folder)
        return run([*PYTHON, PROGRAMS / "answers.py"], "\n".join(map(json.dumps, lines)), environment)


