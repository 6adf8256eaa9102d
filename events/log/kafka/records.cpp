// Records out of bodies.
#include "events/log/kafka/records.hpp"

#include <array>
#include <utility>

#include "core/json_io.hpp"
#include "core/time.hpp"
#include "events/attributes.hpp"

namespace workforce::events::kafka {
namespace {

void add(rd_kafka_headers_t* headers, std::string_view name, std::string_view value) {
    rd_kafka_header_add(headers, name.data(), static_cast<ssize_t>(name.size()), value.data(),
                        static_cast<ssize_t>(value.size()));
}

std::string make_marker(std::string_view type, std::int64_t epoch, std::string_view nonce, std::string_view source,
                        std::string_view owner, std::string_view incarnation) {
    core::JsonWriter w;
    w.begin_object();
    w.member("specversion", "1.0");
    w.member("type", type);
    w.member("epoch", std::to_string(epoch));
    w.member("id", nonce);
    w.member("source", source);
    w.member("time", core::to_string(core::now()));
    if (!owner.empty()) w.member("owner", owner);
    if (!incarnation.empty()) w.member("incarnation", incarnation);
    w.end_object();
    return w.take();
}

rd_kafka_vu_t field(rd_kafka_vtype_t type) {
    rd_kafka_vu_t result{};
    result.vtype = type;
    return result;
}

rd_kafka_vu_t bytes_field(rd_kafka_vtype_t type, std::string_view bytes) {
    auto result = field(type);
    result.u.mem.ptr = bytes.empty() ? nullptr : const_cast<char*>(bytes.data());  // copied, not changed
    result.u.mem.size = bytes.size();
    return result;
}

}  // namespace

Outgoing outgoing(std::string body) {
    constexpr std::size_t kUsual = 24;  // more make it grow
    Headers headers(rd_kafka_headers_new(kUsual));
    add(headers.get(), "content-type", "application/cloudevents+json; charset=UTF-8");
    AttributeWalk attributes(body);
    std::string key;
    std::string name = "ce_";
    while (auto const attribute = attributes.next()) {
        name.resize(3);
        name += attribute->name;
        auto value = attribute->value();
        add(headers.get(), name, value);
        if (attribute->name == "subject") key = std::move(value);
    }
    return {std::move(key), std::move(body), std::move(headers)};
}

std::string make_claim(std::int64_t epoch, std::string_view nonce, std::string_view source, std::string_view owner,
                       std::string_view incarnation) {
    return make_marker("log.claimed", epoch, nonce, source, owner, incarnation);
}

std::string make_confirmation(std::int64_t epoch, std::string_view nonce, std::string_view source) {
    return make_marker("log.confirmed", epoch, nonce, source, "", "");
}

rd_kafka_error_t* produce(Client& producer, int partition, Outgoing record, std::uint64_t opaque) {
    std::array<rd_kafka_vu_t, 7> fields{field(RD_KAFKA_VTYPE_RKT),
                                        field(RD_KAFKA_VTYPE_PARTITION),
                                        field(RD_KAFKA_VTYPE_MSGFLAGS),
                                        field(RD_KAFKA_VTYPE_OPAQUE),
                                        field(RD_KAFKA_VTYPE_HEADERS),
                                        bytes_field(RD_KAFKA_VTYPE_KEY, record.key),
                                        bytes_field(RD_KAFKA_VTYPE_VALUE, record.body)};
    fields[0].u.rkt = producer.topic();
    fields[1].u.i32 = partition;
    fields[2].u.i = RD_KAFKA_MSG_F_COPY;
    fields[3].u.ptr = reinterpret_cast<void*>(opaque);  // NOLINT(performance-no-int-to-ptr): never followed
    fields[4].u.headers = record.headers.get();
    auto* const refused = rd_kafka_produceva(producer.get(), fields.data(), fields.size());
    if (refused == nullptr) {
        [[maybe_unused]] auto* const taken = record.headers.release();
    }
    return refused;
}

}  // namespace workforce::events::kafka
