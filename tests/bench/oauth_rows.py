"""Rows of the authorization server: introspection, refresh, and requests with access tokens, beside npm's oidc-provider.

That keeps everything in memory, in one process on one core; ours writes each refresh to the disk before it answers, and audits, limits
and asks the database whether what a token opens still holds.
"""

import collections
import contextlib
import hashlib
import json
import secrets
import statistics
import urllib.parse
import urllib.request

import installation
import load
import machine

INTROSPECT, REFRESH, VERIFY = "introspect an access token", "refresh", "a request with an access token"
OTHER = "oidc-provider"
TURNS = 3
TOKENS = 128  # consents of one client; oidc-provider forgets all but the last thousand of its things
SETTINGS = {f"WORKFORCE_OAUTH_{what}_LIMIT": "0" for what in ("TOKEN", "STATE")}
FORM = "Content-Type: application/x-www-form-urlencoded"
BESIDE = ("", "connections", "requests/s", "CPU of servers")


def post(url, fields, kind="application/x-www-form-urlencoded"):
    """The document of an answer."""
    body = json.dumps(fields) if kind.endswith("json") else urllib.parse.urlencode(fields)
    request = urllib.request.Request(url, body.encode(), {"Content-Type": kind})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def consents(place, customer):
    """A client, and what so many consents of one user gave it: rows, as a consent and its code leave them."""
    base = f"http://127.0.0.1:{place.port}"
    client = post(f"{base}/oauth/register", {"client_name": "Bench", "redirect_uris": ["https://client.example.test/callback"],
                                             "token_endpoint_auth_method": "client_secret_post"}, "application/json")
    user, _ = customer.make_user()
    place.settle([customer])
    tokens = [secrets.token_urlsafe(32) for _ in range(TOKENS)]
    rows = ", ".join(f"('\\x{hashlib.sha256(token.encode()).hexdigest()}'::bytea)" for token in tokens)
    place.psql("WITH given AS (SELECT digest, row_number() OVER () AS place FROM (VALUES " + rows + ") AS v (digest)), "
               "chain AS (INSERT INTO auth.oauth_chain (organization_id, user_id, grant_id, client_id, scope, resource, ends_at) "
               f"SELECT {customer.organization}, {user}, 1, '{client['client_id']}', 'shifts:read', '', now() + interval '30 days' "
               "FROM given RETURNING id) "
               "INSERT INTO auth.oauth_refresh (digest, chain_id) SELECT g.digest, c.id FROM given g "
               "JOIN (SELECT id, row_number() OVER () AS place FROM chain) c USING (place)")
    of = {"client_id": client["client_id"], "client_secret": client["client_secret"]}
    given = [post(f"{base}/oauth/token", of | {"grant_type": "refresh_token", "refresh_token": token}) for token in tokens]
    return {"id": client["client_id"], "secret": client["client_secret"], "refresh": [each["refresh_token"] for each in given],
            "access": [each["access_token"] for each in given]}


@contextlib.contextmanager
def other(options, work):
    """oidc-provider, started: its port, its pid and what its consents gave."""
    port, file = machine.free_port(), work / "oidc.json"
    folder = installation.ROOT / "tests" / "bench" / "oidc"
    command = [installation.ROOT / "scripts" / "node", "--packages", folder, folder / "provider.cjs", port, TOKENS, file]
    with machine.server(command, port, work / "oidc.log") as pid:
        yield port, pid, json.loads(file.read_text())


def introspections(path, given):
    of = urllib.parse.urlencode({"client_id": given["id"], "client_secret": given["secret"]})
    return load.Again(f"POST\t{path}\t-\t{of}&token={token}\t{FORM}" for token in given["access"])


def refreshes(what, pids, port, path, given, work, connections, options):
    """A cell of refreshes. What is left of the tokens is for the next."""
    of = urllib.parse.urlencode({"client_id": given["id"], "client_secret": given["secret"]})
    file = work / "tokens"
    file.write_text("\n".join(given["refresh"].pop() for _ in range(connections + 4)) + "\n")
    before = load.cpu_of(pids)
    measured = load.run_wrk(port, connections, options.duration, "refresh.lua", file, path,
                            f"grant_type=refresh_token&refresh_token=TOKEN&{of}")
    return load.cell_of(what, connections, measured, load.cpu_since(before, pids, measured))


def cells(place, options, report_cell):
    """The rows, on an installation that was started with SETTINGS: each by turns, ours and the other's right after each other, so that
    what else the machine does meets both. A turn has tokens of its own, for refreshes push them out of the other's memory."""
    customer = place.customers[0]
    customer.connect(place.port)
    for connections in [each for each in options.connections if each <= 64]:
        for _ in range(TURNS):
            turn(place, customer, options, connections, report_cell)


def turn(place, customer, options, connections, report_cell):
    ours, shifts = consents(place, customer), customer.shifts
    verified = load.Again(f"GET\t/api/shifts/{shifts[number % len(shifts)]}\t{token}" for number, token in enumerate(ours["access"]))
    with other(options, place.directory) as (port, pid, theirs):
        sides = (("", place.pids, place.port, ours, "/oauth/introspect", "/oauth/token", verified),
                 (f"{OTHER}: ", {OTHER: pid}, port, theirs, "/token/introspection", "/token",
                  load.Again(f"GET\t/me\t{token}" for token in theirs["access"])))
        for what in (INTROSPECT, VERIFY, REFRESH):
            if options.operation and options.operation not in what:
                continue
            for name, pids, at, given, introspect, token, with_access in sides:
                if what == REFRESH:
                    report_cell(refreshes(name + what, pids, at, token, given, place.directory, connections, options))
                    continue
                requests = introspections(introspect, given) if what == INTROSPECT else with_access
                report_cell(load.measure(name + what, pids, at, requests, place.directory, connections, options))


def servers(cell):
    """CPU seconds of all but the load."""
    return sum(seconds for name, seconds in cell.cpu_s_per_1000.items() if name != "wrk")


def beside_other(measured):
    """Ours as shares of the other's, of each row and number of connections the median of the turns: rows of BESIDE."""
    turns = collections.defaultdict(lambda: ([], []))
    for cell in measured:
        turns[cell.what.removeprefix(f"{OTHER}: "), cell.connections][cell.what.startswith(OTHER)].append(cell)
    for (what, connections), (ours, theirs) in turns.items():
        pairs = list(zip(ours, theirs))
        rate = statistics.median(mine.rate / yours.rate for mine, yours in pairs)
        cpu = statistics.median(servers(mine) / servers(yours) for mine, yours in pairs)
        yield what, str(connections), f"{rate:.2f}", f"{cpu:.2f}"
