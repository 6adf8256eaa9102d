// What the engine writes to Kafka: headers and keys of records, claims and confirmations.
#pragma once

#include <librdkafka/rdkafka.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "events/kafka/client.hpp"

namespace workforce::events::kafka {

using Headers = std::unique_ptr<rd_kafka_headers_t, Release<rd_kafka_headers_destroy>>;

/// The CloudEvents binding of a body: its content type, and a `ce_` header for each of its attributes, so that
/// consumers filter without parsing. Our own readers look at the body alone.
Headers headers_of(std::string_view body);

/// The record's key: the subject of an event, empty for what has none.
std::string key_of(std::string_view body);

/// A claim's or confirmation's bytes, as words_of reads them. `nonce` tells it from others; `owner` is for people, and
/// empty in a confirmation. `source` is the CloudEvents source of the installation.
std::string make_claim(std::int64_t epoch, std::string_view nonce, std::string_view source, std::string_view owner);
std::string make_confirmation(std::int64_t epoch, std::string_view nonce, std::string_view source);

/// A record as it goes to a producer.
struct Outgoing {
    std::string key;  ///< empty: none
    std::string_view body;
    Headers headers;
};
/// Hands a record to librdkafka, which copies it; `opaque` comes back with its report. Does not block. The
/// error is the caller's to destroy, null for none.
rd_kafka_error_t* produce(Client& producer, int partition, Outgoing record, std::uint64_t opaque);

}  // namespace workforce::events::kafka
