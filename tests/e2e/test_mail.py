# Mails on their way out: to SMTP servers with and without TLS and passwords, and to a gateway by HTTP; each once, whatever the
# other side says, with the text that it has and for whom it is.

import email
import email.policy
import hashlib
import hmac
import http.server
import json
import queue
import re
import secrets
import ssl
import subprocess
import tempfile
import threading
import unittest
import urllib.request
from datetime import date, datetime, timedelta, timezone
from email.utils import parsedate_to_datetime
from pathlib import Path

import people
import rest
import support
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult

FROM = "no-reply@mail.example.test"
USER, PASSWORD = "workforce", "a pass word of its own"
SECRET = secrets.token_hex(16)
SENT_SECONDS = 60
LINKS = "http://links.example.test"
service = scratch = certificate = None


def setUpModule():
    global service, scratch, certificate
    service = rest.start_service()
    scratch = Path(unittest.enterModuleContext(tempfile.TemporaryDirectory()))
    certificate = make_certificate()


def make_certificate():
    """A certificate of this machine that vouches for itself, and its key in one file."""
    key, cert = scratch / "key.pem", scratch / "cert.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                    "-keyout", key, "-out", cert, "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"],
                   check=True, capture_output=True, timeout=60)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    return {"file": str(cert), "context": context}


def secret_file(text):
    path = scratch / secrets.token_hex(4)
    path.touch(0o600)
    path.write_text(text + "\n", encoding="utf-8")
    return str(path)


class Server:
    """An SMTP server. It says what `answers` holds for an address, one answer a RCPT, and takes what nothing is said about."""

    def __init__(self, **options):
        self.port = support.free_port()
        self.answers = {}
        self.messages = []  # as (recipients, bytes, whether by TLS, who signed in)
        self.asked = []  # addresses, each time
        self._options = options
        self._controller = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self):
        self._controller = Controller(self, hostname="127.0.0.1", port=self.port, ready_timeout=30, **self._options)
        self._controller.start()

    def stop(self):
        if self._controller is not None:
            self._controller.stop()
        self._controller = None

    async def handle_RCPT(self, _server, _session, envelope, address, _options):
        self.asked.append(address)
        if self.answers.get(address):
            return self.answers[address].pop(0)
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, _server, session, envelope):
        self.messages.append((envelope.rcpt_tos, envelope.content, session.ssl is not None, session.auth_data))
        return "250 OK"

    def messages_to(self, address):
        return [message for message in self.messages if message[0] == [address]]


class Gateway(http.server.ThreadingHTTPServer):
    """What operators run in front of a provider. It answers what `statuses` holds for an address, and takes the rest."""

    def __init__(self):
        super().__init__(("127.0.0.1", support.free_port()), GatewayRequest)
        self.statuses = {}
        self.taken = []
        self.faults = queue.Queue()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()

    def taken_for(self, address):
        return [mail for mail in self.taken if mail["to"] == address]


class GatewayRequest(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):  # pylint: disable=invalid-name
        raw = self.rfile.read(int(self.headers["Content-Length"]))
        mail = json.loads(raw)
        signature = "sha256=" + hmac.new(SECRET.encode(), raw, hashlib.sha256).hexdigest()
        wanted = {"X-Service-Signature": signature, "Idempotency-Key": mail["id"], "Content-Type": "application/json"}
        if (wrong := {name: self.headers[name] for name, value in wanted.items() if self.headers[name] != value}) or \
                self.path != "/v1/mails":
            self.server.faults.put(f"{self.path} {wrong}")
        statuses = self.server.statuses.get(mail["to"])
        status = statuses.pop(0) if statuses else 202
        if status == 202:
            self.server.taken.append(mail)
        self.send_response(status)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_):
        """Says nothing."""


