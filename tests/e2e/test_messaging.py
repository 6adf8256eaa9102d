# Conversations and their messages: who takes part and who does not, how messages come to people, what senders take back, and what
# agents need a person's word for.

import email
import email.policy
import json
import secrets
import unittest

import approvals
import people
import rest
import support
from test_mail import FROM, Server

CONVERSATIONS, MESSAGES = "/api/conversations", "/api/messages"
SCOPES = ["communications:read", "communications:write"]
RUN_SECONDS = SENT_SECONDS = 60
ABSENT = 9_000_000_000
service = server = owner = None
here = there = 0
ada = ben = outsider = None  # clients of users, who are in `ids`
ids = {}


def setUpModule():
    global service, server, owner, here, there, ada, ben, outsider
    server = unittest.enterModuleContext(Server())
    service = rest.start_service({"WORKFORCE_MAIL_CHANNEL": "smtp", "WORKFORCE_MAIL_FROM": FROM,
                                  "WORKFORCE_SMTP_URL": f"smtp://127.0.0.1:{server.port}"})
    owner = rest.client_of(service)
    here, there = service.demo["facilityIds"]
    ada, ben, outsider = user("ada", role="admin"), user("ben", role="scheduler"), user("outsider", role="admin")


def user(name, **fields):
    """A client with a token of a new user."""
    made = people.make_user(service, **fields)
    ids[name] = made["id"]
    return people.take_token(service, made["email"])


def key_of(name=None, **fields):
    """A client with a new key, of the user where one is named."""
    return owner.with_key(rest.make_key(service, SCOPES, user=ids[name] if name else None, **fields)[1])


def onboard(**fields):
    made = owner.post("/api/staff", {"firstName": "Mia", "lastName": "Told", "email": f"{secrets.token_hex(8)}@staff.example.test",
                                     **fields})
    assert made.status == 201, str(made)
    return made.body


class MessagingCase(rest.RestCase):

    def begin(self, client=None, **fields):
        """A conversation of the client's, with Ben where nobody is named."""
        if not fields.keys() & {"participantUserIds", "participantStaffIds"}:
            fields["participantUserIds"] = [ids["ben"]]
        return self.check((client or ada).post(CONVERSATIONS, fields), 201)

    def say(self, conversation, body="Hello", client=None, **fields):
        return self.check((client or ada).post(f"{CONVERSATIONS}/{conversation['id']}/messages", {"body": body, **fields}), 201)

    def said(self, conversation, client=None):
        """Its messages, the latest first."""
        return self.check((client or ada).get(f"{CONVERSATIONS}/{conversation['id']}/messages"), 200)["data"]

    def shown(self, conversation, client=None):
        return self.check((client or ada).get(f"{CONVERSATIONS}/{conversation['id']}"), 200)

    def listed(self, client, **query):
        return [row["id"] for page in rest.pages(client, CONVERSATIONS, limit=200, **query) for row in page]

    def settled(self, conversation, client=None):
        """Its latest message once none of its mails waits."""
        def look():
            newest = self.said(conversation, client)[0]
            return newest if all(each["status"] != "queued" for each in newest["deliveries"]) else None
        return support.wait_until(look, SENT_SECONDS, "nothing is queued")

    def check_hidden(self, conversation, client, message=None):
        """Whoever takes no part finds nothing."""
        where = f"{CONVERSATIONS}/{conversation['id']}"
        self.assertNotIn(conversation["id"], self.listed(client))
        for answer in (client.get(where), client.get(where + "/messages"), client.post(where + "/messages", {"body": "Me, too"}),
                       client.post(where + "/read"), *([client.delete(f"{MESSAGES}/{message['id']}")] if message else [])):
            self.check_refused(answer, 404, "NOT_FOUND")


