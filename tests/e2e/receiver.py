# A receiver of webhooks on loopback that answers by script and keeps every request as it came, over TLS too.

import contextlib
import dataclasses
import gzip
import http.server
import socket
import ssl
import subprocess
import threading
import time

import support

_REASONS = {200: "OK", 204: "No Content", 302: "Found", 410: "Gone", 500: "Internal Server Error", 503: "Unavailable"}
_PIECE = 1 << 16


@dataclasses.dataclass(frozen=True)
class Request:
    """One request as it came. `headers` are looked up by name in any case."""

    method: str
    path: str
    headers: object
    body: bytes
    at: float  # wall clock


@dataclasses.dataclass(frozen=True)
class Reply:
    """What a request is answered."""

    status: int = 200
    body: bytes = b""
    headers: tuple = ()
    wait: float = 0.0  # seconds until the answer begins
    drip: float = 0.0  # seconds between one byte of the body and the next
    cut: bool = False  # the connection ends in the middle of the body


OK = Reply()
REDIRECT = "/elsewhere"
# Answers that go wrong, each in its way.
SLOW = Reply(wait=3600)
DRIP = Reply(body=b"." * 100_000, drip=0.3)
CUT = Reply(body=b"x" * 1000, cut=True)
HUGE = Reply(503, body=b"h" * (3 << 20))
BAD_UTF8 = Reply(500, body=b"caf\xe9 \xf0\x9f\x92 \xff\x00 end")


def bomb():
    """An answer of 64 MiB in 64 KiB. Packing it takes a quarter of a second, so it is made for those who ask for it."""
    return Reply(500, body=gzip.compress(b"\0" * (64 << 20)), headers=(("Content-Encoding", "gzip"), ("Content-Type", "text/plain")))


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128
    receiver = None

    def handle_error(self, request, client_address):
        """Clients that go away are what some scripts are about."""


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def setup(self):
        receiver = self.server.receiver
        if receiver.tls:
            self.request.settimeout(30)
            self.request = receiver.tls.wrap_socket(self.request, server_side=True)
        super().setup()

    def log_message(self, *_):  # pylint: disable=arguments-differ
        """Nothing."""

    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        receiver = self.server.receiver
        reply = receiver.take(Request(self.command, self.path, self.headers, body, time.time()))
        if receiver.closing.wait(reply.wait):
            return
        head = [f"HTTP/1.1 {reply.status} {_REASONS.get(reply.status, 'Scripted')}"]
        head += [f"{name}: {value}" for name, value in reply.headers]
        if reply.status != 204:
            head.append(f"Content-Length: {len(reply.body)}")
        self.wfile.write("\r\n".join([*head, "", ""]).encode())
        self.write_body(reply, receiver)

    def write_body(self, reply, receiver):
        if reply.drip:
            for at in range(len(reply.body)):
                self.wfile.write(reply.body[at:at + 1])
                if receiver.closing.wait(reply.drip):
                    return
        size = len(reply.body) // 2 if reply.cut else len(reply.body)
        for at in range(0, 0 if reply.drip else size, _PIECE):
            self.wfile.write(reply.body[at:min(at + _PIECE, size)])
        if reply.cut:
            self.close_connection = True

    do_POST = do_GET = do_PUT = do_DELETE = answer


class Receiver:
    """Use it as a context manager. What no script says is answered 200. `tls`: a context of ssl for servers."""

    def __init__(self, tls=None, port=0):
        self.tls = tls
        self.closing = threading.Event()
        self._lock = threading.Lock()
        self._scripts, self._requests = {}, []
        self._server = _Server(("127.0.0.1", port), _Handler)
        self._server.receiver = self
        self.port = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()

    def url(self, path, host="127.0.0.1"):
        return f"{'https' if self.tls else 'http'}://{host}:{self.port}{path}"

    def script(self, path, *replies):
        """Requests to the path get these, one after the other; the last one is for all that follow."""
        with self._lock:
            self._scripts[path] = list(replies)

    def take(self, request):
        """Keeps a request; what it is answered."""
        with self._lock:
            self._requests.append(request)
            replies = self._scripts.get(request.path, [OK])
            return replies.pop(0) if len(replies) > 1 else replies[0]

    def requests(self, path=None):
        """What came so far, in order; of one path or all."""
        with self._lock:
            return [request for request in self._requests if path in (None, request.path)]

    def wait(self, path, count=1, seconds=support.READY_SECONDS):
        """The same, once there are so many."""
        return support.wait_until(lambda: len(found := self.requests(path)) >= count and found, seconds,
                                  f"{count} requests to {path}")


def refused_port():
    """A port at which nobody listens."""
    return support.free_port()


class Authority:
    """A certificate authority of a suite's own, made by openssl in a directory. `file`: its certificate, in PEM."""

    _KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2")

    def __init__(self, directory):
        self._directory = directory
        self.file = directory / "authority.pem"
        self._make("authority", "-addext", "basicConstraints=critical,CA:TRUE", "-addext", "keyUsage=critical,keyCertSign")

    def _make(self, name, *options):
        files = ("-keyout", self._directory / f"{name}.key", "-out", self._directory / f"{name}.pem")
        command = ["openssl", "req", "-x509", *self._KEY, "-subj", f"/CN=Suite {name}", *files, *options]
        subprocess.run([str(part) for part in command], check=True, capture_output=True, timeout=60)

    def server(self, name, self_signed=False):
        """A context for a server of that DNS name; one that it signed itself is trusted by nobody."""
        signed = () if self_signed else ("-CA", self.file, "-CAkey", self.file.with_suffix(".key"))
        self._make(file := f"{name}-{self_signed}", *signed, "-addext", f"subjectAltName=DNS:{name}",
                   "-addext", "basicConstraints=critical,CA:FALSE", "-addext", "extendedKeyUsage=serverAuth")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self._directory / f"{file}.pem", self._directory / f"{file}.key")
        return context


@contextlib.contextmanager
def deaf_port():
    """A port that takes connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listener:
        yield listener.getsockname()[1]
