-- Where events stand in the topic of the Kafka engine, some thousand events apart, so that a process that starts need not
-- read a partition from its beginning. Hints: who uses one looks first whether the record there has this hash.
CREATE TABLE log.kafka_mark (
    topic         text   NOT NULL,
    partition     int    NOT NULL,
    position      bigint NOT NULL,
    hash          text   NOT NULL,
    epoch         bigint NOT NULL,
    record_offset bigint NOT NULL,
    PRIMARY KEY (topic, partition, position)
);
GRANT SELECT, INSERT, UPDATE, DELETE ON log.kafka_mark TO workforce_writer;