class ConversationsTest(MessagingCase):

    def test_two_write_to_one_another(self):
        begun = self.begin(subject="Next week")
        self.assertEqual((begun["organizationId"], begun["facilityId"], begun["subject"], begun["type"], begun["participantUserIds"],
                          begun["participantStaffIds"], begun["createdBy"], begun["lastMessageAt"], begun["unreadCount"]),
                         (service.demo["organizationId"], None, "Next week", "direct", [ids["ada"], ids["ben"]], [], ids["ada"], None, 0))
        later = self.begin()
        first, second = self.say(begun, "One"), self.say(begun, "Two")
        self.assertEqual((first["conversationId"], first["senderType"], first["senderId"], first["body"], first["channels"],
                          first["retractedAt"]), (begun["id"], "user", ids["ada"], "One", ["in_app"], None))
        self.assertEqual(first["deliveries"], [{"recipientType": "user", "recipientId": ids["ben"], "channel": "in_app",
                                                "status": "sent", "error": ""}])
        self.assertEqual(self.said(begun), [second, first])
        self.assertEqual(self.listed(ada)[:2], [begun["id"], later["id"]], "the one with the latest message first")
        service.wait_projected()
        shown = self.shown(begun, ben)
        self.assertEqual((shown["unreadCount"], shown["lastMessageAt"]), (2, second["createdAt"]))
        self.assertEqual(self.said(begun, ben), [second, first])
        self.assertEqual(self.shown(begun)["unreadCount"], 0, "whoever sends has read")
        read = ben.post(f"{CONVERSATIONS}/{begun['id']}/read")
        self.assertEqual(self.check(read, 200)["unreadCount"], 0)
        again = ben.post(f"{CONVERSATIONS}/{begun['id']}/read")
        self.assertEqual((self.check(again, 200), again.headers["ETag"]), (read.body, read.headers["ETag"]))
        self.assertEqual(self.shown(begun, ben)["unreadCount"], 0)
        self.say(begun, "Three", ben)
        service.wait_projected()
        self.assertEqual((self.shown(begun)["unreadCount"], self.shown(begun, ben)["unreadCount"]), (1, 0))
        self.assertEqual([each["id"] for each in self.check(ada.get(f"{CONVERSATIONS}/{begun['id']}/messages", sort="createdAt", limit=2),
                                                            200)["data"]], [first["id"], second["id"]])

    def test_others_see_nothing_but_operators(self):
        begun = self.begin(subject="Between us")
        message = self.say(begun, "Nobody else")
        service.wait_projected()
        for client in (outsider, owner, key_of("outsider"), key_of(), key_of(facility=here)):
            self.check_hidden(begun, client, message)
        self.assertEqual(self.listed(outsider, q="between US"), [])
        self.assertEqual(self.listed(ada, q="between US"), [begun["id"]])
        viewer = user("viewer", role="viewer")
        self.check_refused(viewer.get(CONVERSATIONS), 403, "FORBIDDEN")
        operator = people.operator_of(service)
        self.assertEqual((self.shown(begun, operator)["unreadCount"], self.said(begun, operator)[0]["body"]), (0, "Nobody else"))
        self.assertIn(begun["id"], self.listed(operator, orgUnitId=service.demo["organizationId"]))
        self.check_refused(operator.post(f"{CONVERSATIONS}/{begun['id']}/messages", {"body": "Me, too"}), 404, "NOT_FOUND")
        sandbox = key_of("ada", kind="test", facility=here)
        self.check_hidden(begun, sandbox, message)

    def test_staff_take_part_by_the_record_that_they_are(self):
        person = onboard(facilityIds=[here])
        begun = self.begin(participantStaffIds=[person["id"]], participantUserIds=[ids["ben"]])
        self.assertEqual((begun["type"], begun["participantUserIds"], begun["participantStaffIds"]),
                         ("group", [ids["ada"], ids["ben"]], [person["id"]]))
        self.say(begun, "To all")
        mia = user("mia", role="staff", staffId=person["id"])
        service.wait_projected()
        self.assertEqual((self.listed(mia), self.shown(begun, mia)["unreadCount"]), ([begun["id"]], 1))
        answer = self.say(begun, "From Mia", mia)
        self.assertEqual((answer["senderId"], [each["recipientId"] for each in answer["deliveries"]]),
                         (ids["mia"], [ids["ada"], ids["ben"]]), "not to herself")
        self.assertEqual(self.begin(mia)["participantUserIds"], [ids["mia"], ids["ben"]])
        named_twice = self.begin(participantUserIds=[ids["mia"]], participantStaffIds=[person["id"]])
        self.assertEqual((named_twice["participantUserIds"], named_twice["participantStaffIds"]), ([ids["ada"], ids["mia"]], []))

    def test_keys(self):
        """One without a user takes part in what such keys began; one of a user in what is theirs; both within their facility."""
        person = onboard()
        system, bound, own = key_of(), key_of(facility=here), key_of("ada")
        at = {facility: self.begin(system, participantStaffIds=[person["id"]], facilityId=facility) for facility in (here, there, None)}
        theirs = {facility: self.begin(facilityId=facility) for facility in (here, there)}
        service.wait_projected()
        self.assertEqual([at[here]["createdBy"], at[here]["participantUserIds"]], [None, []])
        self.assertEqual([row["id"] in self.listed(bound) for row in (*at.values(), *theirs.values())], [True, False, False, False, False])
        self.assertEqual(self.listed(system, facilityId=there), [at[there]["id"]])
        self.assertEqual({row["id"] for row in theirs.values()} - set(self.listed(own)), set())
        for hidden in (at[there], at[None], theirs[here]):
            self.check_hidden(hidden, bound)
        bound_to_ada = key_of("ada", facility=here)
        self.assertEqual([row["id"] in self.listed(bound_to_ada) for row in theirs.values()], [True, False])
        self.check_hidden(theirs[there], bound_to_ada)
        sent = self.say(at[here], "From the system", bound)
        self.assertEqual((sent["senderType"], sent["senderId"]), ("system", 0))
        self.check_refused(bound.post(f"{CONVERSATIONS}/{at[here]['id']}/read"), 403, "FORBIDDEN")
        self.assertEqual(self.check(bound.delete(f"{MESSAGES}/{sent['id']}"), 200)["body"], "")
        self.assertEqual(self.begin(bound, participantStaffIds=[person["id"]])["facilityId"], here)
        self.check_refused(bound.post(CONVERSATIONS, {"participantStaffIds": [person["id"]], "facilityId": there}), 403,
                           "FACILITY_SCOPE_VIOLATION")

    def test_who_may_be_named(self):
        gone, elsewhere = onboard(), onboard(facilityIds=[there])
        self.check(owner.delete(f"/api/staff/{gone['id']}"), 200)
        local = people.make_user(service, role="manager", facilityIds=[there])
        self.check_fields(ada.post(CONVERSATIONS, {"participantUserIds": [ids["ben"], ABSENT], "participantStaffIds": [gone["id"]]}),
                          "participantUserIds[1]", "participantStaffIds[0]")
        bound = key_of(facility=here)
        self.check_fields(bound.post(CONVERSATIONS, {"participantUserIds": [local["id"]], "participantStaffIds": [elsewhere["id"]]}),
                          "participantUserIds[0]", "participantStaffIds[0]")
        self.check_fields(ada.post(CONVERSATIONS, {"participantUserIds": [ids["ada"]]}), "participantUserIds")
        self.check_fields(ada.post(CONVERSATIONS, {"participantStaffIds": list(range(1, 2000))}), "participantStaffIds")
        self.check_refused(ada.post(CONVERSATIONS, {"participantUserIds": [ids["ben"]], "facilityId": ABSENT}), 403, "FACILITY_SCOPE_VIOLATION")
        operator = people.operator_of(service)
        self.check_fields(operator.post(CONVERSATIONS, {"participantUserIds": [ids["ben"]], "orgUnitId": 1}), "participantUserIds[0]")

    def test_a_message_has_its_limits(self):
        begun = self.begin()
        where = f"{CONVERSATIONS}/{begun['id']}/messages"
        for body in ("", "a" * 4001, None, 1, "a\0b"):
            self.check_fields(ada.post(where, {"body": body}), "body")
        self.check_fields(ada.post(where, {}), "body")
        self.check_fields(ada.post(where, {"body": "a", "channels": ["post"]}), "channels[0]")
        self.assertEqual(self.say(begun, "☾" * 4000)["body"], "☾" * 4000)
        self.check_refused(ada.post(f"{CONVERSATIONS}/{ABSENT}/messages", {"body": "a"}), 404, "NOT_FOUND")

    def test_a_message_is_where_its_answer_says(self):
        begun = self.begin()
        sent = ada.post(f"{CONVERSATIONS}/{begun['id']}/messages", {"body": "Where am I?"})
        self.assertEqual(self.check(sent, 201)["body"], "Where am I?")
        where = sent.headers["Location"]
        self.assertEqual(where, f"{MESSAGES}/{sent.body['id']}")
        service.wait_projected()
        for client in (ada, ben):
            self.assertEqual(self.check(client.get(where), 200), next(each for each in self.said(begun, client) if each["id"] == sent.body["id"]))
        self.check_refused(outsider.get(where), 404, "NOT_FOUND")
        self.check_refused(ada.get(f"{MESSAGES}/{ABSENT}"), 404, "NOT_FOUND")

    def test_a_message_is_taken_back(self):
        begun = self.begin()
        message = self.say(begun, "Too fast")
        service.wait_projected()
        self.check_refused(ben.delete(f"{MESSAGES}/{message['id']}"), 403, "FORBIDDEN")
        gone = self.check(ada.delete(f"{MESSAGES}/{message['id']}"), 200)
        self.assertEqual((gone["body"], gone["retractedAt"] is None), ("", False))
        self.assertEqual(self.check(ada.delete(f"{MESSAGES}/{message['id']}"), 200), gone)
        service.wait_projected()
        self.assertEqual(self.said(begun, ben), [gone])
        self.check_refused(ada.delete(f"{MESSAGES}/{ABSENT}"), 404, "NOT_FOUND")

    def test_those_who_are_written_to_are_told(self):
        person = onboard(facilityIds=[here])
        mia, kim = user("told", role="staff", staffId=person["id"]), user("kim")
        begun = self.begin(participantUserIds=[ids["kim"]], participantStaffIds=[person["id"]])
        self.say(begun, "A secret")
        for client in (mia, kim):
            told, = people.told(client)
            self.assertEqual((told["type"], told["resource"]), ("message", f"conversation:{begun['id']}"))
            self.assertNotIn("secret", told["title"] + told["body"])
        told = self.check(ada.get(people.NOTIFICATIONS), 200)["data"]
        self.assertNotIn(f"conversation:{begun['id']}", {each["resource"] for each in told})


