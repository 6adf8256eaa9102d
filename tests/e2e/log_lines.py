# What the log of a process says of trouble.

import json

ALL = 1_000_000


def lines(member):
    """The lines of a process's log, as dictionaries."""
    return [json.loads(line) for line in member.tail(ALL).splitlines() if line.startswith("{")]


def troubles(member, after=0):
    """The messages of its warnings and errors, from that line on."""
    return [line["msg"] for line in lines(member)[after:] if line["level"] in ("warn", "error")]


def messages(member, after=0):
    """All its messages, from that line on."""
    return [line["msg"] for line in lines(member)[after:]]
