// Rows of log.kafka_mark.
#include "events/log/kafka/marks.hpp"

#include <chrono>
#include <utility>

#include "events/log/chain.hpp"

namespace workforce::events::kafka {
namespace {

constexpr core::Statement kLoad{"load_kafka_marks",
                                "SELECT record_offset, epoch, position, hash FROM log.kafka_mark"
                                " WHERE topic = $1 AND partition = $2 ORDER BY position"};
constexpr core::Statement kSave{"save_kafka_mark", R"(
INSERT INTO log.kafka_mark (topic, partition, position, hash, epoch, record_offset) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (topic, partition, position)
DO UPDATE SET hash = EXCLUDED.hash, epoch = EXCLUDED.epoch, record_offset = EXCLUDED.record_offset)"};
constexpr core::Statement kForget{"forget_kafka_marks",
                                  "DELETE FROM log.kafka_mark WHERE topic = $1 AND partition = $2"};

core::ConnectionOptions session(std::string const& database_url) {
    core::ConnectionOptions options;
    options.url = database_url;
    options.role = "workforce_writer";
    options.statement_timeout = std::chrono::seconds(2);  // reading from the beginning is the worse that can happen
    options.application_name = "workforce log marks";
    return options;
}

}  // namespace

bool stands_at(Mark const& mark, std::int64_t offset, std::string_view body) {
    return offset == mark.offset && record_hash(body) == mark.head.hash;
}

MarkTable::MarkTable(std::string const& database_url, std::string topic)
    : topic_(std::move(topic)), sessions_(session(database_url), 1, core::SessionPurpose::log) {}

std::vector<Mark> MarkTable::load(int partition) {
    auto const rows = sessions_.run([&](core::Connection& c) { return c.execute(kLoad, topic_, partition); });
    std::vector<Mark> marks;
    for (auto const& row : rows) {
        marks.push_back({core::read<std::int64_t>(row[0]),
                         core::read<std::int64_t>(row[1]),
                         {core::read<std::int64_t>(row[2]), core::read<std::string>(row[3])}});
    }
    return marks;
}

void MarkTable::save(int partition, std::vector<Mark> const& marks) {
    sessions_.run([&](core::Connection& connection) {
        connection.transaction([&] {
            for (auto const& [offset, epoch, head] : marks) {
                connection.execute(kSave, topic_, partition, head.position, head.hash, epoch, offset);
            }
        });
    });
}

void MarkTable::forget(int partition) {
    sessions_.run([&](core::Connection& connection) { connection.execute(kForget, topic_, partition); });
}

}  // namespace workforce::events::kafka