class RecipientsTest(MessagingCase):
    """POST /api/messages."""

    def write(self, to, client=None, headers=None, **fields):
        return (client or ada).post(MESSAGES, {"to": to, "body": "Who can come?"} | fields, headers)

    def test_people(self):
        person = onboard()
        answer = self.write({"userIds": [ids["ben"]], "staffIds": [person["id"]]}, subject="Tonight")
        begun = self.check(answer, 201)
        self.assertEqual((begun["conversation"]["subject"], begun["conversation"]["type"], begun["message"]["body"]),
                         ("Tonight", "group", "Who can come?"))
        self.assertEqual(answer.headers["Location"], f"{CONVERSATIONS}/{begun['conversation']['id']}")
        self.assertEqual(begun["message"]["conversationId"], begun["conversation"]["id"])
        self.assertEqual(self.shown(begun["conversation"]), begun["conversation"])
        self.assertEqual(self.said(begun["conversation"]), [begun["message"]])

    def test_a_facility_and_a_shift(self):
        facility = self.check(owner.post("/api/facilities", {"name": f"House {secrets.token_hex(4)}"}), 201)["id"]
        staff = [onboard(facilityIds=[facility])["id"] for _ in range(3)]
        self.check(owner.delete(f"/api/staff/{staff[2]}"), 200)
        service.wait_projected()
        begun = self.check(self.write({"facilityId": facility}), 201)["conversation"]
        self.assertEqual((begun["type"], begun["facilityId"]), ("broadcast", facility))
        told = {each["id"] for each in owner.get("/api/staff", facilityId=facility, isActive="true", limit=200).body["data"]}
        self.assertEqual(set(begun["participantStaffIds"]), told)
        self.assertLessEqual(set(staff[:2]), told)
        self.assertNotIn(staff[2], told)
        shift = self.check(owner.post("/api/shifts", {"facilityId": facility, "title": "Watch", "date": "2031-01-01", "startTime": "08:00",
                                                      "endTime": "16:00", "requiredWorkers": 2, "assignedStaffIds": staff[1:2]}), 201)["id"]
        begun = self.check(self.write({"shiftId": shift, "userIds": [ids["ben"]]}), 201)["conversation"]
        self.assertEqual((begun["type"], begun["facilityId"], begun["participantStaffIds"], begun["participantUserIds"]),
                         ("broadcast", facility, staff[1:2], [ids["ada"], ids["ben"]]))
        for to, needed in (({"facilityId": facility}, "staff.view"), ({"shiftId": shift}, "shifts.view")):
            self.assertEqual(self.check_refused(self.write(to, key_of()), 403, "INSUFFICIENT_SCOPE")["permission"], needed)
        bound = owner.with_key(rest.make_key(service, [*SCOPES, "staff:read", "shifts:read"], facility=here)[1])
        self.check_refused(self.write({"facilityId": facility}, bound), 403, "FACILITY_SCOPE_VIOLATION")
        self.check_refused(self.write({"shiftId": shift}, bound), 404, "NOT_FOUND")
        self.check_refused(self.write({"shiftId": ABSENT}), 404, "NOT_FOUND")

    def test_nobody_unknown_and_too_many(self):
        for to in ({}, {"userIds": []}, {"userIds": [ids["ada"]]}):
            self.check_fields(self.write(to), "to.userIds")
        self.check_fields(self.write({"staffIds": [ABSENT], "userIds": [ids["ben"], ABSENT]}), "to.staffIds[0]", "to.userIds[1]")
        self.check_fields(self.write({"staffIds": list(range(1, 2000))}), "to.staffIds")
        self.check_fields(ada.post(MESSAGES, {"body": "a"}), "to")
        self.check_fields(ada.post(MESSAGES, {"to": {"userIds": [ids["ben"]]}, "body": "a\x01"}), "body")
        self.assertEqual(self.check(self.write({"userIds": [ids["ben"]]}, body="Two\nlines"), 201)["message"]["body"], "Two\nlines")
        self.check_fields(ada.post(MESSAGES, {"to": {"userIds": [ids["ben"]]}}), "body")

    def test_more_than_500_are_too_many(self):
        facility = self.check(owner.post("/api/facilities", {"name": f"Large {secrets.token_hex(4)}"}), 201)["id"]
        staff = [onboard(facilityIds=[facility])["id"] for _ in range(501)]
        service.wait_projected()
        self.check_fields(self.write({"facilityId": facility}), "to.staffIds")
        self.check_fields(self.write({"staffIds": staff}), "to.staffIds")
        begun = self.check(self.write({"staffIds": staff[:500]}), 201)
        self.assertEqual((len(begun["conversation"]["participantStaffIds"]), len(begun["message"]["deliveries"])), (500, 500))

    def test_a_repeat_sends_nothing_more(self):
        key = {"Idempotency-Key": secrets.token_hex(8)}
        first = self.write({"userIds": [ids["ben"]]}, headers=key)
        begun = self.check(first, 201)
        again = self.write({"userIds": [ids["ben"]]}, headers=key)
        self.assertEqual((self.check(again, 201), again.headers["Idempotency-Replayed"], again.headers["Location"]),
                         (begun, "true", first.headers["Location"]))
        self.check_refused(self.write({"userIds": [ids["outsider"]]}, headers=key), 409, "IDEMPOTENCY_KEY_CONFLICT")
        where, key = f"{CONVERSATIONS}/{begun['conversation']['id']}/messages", {"Idempotency-Key": secrets.token_hex(8)}
        sent = [self.check(ada.post(where, {"body": "Once"}, key), 201) for _ in range(2)]
        self.assertEqual(sent[0], sent[1])
        self.assertEqual(self.said(begun["conversation"]), [sent[0], begun["message"]])


