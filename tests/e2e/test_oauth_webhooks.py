# What OAuth clients subscribe to: what is delivered is what their scopes and their user's role allow, until the consent ends.

import json
import secrets

import oauth
import people
import receiver
import rest
import support
import webhooks
from kafka_cluster import OnKafka, by_default
from webhooks import WEBHOOKS, WebhookCase, where

SHIFTS = ["shift_posted", "shift_filled"]
ENDED_SECONDS = 30  # of what has to have ended within one, however busy the machine is


class ClientSubscriptionsTest(support.ServiceCase, WebhookCase):
    ENVIRONMENT = webhooks.settings()

    @classmethod
    def setUpClass(cls):
        cls.receiving = cls.enterClassContext(receiver.Receiver())
        super().setUpClass()
        cls.owner = rest.client_of(cls.service)

    def connect(self, who, scope="shifts:read"):
        """A client that the user has just let act for them: it, and what asks with its token."""
        client, tokens = oauth.connected(self.service, who["email"], scope)
        return client, people.client_of(self.service, tokens["access_token"])

    def cause(self):
        """A shift is posted and a lead qualified, and who is to hear of it has."""
        shift = {"facilityId": self.facilities[0], "title": "Heard of", "date": "2031-05-05", "startTime": "08:00", "endTime": "16:00"}
        self.check(self.owner.post("/api/shifts", shift), 201)
        lead = self.check(self.owner.post("/api/crm/leads", {"name": "Grace", "company": "Harbour Ltd"}), 201)
        self.check(self.owner.patch(f"/api/crm/leads/{lead['id']}", {"status": "qualified"}), 200)
        self.settle()

    def told(self, hook):
        return sorted(json.loads(request.body)["type"] for request in self.receiving.requests(hook["path"]))

    def effective(self, hook):
        return self.check(self.owner.get(where(hook)), 200)["effectiveEvents"]

    def check_silent(self, *hooks):
        """They are shown as what nothing is sent to, and nothing is."""
        for hook in hooks:
            support.wait_until(lambda of=hook: self.effective(of) == [], ENDED_SECONDS, "the subscription hears nothing more")
        before = [self.told(hook) for hook in hooks]
        self.cause()
        self.assertEqual([self.told(hook) for hook in hooks], before)

    def test_what_is_sent_is_what_both_may_read(self):
        who = people.make_user(self.service, role="scheduler")
        _, asks = self.connect(who, "shifts:read crm:read integrations:write")
        hook = self.subscribe(asks)
        self.assertEqual((hook["createdBy"]["type"], hook["createdBy"]["userId"]), ("oauth", who["id"]))
        self.assertEqual(hook["effectiveEvents"], SHIFTS, "a scheduler reads no leads, and manages no subscriptions")
        self.settle()
        self.assertEqual(self.effective(hook), SHIFTS)
        self.cause()
        self.assertEqual(self.told(hook), ["shift_posted"])
        self.check(self.owner.patch(f"/api/users/{who['id']}", {"role": "sales_rep"}), 200)
        self.settle()
        self.assertEqual(self.effective(hook), ["lead_qualified"])
        self.cause()
        self.assertEqual(self.told(hook), ["lead_qualified", "shift_posted"])

    def test_whose_it_is(self):
        """The user's, as of all their credentials."""
        who = people.make_user(self.service, role="scheduler")
        _, asks = self.connect(who)
        _, another = self.connect(who, "staff:read")
        _, stranger = self.connect(people.make_user(self.service, role="scheduler"))
        person = people.client_of(self.service, self.service.command("token", who["email"]).strip())
        hook = self.subscribe(asks)
        for client in (asks, another, person):
            self.assertIn(hook["id"], [each["id"] for each in self.check(client.get(WEBHOOKS), 200)["data"]])
            self.assertRegex(self.check(client.post(f"{where(hook)}/rotate-secret"), 200)["signingSecret"], "^whsec_")
        for send in (stranger.get, stranger.delete):
            self.check_refused(send(where(hook)), 404, "NOT_FOUND")
        own = self.subscribe(person)
        elsewhere = {"path": f"/{secrets.token_hex(6)}"}
        moved = self.check(another.patch(where(own), {"url": self.receiving.url(elsewhere["path"])}), 200)
        self.assertEqual(moved["effectiveEvents"], ["staff_onboarded"], "the address lends no right")
        self.settle()
        self.cause()
        self.assertEqual((self.told(own), self.told(elsewhere), self.told(hook)), ([], [], ["shift_posted"]))
        self.assertEqual(asks.delete(where(hook)).status, 204)

    def test_until_the_grant_ends(self):
        """Its user takes it back, as they or others do in several ways; a later consent revives nothing."""
        def revoke(who):
            person = people.sign_in(self.service, who["email"])
            grant, = self.check(person.get(oauth.GRANTS), 200)["data"]
            self.assertEqual(person.delete(f"{oauth.GRANTS}/{grant['id']}").status, 204)

        def change_password(who):
            self.assertLess(people.sign_in(self.service, who["email"]).post(people.CHANGE, {
                "currentPassword": people.PASSWORD, "newPassword": "another correct horse battery"}).status, 300)

        def come_back(who):
            self.assertLess(self.owner.delete(f"/api/users/{who['id']}").status, 300)
            self.check(self.owner.post(f"/api/users/{who['id']}/reactivate"), 200)

        def erase(who):
            self.service.command("erase", f"user/{who['id']}", "--reason", "asked")
        ends = (revoke, change_password, come_back, erase)
        people_ = [people.make_user(self.service, role="scheduler") for _ in ends]
        hooks = [self.subscribe(self.connect(who)[1]) for who in people_]
        kept = self.subscribe(self.connect(people.make_user(self.service, role="scheduler"))[1])
        self.cause()
        for end, who in zip(ends, people_):
            end(who)
        self.check_silent(*hooks)
        self.assertEqual([self.told(hook) for hook in (*hooks, kept)], [["shift_posted"]] * len(hooks) + [["shift_posted"] * 2])
        _, anew = self.connect(people_[0])
        self.check_silent(hooks[0])
        woken = self.check(anew.patch(where(hooks[0]), {"events": ["shift_posted"]}), 200)
        self.assertEqual(woken["effectiveEvents"], ["shift_posted"], "the new consent is told of")
        self.cause()
        self.assertEqual(self.told(hooks[0]), ["shift_posted"] * 2)

    def test_until_the_client_goes(self):
        client, asks = self.connect(people.make_user(self.service, role="scheduler"))
        hook, kept = self.subscribe(asks), self.subscribe(self.connect(people.make_user(self.service, role="scheduler"))[1])
        self.service.command("oauth-clients", "remove", client.id, "--reason", "it asked for too much")
        self.check_silent(hook)
        self.assertEqual(self.told(kept), ["shift_posted"])

    def test_what_waits_goes_with_the_grant(self):
        """What a receiver refused is not sent again to a client that may read nothing more."""
        who = people.make_user(self.service, role="scheduler")
        hook = self.subscribe(self.connect(who)[1])
        self.receiving.script(hook["path"], receiver.Reply(500))
        self.cause()
        attempt, = self.made_attempts(hook)
        self.assertEqual(attempt["status"], "failed")
        self.assertLess(self.owner.delete(f"/api/users/{who['id']}").status, 300)
        self.check_silent(hook)
        self.hurry(hook)
        self.settle()
        self.assertEqual(self.told(hook), ["shift_posted"])
        self.assertNotIn("pending", {each["status"] for each in self.attempts(hook)})


@by_default("test_until_the_grant_ends", "test_what_waits_goes_with_the_grant")
class ClientSubscriptionsOnKafkaTest(OnKafka, ClientSubscriptionsTest):
    pass