class MailCase(rest.RestCase):

    def setUp(self):
        self.owner = people.owner_of(service)
        self.facility = service.demo["facilityIds"][0]

    def use(self, **settings):
        """Has the service run with these settings of mail."""
        ours = ("WORKFORCE_MAIL", "WORKFORCE_SMTP")
        wanted = {name: value for name, value in service.env.items() if not name.startswith(ours)}
        wanted |= {f"WORKFORCE_{name.upper()}": str(value) for name, value in settings.items()}
        wanted["WORKFORCE_BASE_URL"] = LINKS
        if service.env != wanted:
            self.owner.close()  # its connection ends with the process
            service.stop()
            service.env = wanted
            service.start()

    def use_smtp(self, server, scheme="smtp", **settings):
        self.use(mail_channel="smtp", mail_from=FROM, smtp_url=f"{scheme}://127.0.0.1:{server.port}", **settings)

    def onboard(self, first="Ada"):
        made = self.owner.post("/api/staff", {"firstName": first, "lastName": "Mail",
                                              "email": f"{secrets.token_hex(8)}@staff.example.test"})
        return self.check(made, 201)

    def assign(self, staff, title="Nachtwäche ☾"):
        """A shift that the person is assigned to, of which they are to hear."""
        day = str(date.today() + timedelta(days=1 + secrets.randbelow(300)))
        body = {"facilityId": self.facility, "title": title, "date": day, "startTime": "08:00", "endTime": "12:00",
                "requiredWorkers": 1}
        shift = self.check(self.owner.post("/api/shifts", body), 201)
        self.check(self.owner.post(f"/api/shifts/{shift['id']}/assign", {"staffIds": [staff["id"]]}), 200)
        return shift

    def mail_to_new(self):
        """A person who is mailed to."""
        staff = self.onboard()
        self.assign(staff)
        return staff

    def outbox(self, person):
        """The mails to a person, as operators are shown them."""
        mails = json.loads(service.command("outbox", "--json", "--limit", "10000"))["mails"]
        return [mail for mail in mails if mail["person"] == person]

    def wait_outbox(self, staff, state, error=""):
        """The person's mail once it is in that state for that reason."""
        def found():
            mails = self.outbox(f"staff/{staff['id']}")
            return next((mail for mail in mails if mail["state"] == state and error in mail["lastError"]), None)
        return support.wait_until(found, SENT_SECONDS, f"the mail to staff/{staff['id']} is {state} ({error})")

    def counted(self, outcome):
        """What /metrics tells of attempts by SMTP that came to this."""
        with urllib.request.urlopen(service.demo["adminUrl"] + "/metrics", timeout=30) as answer:
            text = answer.read().decode()
        return float(re.search(f'^workforce_mails_total{{channel="smtp",outcome="{outcome}"}} (.*)$', text, re.MULTILINE)[1])

    def wait_message(self, server, address):
        """The only message to the address, once it is there."""
        support.wait_until(lambda: server.messages_to(address), SENT_SECONDS, f"{address} is mailed to")
        message, = server.messages_to(address)
        return message

    def check_silent(self, *texts):
        """None of what a mail says, or to whom, stands in the log lines or in clear beside the mail."""
        lines = service.log_from(0)
        for text in texts:
            self.assertNotIn(text, lines)
        self.assertEqual(support.clear_text_hits(service.postgres, "ops.outbox", texts), [])