class ChannelsTest(MessagingCase):

    def setUp(self):
        self.addCleanup(service.command, "reactors", "resume")

    def pause(self, name):
        service.command("reactors", "pause", name, "--reason", "a test")

    def statuses(self, message):
        return {(each["recipientId"], each["channel"]): (each["status"], each["error"]) for each in message["deliveries"]}

    def mails_to(self, person):
        mails = json.loads(service.command("outbox", "--json", "--limit", "10000"))["mails"]
        return [mail for mail in mails if mail["person"] == f"staff/{person['id']}"]

    def test_mail_and_texts(self):
        person, gone = onboard(), onboard()
        begun = self.begin(subject="Nachtwäche ☾", participantStaffIds=[person["id"], gone["id"]])
        self.check(owner.delete(f"/api/staff/{gone['id']}"), 200)
        sent = self.say(begun, "Wer kommt? ☾", channels=["email", "sms", "email"])
        self.assertEqual(sent["channels"], ["in_app", "email", "sms"])
        inactive = {(gone["id"], channel): ("failed", "inactive") for channel in sent["channels"]}
        expected = {(person["id"], "in_app"): ("sent", ""), (person["id"], "sms"): ("failed", "not_configured")} | inactive
        self.assertEqual(self.statuses(sent), expected | {(person["id"], "email"): ("queued", "")})
        self.assertEqual(self.statuses(self.settled(begun)), expected | {(person["id"], "email"): ("sent", "")})
        support.wait_until(lambda: server.messages_to(person["email"]), SENT_SECONDS, "the mail came")
        (_, raw, *_), = server.messages_to(person["email"])
        mail = email.message_from_bytes(raw, policy=email.policy.default)
        self.assertEqual((mail["Subject"], mail.get_content().replace("\r\n", "\n")), ("Nachtwäche ☾", "Wer kommt? ☾\n"))
        self.assertEqual(server.messages_to(gone["email"]), [])

    def test_what_is_taken_back_does_not_leave(self):
        person = onboard()
        begun = self.begin(participantStaffIds=[person["id"]])
        self.pause("message_mail")
        sent = self.say(begun, "Too fast", channels=["email"])
        self.check(ada.delete(f"{MESSAGES}/{sent['id']}"), 200)
        service.command("reactors", "resume", "message_mail")
        self.assertEqual(self.statuses(self.settled(begun))[person["id"], "email"], ("failed", "retracted"))
        self.assertEqual(self.mails_to(person), [])

    def test_who_is_erased_meanwhile_gets_none(self):
        person = onboard()
        begun = self.begin(participantStaffIds=[person["id"]])
        self.pause("message_mail")
        self.say(begun, channels=["email"])
        service.command("erase", f"staff/{person['id']}", "--reason", "asked for")
        service.command("reactors", "resume", "message_mail")
        self.assertEqual(self.statuses(self.settled(begun))[person["id"], "email"], ("failed", "no_address"))
        self.assertEqual(self.statuses(self.say(begun))[person["id"], "in_app"], ("failed", "inactive"))

    def test_nothing_leaves_the_sandbox(self):
        sandbox = key_of("ada", kind="test", facility=here)
        writes = owner.with_key(rest.make_key(service, ["staff:write"], kind="test", facility=here)[1])
        address = f"{secrets.token_hex(8)}@staff.example.test"
        person = self.check(writes.post("/api/staff", {"firstName": "Sandy", "lastName": "Box", "email": address}), 201)
        begun = self.check(sandbox.post(MESSAGES, {"to": {"staffIds": [person["id"]]}, "body": "Hello", "channels": ["email", "sms"]}), 201)
        self.assertEqual(self.statuses(begun["message"]), {(person["id"], "in_app"): ("sent", ""),
                                                           (person["id"], "email"): ("skipped_sandbox", ""),
                                                           (person["id"], "sms"): ("skipped_sandbox", "")})
        service.wait_projected()
        self.check_hidden(begun["conversation"], ada)
        other = key_of(kind="test", facility=here)
        self.assertEqual(self.said(begun["conversation"], other), [begun["message"]], "nothing is meant for anybody there")
        self.check_hidden(begun["conversation"], key_of(kind="test", facility=there), begun["message"])
        self.assertEqual(server.messages_to(address), [])

    def test_erasure(self):
        """What was said is gone wherever anybody looks, and so is a mail that says it."""
        person, needle = onboard(), f"Quasthoff{secrets.token_hex(8)}"
        key = {"Idempotency-Key": secrets.token_hex(8)}
        self.pause("mail")
        body = {"to": {"staffIds": [person["id"]]}, "subject": needle, "body": needle, "channels": ["email"]}
        begun = self.check(ada.post(MESSAGES, body, key), 201)
        conversation = begun["conversation"]
        self.settled(conversation)
        mail, = self.mails_to(person)
        self.assertEqual((mail["state"], mail["subject"], mail["text"]), ("waiting", needle, needle + "\n"))
        self.assertFalse(any(service.log_text_hits([needle]).values()), "the log has it sealed")
        service.command("erase", f"conversation/{conversation['id']}", "--reason", "asked for")
        service.wait_projected()
        message, = self.said(conversation)
        self.assertEqual((self.shown(conversation)["subject"], message["body"]), ("", ""))
        self.assertEqual(self.listed(ada, q=needle), [])
        self.check_refused(ada.post(f"{CONVERSATIONS}/{conversation['id']}/messages", {"body": "More"}), 409, "INVALID_STATE_TRANSITION")
        self.check_refused(ada.post(MESSAGES, body, key), 404, "NOT_FOUND")
        service.command("reactors", "resume", "mail")
        dropped = support.wait_until(lambda: [each for each in self.mails_to(person) if each["state"] == "dropped"], SENT_SECONDS, "it is dropped")
        self.assertEqual((dropped[0]["text"], dropped[0]["erased"]), ("", True))
        self.assertEqual(server.messages_to(person["email"]), [])
        for schema in ("read", "log", "projection", "ops", "reactor"):
            for table in support.tables_of(service.postgres, schema):
                self.assertEqual(support.clear_text_hits(service.postgres, table, [needle]), [], table)


