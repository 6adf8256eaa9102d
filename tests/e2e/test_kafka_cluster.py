# Several processes whose log is in Kafka: all that holds of several processes.

import test_cluster
from kafka_cluster import OnKafka, by_default


@by_default("test_a_killed_owner_is_replaced_and_nothing_is_lost", "test_an_end_in_order_costs_no_answer",
            "test_a_third_process_gets_its_share", "test_a_read_that_is_behind_denies_nothing_and_a_process_stays_ready",
            "test_a_zombie_can_not_take_its_partitions_back", "test_events_of_a_new_type_wait_for_processes_of_the_release_before",
            "test_a_write_that_others_could_not_be_told_of_is_no_secret_here")
class KafkaClusterTest(OnKafka, test_cluster.ClusterTest):
    """On one broker."""