class SmtpTest(MailCase):

    @classmethod
    def setUpClass(cls):
        cls.server = cls.enterClassContext(Server())

    def setUp(self):
        super().setUp()
        self.use_smtp(self.server)

    def test_an_invitation_and_an_assignment(self):
        server = self.server
        begun = datetime.now(timezone.utc).replace(microsecond=0)
        ada = people.make_user(service, firstName="Adä", password=None)
        staff = self.onboard("Zoë")
        shift = self.assign(staff)
        messages = [email.message_from_bytes(self.wait_message(server, to)[1], policy=email.policy.default)
                    for to in (ada["email"], staff["email"])]
        invitation, assignment = messages
        self.wait_message(server, self.mail_to_new()["email"])  # what would have come twice would be here
        for message, to in zip(messages, (ada["email"], staff["email"])):
            self.assertEqual(len(server.messages_to(to)), 1)
            self.assertEqual([message[name] for name in ("From", "To", "Auto-Submitted", "MIME-Version")],
                             [FROM, to, "auto-generated", "1.0"])
            self.assertEqual((message.get_content_type(), message.get_content_charset()), ("text/plain", "utf-8"))
            self.assertTrue(begun <= parsedate_to_datetime(message["Date"]) <= datetime.now(timezone.utc), message["Date"])
        self.assertEqual(len({message["Message-ID"] for message in messages}), 2)
        mail, = self.outbox(f"staff/{staff['id']}")
        self.assertEqual(assignment["Message-ID"], f"<{mail['id']}@mail.example.test>")
        self.assertEqual((mail["state"], mail["to"], mail["subject"], mail["text"], mail["erased"]), ("sent", "", "", "", False))
        self.assertEqual(assignment["Subject"], f"You are assigned to {shift['title']} on {shift['date']}")
        self.assertEqual(assignment.get_content().replace("\r\n", "\n"),
                         f"Hello Zoë,\n\nyou are assigned to the shift {shift['title']} on "
                         f"{shift['date']}, from 08:00 to 12:00.\n")
        self.assertEqual(invitation["Subject"], "Your invitation")
        text = invitation.get_content()
        self.assertTrue(text.startswith("Hello Adä,\r\n"), text)
        token = text.split(f"{LINKS}/invite/")[1].split()[0]
        accepted = people.client_of(service).post(people.ACCEPT, {"token": token, "password": people.PASSWORD})
        self.check(accepted, 204)
        self.check_silent(ada["email"], staff["email"], token)

    def test_a_server_that_is_away(self):
        server = self.server
        server.stop()
        staff = self.mail_to_new()
        waiting = self.wait_outbox(staff, "waiting", "connect")
        self.assertEqual(waiting["to"], staff["email"])
        failed, sent = self.counted("failed"), self.counted("sent")
        self.assertGreater(failed, 0)
        server.start()
        self.wait_message(server, staff["email"])
        self.wait_outbox(staff, "sent")
        support.wait_until(lambda: self.counted("sent") > sent, SENT_SECONDS, "metrics tell of it")
        self.check_silent(staff["email"])

    def test_a_recipient_who_is_refused(self):
        server = self.server
        service.command("reactors", "pause", "mail", "--reason", "a test")
        self.addCleanup(service.command, "reactors", "resume")
        ghost = self.onboard()
        server.answers[ghost["email"]] = ["550 5.1.1 no such user <" + ghost["email"] + ">"]
        self.assign(ghost)
        self.wait_outbox(ghost, "waiting")
        other = self.mail_to_new()
        self.wait_outbox(other, "waiting")
        self.assertIn({"name": "mail", "paused": True}, json.loads(service.command("reactors", "--json"))["deliveries"])
        start = service.log_size()
        service.command("reactors", "resume", "mail")
        self.wait_message(server, other["email"])
        dropped = self.wait_outbox(ghost, "dropped", "RCPT was answered with 550")
        self.assertEqual((dropped["attempts"], server.asked.count(ghost["email"])), (1, 1))
        support.wait_until(lambda: "a mail is dropped" in service.log_from(start), 30, "it is logged")
        lines = [json.loads(line) for line in service.log_from(start).splitlines() if "a mail is dropped" in line]
        self.assertEqual([(line["level"], line["mail"], line["person"]) for line in lines],
                         [("warn", dropped["id"], f"staff/{ghost['id']}")])
        self.check_silent(ghost["email"])
        self.assertEqual(service.command("outbox", "retry", dropped["id"]), "mails that wait again: 1\n")
        self.wait_message(server, ghost["email"])
        self.assertEqual(service.command("outbox", "retry", dropped["id"]), "mails that wait again: 0\n")

    def test_a_recipient_who_is_deferred(self):
        server = self.server
        staff = self.onboard()
        server.answers[staff["email"]] = ["451 4.7.1 later", "450 4.2.1 later still"]
        self.assign(staff)
        self.wait_message(server, staff["email"])
        self.assertEqual(server.asked.count(staff["email"]), 3)
        self.wait_outbox(staff, "sent")
        lines = [json.loads(line) for line in service.log_from(0).splitlines() if f"staff/{staff['id']}\"" in line]
        self.assertEqual([line["error"] for line in lines], ["RCPT was answered with 451", "RCPT was answered with 450"])

    def test_a_person_who_is_erased_before_it_leaves(self):
        server = self.server
        service.command("reactors", "pause", "mail", "--reason", "a test")
        self.addCleanup(service.command, "reactors", "resume")
        staff = self.mail_to_new()
        self.wait_outbox(staff, "waiting")
        service.command("erase", f"staff/{staff['id']}", "--reason", "asked for")
        service.command("reactors", "resume", "mail")
        self.wait_outbox(staff, "dropped", "erased")
        self.wait_message(server, self.mail_to_new()["email"])
        self.assertNotIn(staff["email"], server.asked)

    def test_without_a_channel_mails_stay_also_when_one_comes(self):
        server = self.server
        self.use()
        kept = self.mail_to_new()
        self.assertEqual(self.wait_outbox(kept, "kept")["to"], kept["email"])
        self.use_smtp(server)
        self.wait_message(server, self.mail_to_new()["email"])
        self.assertEqual([kept["email"] in server.asked, self.wait_outbox(kept, "kept")["to"]], [False, kept["email"]])


