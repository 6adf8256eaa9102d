// The engine's functions, put together from its parts.
#include "events/log/kafka/kafka_log.hpp"

#include <fmt/format.h>

#include <utility>

#include "events/attributes.hpp"
#include "events/log/kafka/records.hpp"
#include "events/log/kafka/scan.hpp"
#include "events/log/kafka/topic.hpp"

namespace workforce::events {
namespace {

using boost::asio::awaitable;
using kafka::Complete;
using kafka::Outcome;
using kafka::Partition;
using Appended = tl::expected<void, AppendFault>;

std::deque<Partition> make_partitions(int count, KafkaLogOptions const& options) {
    std::deque<Partition> partitions;
    auto const tail = tail_limit(static_cast<std::size_t>(count), options.tail_bytes);
    for (int i = 0; i < count; ++i) {
        partitions.emplace_back(i, tail, options.client.timeout, !options.client.quiet, options.client.topic,
                                options.owner.value_or(kafka::Owner{}));
    }
    return partitions;
}

Appended as_appended(Outcome const& outcome) {
    if (outcome.kind == Outcome::Kind::done) return {};
    return tl::unexpected(outcome.kind == Outcome::Kind::fenced ? AppendFault::fenced : AppendFault::unknown);
}

/// Whether every record fits. Throws std::invalid_argument when they do not stand where they are appended.
bool fit(Claim const& claim, Head const& before, Head const& after, std::vector<std::string> const& bodies) {
    if (bodies.empty() || after.position - before.position != static_cast<std::int64_t>(bodies.size())) {
        throw std::invalid_argument("an append's heads and bodies do not fit");
    }
    std::int32_t index = 0;
    std::int32_t count = 0;
    auto position = before.position;
    for (auto const& body : bodies) {
        if (body.size() > kMaxRecordBytes) return false;
        auto const standing = standing_of(body);
        ++position;
        bool const next = index == count;  // begins a command
        bool const placed = standing && standing->epoch == claim.epoch && standing->position == position &&
                            standing->command_index == (next ? 1 : index + 1) &&
                            (next ? standing->command_count >= 1 : standing->command_count == count);
        if (!placed) throw std::invalid_argument(fmt::format("a record does not stand at position {}", position));
        index = standing->command_index;
        count = standing->command_count;
    }
    if (index != count) throw std::invalid_argument("an append's last command is not whole");
    return true;
}

int examine_topic(KafkaLogOptions const& options) {
    kafka::Client asker(options.client, kafka::Role::asker);
    auto const partitions = kafka::check_topic(asker, options.client);
    if (options.owner) kafka::require_owner(options.client, *options.owner, partitions);
    return partitions;
}

}  // namespace

void KafkaLog::initialize(kafka::ClientOptions const& options, int partitions, int replicas) {
    kafka::create_topic(options, partitions, replicas);
}

KafkaLog::KafkaLog(KafkaLogOptions const& options) : KafkaLog(options, examine_topic(options)) {}

KafkaLog::KafkaLog(KafkaLogOptions options, int partitions)
    : options_(std::move(options)),
      asker_(options_.client, kafka::Role::asker),
      partitions_(make_partitions(partitions, options_)),
      producers_(
          options_.client,
          [this](kafka::Producer::Report const& report) {
              partitions_.at(static_cast<std::size_t>(report.partition)).report(report.operation, report.delivered);
          }),
      readers_(options_.client, options_.readers),
      marks_(options_.database_url.empty()
                 ? nullptr
                 : std::make_unique<kafka::MarkTable>(options_.database_url, options_.client.topic)),
      tail_(options_.client, asker_, partitions_, marks_.get(), [this] {
          producers_.tidy();
          readers_.tidy();
      }) {}

KafkaLog::~KafkaLog() {
    stop();
    for (auto& each : partitions_) each.abandon();
}

Partition& KafkaLog::followed(int partition) {
    auto& ours = partitions_.at(static_cast<std::size_t>(partition));
    tail_.follow(partition);
    ours.require_whole();
    return ours;
}

Partition& KafkaLog::begun(int partition) {
    auto& ours = followed(partition);
    ours.await_begun();
    ours.require_whole();
    return ours;
}

std::int64_t KafkaLog::end_of(int partition) {
    return kafka::offset_of(asker_, partition, RD_KAFKA_OFFSET_END, options_.client.timeout);
}

awaitable<Claim> KafkaLog::claim_from(int partition, std::string owner, std::int64_t least_epoch) {
    auto& ours = followed(partition);
    auto const unavailable = [&] {
        ours.require_whole();
        auto const why = ours.trouble();
        return LogUnavailable(kafka::unavailable(fmt::format("partition {} can't be claimed", partition),
                                                 why.empty() ? std::string("no answer in time") : why));
    };
    auto const arrived = co_await core::await_completion<Outcome>([&](Complete c) { ours.arrive(std::move(c)); });
    if (arrived.kind != Outcome::Kind::done) throw unavailable();
    if (least_epoch - arrived.epoch > kafka::kMostEpochStep) {
        throw LogUnfit(
            fmt::format("partition {} of topic {} is at epoch {}: epoch {} can't be claimed, it is more than {} above",
                        partition, options_.client.topic, arrived.epoch, least_epoch, kafka::kMostEpochStep));
    }
    auto const incarnation = options_.owner ? options_.owner->incarnation : std::string();
    Partition::MakeMarker const make = [&](std::int64_t epoch, std::string const& nonce) {
        return kafka::make_claim(epoch, nonce, options_.source, owner, incarnation);
    };
    auto const deadline = kafka::Clock::now() + options_.client.timeout;
    while (kafka::Clock::now() < deadline) {
        auto producer = producers_.current();
        auto const outcome = co_await core::await_completion<Outcome>(
            [&](Complete c) { ours.claim(least_epoch, make, std::move(producer), std::move(c)); });
        if (outcome.kind == Outcome::Kind::done) co_return Claim{partition, outcome.epoch, outcome.head};
        if (outcome.kind == Outcome::Kind::unknown) break;
    }
    throw unavailable();
}

awaitable<Appended> KafkaLog::append(Claim const& claim, Head before, Head after, std::vector<std::string> bodies) {
    auto& ours = partitions_.at(static_cast<std::size_t>(claim.partition));
    if (!fit(claim, before, after, bodies)) co_return tl::unexpected(AppendFault::too_large);
    std::vector<kafka::Outgoing> records;
    records.reserve(bodies.size());
    for (auto& body : bodies) records.push_back(kafka::outgoing(std::move(body)));
    auto const spare = producers_.current();
    co_return as_appended(co_await core::await_completion<Outcome>(
        [&](Complete c) { ours.append(claim, before, after, std::move(records), spare, std::move(c)); }));
}

awaitable<Appended> KafkaLog::confirm(Claim const& claim) {
    auto& ours = partitions_.at(static_cast<std::size_t>(claim.partition));
    auto const spare = producers_.current();
    Partition::MakeMarker const make = [&](std::int64_t epoch, std::string const& nonce) {
        return kafka::make_confirmation(epoch, nonce, options_.source);
    };
    co_return as_appended(co_await core::await_completion<Outcome>(
        [&](Complete c) { ours.confirm(claim.epoch, make, spare, std::move(c)); }));
}

std::vector<Record> KafkaLog::read(int partition, std::int64_t from, std::size_t max_records, std::size_t max_bytes) {
    if (from < 0 || max_records == 0) throw std::invalid_argument("a read starts at 0 or later and takes one or more");
    auto& ours = begun(partition);
    if (auto recent = ours.recent().read(from, max_records, max_bytes)) return *std::move(recent);
    auto view = ours.view();
    auto until = view.next_offset;
    if (from > view.head.position) {
        until = end_of(partition);
        if (until <= view.next_offset) return {};
        if (view.arrived) {
            ours.await_offset(until);
            if (auto recent = ours.recent().read(from, max_records, max_bytes)) return *std::move(recent);
            if (from > ours.view().head.position) return {};
        }
        // While the tail makes its first way through a long history, readers need not wait for it.
    }
    return readers_.read(partition, from, ours.mark_before(from), until, max_records, max_bytes);
}

void KafkaLog::wait(int partition, std::int64_t position, std::chrono::milliseconds timeout) {
    auto& ours = partitions_.at(static_cast<std::size_t>(partition));
    tail_.follow(partition);
    ours.recent().wait(position, timeout);
}

std::unique_ptr<LogScan> KafkaLog::scan(int partition, std::int64_t from) {
    auto& ours = begun(partition);
    return std::make_unique<kafka::KafkaScan>(options_.client, partition, from, ours.mark_before(from - 1),
                                              end_of(partition));
}

Head KafkaLog::head(int partition) {
    auto& ours = followed(partition);
    ours.await_offset(end_of(partition));
    return ours.view().head;
}

std::optional<kafka::OwnerRecord> KafkaLog::owner_seen(int partition) {
    auto& ours = followed(partition);
    ours.await_offset(end_of(partition));
    return ours.view().owner_seen;
}

std::map<std::string_view, std::int64_t> KafkaLog::voids(int partition) const {
    auto const counts = partitions_.at(static_cast<std::size_t>(partition)).voids();
    std::map<std::string_view, std::int64_t> voids;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        voids.emplace(kafka::to_string(static_cast<kafka::VoidReason>(i)), counts.at(i));
    }
    return voids;
}

std::optional<Brokers> KafkaLog::brokers() {
    auto const cluster = tail_.cluster();
    if (!cluster) return std::nullopt;
    return Brokers{cluster->known, cluster->up, cluster->blocked, producers_.queued()};
}

void KafkaLog::stop() {
    for (auto& each : partitions_) each.recent().stop();
}

}  // namespace workforce::events
