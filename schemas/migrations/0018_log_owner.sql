-- Which database may write to a Kafka topic. A topic's partitions each hold a record that names the incarnation of the
-- database that owns them (log.installation, names 'incarnation' and 'topic'); here stands where.
CREATE TABLE log.kafka_owner (
    topic         text   NOT NULL,
    partition     int    NOT NULL,
    record_offset bigint NOT NULL,
    PRIMARY KEY (topic, partition)
);
GRANT SELECT ON log.kafka_owner TO workforce_writer;

-- Tells this database from its copies, wherever they are: the cluster's identity and the database's number there. A
-- server that was promoted from a standby is the same. Servers that keep the cluster's identity to themselves give half.
CREATE FUNCTION log.database_identity() RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
    number text := (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database());
BEGIN
    RETURN (SELECT system_identifier FROM pg_catalog.pg_control_system()) || '/' || number;
EXCEPTION WHEN insufficient_privilege THEN
    RETURN '/' || number;
END $$;

-- A topic that was written before there were such records is marked once.
INSERT INTO log.installation (name, value) SELECT 'unmarked', 'true' FROM log.installation WHERE name = 'log' AND value = 'kafka';
