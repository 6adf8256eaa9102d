"""Rows of people who sign in: a read by id with their cookies and tokens, beside the same with keys, and the sign-in itself."""

import argparse
import dataclasses
import json

import installation
import load
import report

COOKIES, TOKENS = f"{load.READ_BY_ID}, with cookies", f"{load.READ_BY_ID}, with tokens"
NEW_COOKIES, NEW_TOKENS = f"{COOKIES}, new each", f"{TOKENS}, new each"
SIGN_IN = "sign in"
KINDS = {COOKIES: "cookie", TOKENS: "jwt", NEW_COOKIES: "cookie", NEW_TOKENS: "jwt"}
BESIDE = {COOKIES: load.READ_BY_ID, TOKENS: load.READ_BY_ID, NEW_COOKIES: load.FIRST_USE, NEW_TOKENS: load.FIRST_USE}
ACCOUNTS = 32
MOST_SIGNING_IN = 32  # connections: of more than wait for a hash, some are refused
LEAST_SECONDS = 4  # of sign-ins, each of which takes some ten milliseconds of one thread


class Reads:
    """Reads by sessions of one person: as many as the customer has keys, or ones that no request had before."""

    def __init__(self, place, customer, user, what):
        self._place, self._customer, self._user, self._kind = place, customer, user, KINDS[what]
        self.once = what in (NEW_COOKIES, NEW_TOKENS)
        self._kept = None if self.once else load.Again(self._lines(customer.keys))

    def _lines(self, count):
        prefix = "svc_session=" if self._kind == "cookie" else ""
        shifts = self._customer.shifts
        return [f"GET\t/api/shifts/{shifts[number % len(shifts)]}\t{prefix}{secret}"
                for number, secret in enumerate(self._place.sessions(self._customer, self._user, self._kind, count))]

    def __call__(self, seconds, connections):
        if self._kept:
            return self._kept(seconds, connections)
        return self._lines(seconds * min(load.MOST_FIRST_SESSIONS, load.MOST_ON_ONE * connections))


def cells(place, options, report_cell):
    """The rows, on a started installation; `report_cell` is given each cell."""
    wanted = [what for what in (*KINDS, SIGN_IN) if not options.operation or options.operation in what]
    if not wanted:
        return
    customer = place.customers[0]
    customer.connect(place.port)
    reader, _ = customer.make_user()  # who signs in has other accounts: it would end so many sessions
    accounts = [customer.make_user()[1] for _ in range(ACCOUNTS)] if SIGN_IN in wanted else []
    place.settle([customer])

    def row(what, requests, counts, how=options):
        for connections in counts:
            report_cell(load.measure(what, place.pids, place.port, requests, place.directory, connections, how))
    for what in wanted:
        if what == SIGN_IN:
            bodies = [json.dumps({"email": email, "password": installation.PASSWORD}) for email in accounts]
            row(what, load.Again(f"POST\t/api/auth/login\t-\t{body}" for body in bodies),
                [connections for connections in options.connections if connections <= MOST_SIGNING_IN],
                argparse.Namespace(**vars(options) | {"duration": max(options.duration, LEAST_SECONDS)}))
        else:
            requests = Reads(place, customer, reader, what)
            row(what, requests, [options.connections[len(options.connections) // 2]] if requests.once else options.connections)


def beside_keys(measured):
    """Reads with cookies and tokens as shares of the same with keys, of those that were measured: rows of report.RATIOS."""
    for what, with_keys in BESIDE.items():
        keys = [dataclasses.replace(cell, what=what) for cell in measured if cell.what == with_keys]
        yield from report.ratios(keys, [cell for cell in measured if cell.what == what])
