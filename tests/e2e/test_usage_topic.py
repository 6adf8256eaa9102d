# Usage rows in Kafka: CloudEvents that a stock reader reads, one for each row.

import json

import cloudevents.core.formats.json
import kafka_cluster
import rest
import support

SENT_SECONDS = 60


class UsageTopicTest(kafka_cluster.OnKafka, rest.RestCase, support.ServiceCase):

    def events(self):
        """The events of the topic by their ids."""
        reader, found = cloudevents.core.formats.json.JSONFormat(), {}
        for record in kafka_cluster.raw_records(self.kafka.brokers, f"{self.service.topic}.usage"):
            headers = dict(record.headers())
            self.assertEqual(headers["content-type"], b"application/cloudevents+json; charset=UTF-8")
            event = reader.read(None, record.value())
            self.assertEqual((record.key().decode(), headers["ce_type"].decode()), (event.get_subject(), event.get_type()))
            self.assertNotIn(event.get_id(), found)
            found[event.get_id()] = event
        return found

    def test_each_row_is_an_event(self):
        client = rest.client_of(self.service)
        lead = client.post("/api/crm/leads", {"name": "Le Ad"}).headers["Location"]
        answers = [client.get("/api/facilities"), client.get("/api/shifts/9000000"), client.patch(lead, {"status": "qualified"})]
        asked = [answer.headers["X-Request-Id"] for answer in answers]
        events = support.wait_until(lambda: set(asked) <= set(found := self.events()) and found, SENT_SECONDS, "all are in the topic")
        organization = self.service.demo["organizationId"]
        for request, tool, status, error, outcome in zip(
                asked, ("GET /api/facilities", "GET /api/shifts/{id}", "PATCH /api/crm/leads/{id}"), (200, 404, 200),
                (None, "NOT_FOUND", None), (None, None, "lead_qualified"), strict=True):
            event = events[request]
            self.assertEqual((event.get_type(), event.get_subject()), ("workforce.usage", f"organization:{organization}"))
            data = event.get_data()
            self.assertEqual((data["requestId"], data["tool"], data["statusCode"], data["errorCode"], data["outcomeType"]),
                             (request, tool, status, error, outcome))
            self.assertEqual((data["channel"], data["credentialType"], data["isError"], data["isSandbox"]),
                             ("rest", "live", status >= 400, False))
            row = json.loads(self.postgres.value(
                "SELECT json_build_object('organizationId', organization_id, 'apiKeyId', key_id, 'latencyMs', latency_ms) FROM usage.call "
                f"WHERE request_id = '{request.removeprefix('req_')}'"))
            self.assertEqual({name: data[name] for name in row}, row)
