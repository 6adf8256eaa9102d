# Several processes whose log is in Kafka: all that holds of several processes.

import test_cluster
from kafka_cluster import OnKafka


class KafkaClusterTest(OnKafka, test_cluster.ClusterTest):
    """On one broker."""
