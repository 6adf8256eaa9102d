# Proxies in front of the service that add a header to each request and pass each byte on as it comes: a credential, for clients
# that can't send one, or the client's address.

import contextlib
import socket
import socketserver
import threading

_END = b"\r\n\r\n"


class _Connection(socketserver.BaseRequestHandler):
    """A client's connection, with one of its own to the service. Requests pass with a header more, answers as they are."""

    def handle(self):
        with socket.create_connection(self.server.target) as service:
            answers = threading.Thread(target=_pass_on, args=(service, self.request), daemon=True)
            answers.start()
            with contextlib.suppress(OSError):
                self._requests(service)
            # The service hears that the client is gone, and what it still has to say goes nowhere.
            for end in (service, self.request):
                with contextlib.suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)
            answers.join()

    def _requests(self, service):
        """Passes requests on to the client's end: heads as bytes up to the empty line, bodies by their length."""
        kept = b""
        while True:
            while _END not in kept:
                if not (more := self.request.recv(65536)):
                    return
                kept += more
            head, kept = kept.split(_END, 1)
            lines = head.split(b"\r\n")
            lengths = [int(line.split(b":")[1]) for line in lines if line.lower().startswith(b"content-length:")]
            if any(line.lower().startswith(b"transfer-encoding:") for line in lines):
                raise OSError("a body without a length")
            service.sendall(head + b"\r\n" + self.server.header_for(self.client_address[0]) + _END)
            left = lengths[0] if lengths else 0
            while left:
                if not kept and not (kept := self.request.recv(65536)):
                    return
                service.sendall(kept[:left])
                left, kept = left - len(kept[:left]), kept[left:]


def _pass_on(source, target):
    """Bytes from one socket to another, until either ends."""
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_RDWR)


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = daemon_threads = True


@contextlib.contextmanager
def _header_proxy(port, target_port, header_for):
    """Listens on a port of the loopback interface while the block lasts, in front of `target_port`, and adds what `header_for`
    makes of a client's address. The Host header stays as the client sent it, so that the service's public address has to be
    this proxy's."""
    with _Server(("127.0.0.1", port), _Connection) as server:
        server.target, server.header_for = ("127.0.0.1", target_port), header_for
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            server.shutdown()
            thread.join()


def credential_proxy(port, target_port, key):
    """A proxy that adds the key to each request."""
    return _header_proxy(port, target_port, lambda address: f"Authorization: Bearer {key}".encode())


def address_proxy(port, target_port, name="X-Forwarded-For", form="{}"):
    """A proxy that tells the client's address in a header of that name, behind whatever the client itself says there."""
    return _header_proxy(port, target_port, lambda address: f"{name}: {form.format(address)}".encode())
