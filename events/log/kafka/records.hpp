// What the engine writes to Kafka: headers and keys of records, claims and confirmations.
#pragma once

#include <librdkafka/rdkafka.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "events/log/kafka/client.hpp"

namespace workforce::events::kafka {

using Headers = std::unique_ptr<rd_kafka_headers_t, Release<rd_kafka_headers_destroy>>;

/// A record as it goes to a producer.
struct Outgoing {
    std::string key;  ///< empty: none
    std::string body;
    Headers headers;
};
/// The CloudEvents binding of a body: for consumers that filter without parsing, its subject as the key, its content
/// type and a `ce_` header for each of its attributes. Our own readers look at the body alone.
Outgoing outgoing(std::string body);

/// A claim's or confirmation's bytes, as words_of reads them. `nonce` tells it from others; `owner` is for people, and
/// empty in a confirmation. `source` is the CloudEvents source of the installation, `incarnation` that of the database
/// which claims (Owner), empty where none is known.
std::string make_claim(std::int64_t epoch, std::string_view nonce, std::string_view source, std::string_view owner,
                       std::string_view incarnation = {});
std::string make_confirmation(std::int64_t epoch, std::string_view nonce, std::string_view source);

/// Hands a record to librdkafka, which copies it; `opaque` comes back with its report. Does not block. The
/// error is the caller's to destroy, null for none.
rd_kafka_error_t* produce(Client& producer, int partition, Outgoing record, std::uint64_t opaque);

}  // namespace workforce::events::kafka