class ToolsTest(MessagingCase):

    def test_tools(self):
        person = onboard()
        agent = approvals.Agent(service, SCOPES, user=ids["ada"], tier="standard")
        sent = agent.call("messages_send", to={"staffIds": [person["id"]]}, body="By a tool").content
        self.assertEqual((sent["message"]["senderType"], sent["message"]["senderId"]), ("user", ids["ada"]))
        listed = agent.call("conversations_list").content
        self.assertEqual(listed["data"][0], sent["conversation"])
        basic = approvals.Agent(service, SCOPES, user=ids["ada"], tier="basic")
        self.assertEqual(basic.call("messages_send", to={"staffIds": [person["id"]]}, body="No").error["data"]["code"], "TIER_REQUIRED")
        many = [onboard()["id"] for _ in range(11)]
        self.assertEqual(len(agent.call("messages_send", to={"staffIds": many}, body="All").content["message"]["deliveries"]), 11,
                         "no run of an agent")

    def test_an_agent_asks_before_it_writes_to_many(self):
        few, many = [onboard()["id"] for _ in range(10)], [onboard()["id"] for _ in range(11)]
        send = {"tool": "messages_send", "arguments": {"to": {"staffIds": "{{input.staffIds}}"}, "body": "From an agent"}}
        built = self.check(ada.post("/api/agent-builder", {"name": f"Writer {secrets.token_hex(4)}", "allowedTools": ["messages_*"],
                                                           "plan": [send]}), 201)
        runs = f"/api/agents/{built['id']}/runs"
        done = self.check(ada.post(runs, {"input": {"staffIds": few}, "wait": 55}), 200)
        self.assertEqual(done["status"], "completed", done)
        message, conversation = done["output"]["message"], done["output"]["conversation"]
        self.assertEqual((message["senderType"], message["senderId"], conversation["type"], len(message["deliveries"])),
                         ("agent", built["id"], "agent", 10))
        waits = self.check(ada.post(runs, {"input": {"staffIds": many}, "wait": 55}), 200)
        self.assertEqual(waits["status"], "pending_approval", waits)
        self.check(ada.post(f"/api/approvals/{waits['approvalId']}/approve"), 200)

        def ended():
            run = self.check(ada.get(f"/api/agent-runs/{waits['id']}"), 200)
            return run if run["status"] in ("completed", "failed") else None
        run = support.wait_until(ended, RUN_SECONDS, "the run ends")
        self.assertEqual((run["status"], len(run["output"]["message"]["deliveries"])), ("completed", 11), run)
