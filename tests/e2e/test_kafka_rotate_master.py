# The master key is replaced with the log in Kafka.

import test_rotate_master
from kafka_cluster import OnKafka


class KafkaRotateMasterTest(OnKafka, test_rotate_master.RotateMasterTest):
    """On one broker."""