class SmtpTlsTest(MailCase):

    @staticmethod
    def authenticator(_server, _session, _envelope, _mechanism, login):
        given = (login.login.decode(), login.password.decode()) == (USER, PASSWORD)
        return AuthResult(success=given, handled=False, auth_data=USER)

    def server(self, **options):
        return self.enterContext(Server(**({"authenticator": self.authenticator, "auth_required": True} | options)))

    def use_password(self, server, password=PASSWORD, **settings):
        self.use_smtp(server, smtp_user=USER, smtp_password_file=secret_file(password), mail_ca_file=certificate["file"],
                      **settings)

    def test_starttls_with_a_password(self):
        server = self.server(tls_context=certificate["context"], require_starttls=True)
        self.use_password(server, smtp_tls="required")
        self.assertEqual(self.wait_message(server, self.mail_to_new()["email"])[2:], (True, USER))
        self.check_silent(PASSWORD)
        self.assertNotIn(PASSWORD, service.command("config"))

    def test_a_wrong_password_and_then_the_right_one(self):
        server = self.server(tls_context=certificate["context"])
        self.use_password(server, "another one", smtp_tls="required")
        staff = self.mail_to_new()
        self.wait_outbox(staff, "waiting", "denied")
        self.use_password(server, smtp_tls="required")
        self.wait_message(server, staff["email"])

    def test_tls_from_the_first_byte(self):
        server = self.server(ssl_context=certificate["context"], auth_require_tls=False)
        self.use_password(server, scheme="smtps")
        self.assertEqual(self.wait_message(server, self.mail_to_new()["email"])[3], USER)

    def test_nothing_is_told_to_who_has_no_certificate_or_no_tls(self):
        server = self.server(tls_context=certificate["context"], auth_required=False)
        self.use_smtp(server, smtp_tls="required")
        staff = self.mail_to_new()
        self.wait_outbox(staff, "waiting", "certificate")
        plain = self.server(auth_required=False)
        self.use_smtp(plain, smtp_tls="required")
        self.wait_outbox(staff, "waiting", "SSL")
        self.assertEqual((server.asked, plain.asked), ([], []))
        self.use_smtp(plain)
        self.wait_message(plain, staff["email"])


class GatewayTest(MailCase):

    def test_mails_are_posted_and_signed(self):
        with Gateway() as gateway:
            self.use(mail_channel="http", mail_http_url=f"http://127.0.0.1:{gateway.server_port}/v1/mails",
                     mail_http_secret_file=secret_file(SECRET))
            away, refused, staff = (self.onboard(first) for first in ("Ada", "Bob", "Zoë"))
            gateway.statuses = {away["email"]: [503, 429], refused["email"]: [422]}
            shifts = [self.assign(each) for each in (away, refused, staff)]
            for each in (staff, away):
                support.wait_until(lambda to=each["email"]: gateway.taken_for(to), SENT_SECONDS, "the gateway has taken it")
                self.wait_outbox(each, "sent")
            dropped = self.wait_outbox(refused, "dropped", "the gateway answered 422")
            self.assertEqual(dropped["attempts"], 1)
            self.assertEqual([len(gateway.taken_for(each["email"])) for each in (away, refused, staff)], [1, 0, 1])
            taken, = gateway.taken_for(staff["email"])
            self.assertEqual(set(taken), {"id", "organizationId", "to", "subject", "text"})
            self.assertEqual(taken["id"], self.outbox(f"staff/{staff['id']}")[0]["id"])
            self.assertEqual(taken["organizationId"], service.demo["organizationId"])
            self.assertIn(shifts[2]["title"], taken["subject"])
            self.assertTrue(taken["text"].startswith("Hello Zoë,"))
            self.assertTrue(gateway.faults.empty(), list(gateway.faults.queue))
            self.check_silent(staff["email"], SECRET)


class SettingsTest(MailCase):

    def refusal(self, command="serve", **settings):
        """What the program says of these settings before it ends."""
        environment = service.env | {f"WORKFORCE_{name.upper()}": str(value) for name, value in settings.items()}
        done = subprocess.run([support.binary(), command], env=environment, capture_output=True, text=True, timeout=60, check=False)
        self.assertNotEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stderr.strip().splitlines()[-1]

    def test_what_is_missing_or_wrong_is_one_line(self):
        self.use()
        self.assertIn("'pigeon' is not one of outbox, smtp, http", self.refusal(mail_channel="pigeon"))
        self.assertIn("'smtp' needs mail_from", self.refusal(mail_channel="smtp"))
        shared = secret_file(PASSWORD)
        Path(shared).chmod(0o644)
        smtp = {"mail_channel": "smtp", "mail_from": FROM, "smtp_url": "smtp://127.0.0.1:1", "smtp_user": USER}
        self.assertIn("chmod 600", self.refusal(**smtp, smtp_password_file=shared))
        smtp["smtp_password_file"] = secret_file(PASSWORD)
        self.assertIn(f"{scratch}/none", self.refusal(**smtp, mail_ca_file=scratch / "none"))


if __name__ == "__main__":
    unittest.main()
