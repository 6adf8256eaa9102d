# Installations as a program of that time left them: what makes them, and what puts them up again.
#
# Each lies in tests/data/installations/NAME/: database.sql.gz (pg_dump), records.ndjson.gz (of the topic, where the log
# is in Kafka), master.key (of this installation alone), answers.json (the key of its demo, and what was answered).
# `python3 tests/e2e/installations.py NAME postgres|kafka` makes one with the program of today. What is there is never
# made again: later programs have to read it as it is.

import base64
import datetime
import gzip
import json
import sys
from pathlib import Path
from urllib.parse import urlsplit

import kafka_cluster
import rest
import support
from confluent_kafka import Producer
from confluent_kafka.admin import ConfigResource, NewTopic

HOME = support.PROJECT_ROOT / "tests" / "data" / "installations"
SECONDS = 60
# What former programs listed so is asked for like that now: their list of facilities had inactive ones, too.
ASKED_AS = {"/api/facilities": "/api/facilities?isActive=any"}
LISTS = (*ASKED_AS.values(), "/api/staff?isActive=true", "/api/staff?isActive=false", "/api/shifts")


def names():
    """All that there are."""
    return sorted(path.name for path in HOME.iterdir() if path.is_dir())


class Installation:
    """The files of one."""

    def __init__(self, name):
        self._directory = HOME / name
        self.kafka = self._path("records.ndjson.gz").exists()

    def _path(self, name):
        return self._directory / name

    @property
    def answers(self):
        return json.loads(self._path("answers.json").read_text(encoding="utf-8"))

    @property
    def master_key(self):
        return self._path("master.key").read_text(encoding="ascii")

    def restore_database(self, postgres):
        """Into a database that is empty, in a cluster that has the program's roles."""
        support.run(["psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-f", "-", postgres],
                    text=gzip.decompress(self._path("database.sql.gz").read_bytes()).decode())

    def restore_topic(self, kafka):
        """The topic under its own name, its records in their partitions, in their order."""
        topic, *records = map(json.loads, gzip.decompress(self._path("records.ndjson.gz").read_bytes()).splitlines())
        admin = kafka_cluster.admin_of(kafka.brokers)
        made = NewTopic(topic["name"], topic["partitions"], config=topic["config"])
        admin.create_topics([made], operation_timeout=SECONDS)[topic["name"]].result(SECONDS)
        producer = Producer({"bootstrap.servers": kafka.brokers, "enable.idempotence": True})
        for record in records:
            producer.produce(topic["name"], partition=record["partition"], key=_bytes(record["key"]),
                             value=_bytes(record["value"]), timestamp=record["timestamp"],
                             headers=[(name, _bytes(value)) for name, value in record["headers"]])
        if producer.flush(SECONDS):
            raise AssertionError("the records were not taken")

    def save(self, service, answers):
        """Writes all of it, from a service that stands still."""
        self._directory.mkdir(parents=True)
        dump = support.run(["pg_dump", "--no-owner", service.postgres.url])
        self._path("database.sql.gz").write_bytes(gzip.compress(dump.encode(), mtime=0))
        self._path("master.key").write_text(Path(service.env["WORKFORCE_MASTER_KEY_FILE"]).read_text(encoding="ascii"))
        self._path("answers.json").write_text(json.dumps(answers, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        if service.kafka:
            lines = "".join(json.dumps(line) + "\n" for line in _topic_lines(service))
            self._path("records.ndjson.gz").write_bytes(gzip.compress(lines.encode(), mtime=0))


def _text(data):
    return None if data is None else base64.b64encode(data).decode()


def _bytes(text):
    return None if text is None else base64.b64decode(text)


def _topic_lines(service):
    admin = kafka_cluster.admin_of(service.kafka.brokers)
    resource = ConfigResource(ConfigResource.Type.TOPIC, service.topic)
    config = admin.describe_configs([resource])[resource].result(SECONDS)
    partitions = len(admin.list_topics(service.topic, timeout=SECONDS).topics[service.topic].partitions)
    yield {"name": service.topic, "partitions": partitions,
           "config": {name: entry.value for name, entry in config.items() if entry.source == 1}}  # set for the topic itself
    for record in kafka_cluster.raw_records(service.kafka.brokers, service.topic):
        yield {"partition": record.partition(), "key": _text(record.key()), "value": _text(record.value()),
               "timestamp": record.timestamp()[1],
               "headers": [[name, _text(value)] for name, value in record.headers() or []]}


def moves_by_itself(shift):
    """Whether the clock may have moved a shift by the time that it is read again."""
    return shift["date"] < "2031" and shift["status"] not in ("completed", "cancelled")


def read_all(client):
    """What a client is told of everything, by path; what depends on the moment is left out."""
    found = {}
    for path in LISTS:
        answer = client.get(path)
        if answer.status != 200:
            raise AssertionError(str(answer))
        found[path] = [each for each in answer.body["data"] if "startsAt" not in each or not moves_by_itself(each)]
        for each in found[path]:
            found[one] = client.get(one := f"{urlsplit(path).path}/{each['id']}").body
    return found


def write_all(service, client):
    """Events of every type, beside those of the demo."""
    def send(method, path, body=None, status=200):
        answer = client.send(method, path, body, headers={"Idempotency-Key": f"{method} {path} {json.dumps(body)}"[:200]})
        if answer.status != status:
            raise AssertionError(str(answer))
        return answer.body

    place = send("POST", "/api/facilities", {"name": "Old Mill", "timezone": "UTC"}, 201)["id"]
    send("PATCH", f"/api/facilities/{place}", {"name": "Old Mill Ward"})
    spare = send("POST", "/api/facilities", {"name": "Closed", "timezone": "Europe/Berlin"}, 201)["id"]
    send("DELETE", f"/api/facilities/{spare}")
    people = [send("POST", "/api/staff", {"firstName": "Zoë", "lastName": f"Number {i}", "email": f"zoe{i}@example.test"}, 201)
              for i in range(4)]
    send("PATCH", f"/api/staff/{people[0]['id']}", {"phone": "+49 30 1234567"})
    send("DELETE", f"/api/staff/{people[1]['id']}")
    send("POST", f"/api/staff/{people[1]['id']}/reactivate")
    send("DELETE", f"/api/staff/{people[2]['id']}")

    def shift(date, begins="06:00", ends="14:00"):
        return send("POST", "/api/shifts", {"facilityId": place, "title": "Early", "date": date, "startTime": begins,
                                            "endTime": ends}, 201)["id"]

    now = datetime.datetime.now(datetime.timezone.utc)
    shifts = [shift(f"{now:%Y-%m-%d}", f"{now:%H:%M}", f"{now + datetime.timedelta(hours=2):%H:%M}")]  # one that can start
    shifts += [shift(f"2031-03-{day:02}") for day in range(2, 7)]
    for each in shifts[:3]:
        send("POST", f"/api/shifts/{each}/assign", {"staffId": people[0]["id"]})
    send("POST", f"/api/shifts/{shifts[1]}/unassign", {"staffId": people[0]["id"]})
    send("POST", f"/api/shifts/{shifts[0]}/start")
    send("POST", f"/api/shifts/{shifts[0]}/complete")
    send("POST", f"/api/shifts/{shifts[3]}/cancel", {"reason": "Closed for a day"})
    send("POST", f"/api/shifts/{shifts[4]}/cancel", {"reason": "By mistake"})
    send("POST", f"/api/shifts/{shifts[4]}/reopen")
    send("PATCH", f"/api/shifts/{shifts[2]}", {"title": "Early and long", "endTime": "15:00"})
    send("DELETE", f"/api/shifts/{shifts[5]}")
    send("POST", f"/api/shifts/{shifts[1]}/assign", {"staffId": people[2]["id"]}, 409)  # a refusal is kept, too
    service.command("erase", f"staff/{people[3]['id']}", "--reason", "Asked for by letter")
    rest.revoke_key(service, rest.make_key(service, ["shifts:read"])[0])


def make(name, engine):
    """Makes one with the program of today."""
    with support.Postgres() as postgres:
        if engine == "kafka":
            with kafka_cluster.Kafka() as kafka:
                return _make(name, support.Service(postgres, kafka))
        return _make(name, support.Service(postgres))


def _make(name, service):
    with service:
        client = rest.Client(service.demo["baseUrl"], service.demo["keys"]["live"])
        write_all(service, client)
        service.wait_projected()
        answers = {"topic": service.topic, "key": service.demo["keys"]["live"], "answers": read_all(client)}
        service.stop()
        Installation(name).save(service, answers)
        service.start()


if __name__ == "__main__":
    make(*sys.argv[1:])
