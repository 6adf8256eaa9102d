// Configuration of librdkafka, and its callbacks.
#include "events/log/kafka/client.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <thread>
#include <utility>

#include "core/logging.hpp"
#include "core/outage.hpp"

namespace workforce::events::kafka {
namespace {

using Conf = std::unique_ptr<rd_kafka_conf_t, Release<rd_kafka_conf_destroy>>;

constexpr unsigned kProducer = 1U << static_cast<unsigned>(Role::producer);
constexpr unsigned kTail = 1U << static_cast<unsigned>(Role::tail);
constexpr unsigned kCursor = 1U << static_cast<unsigned>(Role::cursor);
constexpr unsigned kScan = 1U << static_cast<unsigned>(Role::scan);
constexpr unsigned kReaders = kTail | kCursor | kScan;
constexpr unsigned kAsker = 1U << static_cast<unsigned>(Role::asker);
constexpr unsigned kPeek = 1U << static_cast<unsigned>(Role::peek);
constexpr unsigned kConsumers = kReaders | kAsker | kPeek;
constexpr unsigned kAll = kProducer | kConsumers;

struct Setting {
    unsigned roles;
    char const* name;
    char const* value;
};

/// What the operator's properties may change.
constexpr Setting kDefaults[] = {
    {kAll, "client.id", "workforce"},
    // A broker that died is noticed, and its successor found, within tens of milliseconds.
    {kAll, "reconnect.backoff.ms", "50"},
    {kAll, "reconnect.backoff.max.ms", "500"},
    {kAll, "topic.metadata.refresh.fast.interval.ms", "50"},
    {kAll, "socket.keepalive.enable", "true"},
    {kAll, "socket.nagle.disable", "true"},
    {kAll, "log.connection.close", "false"},
    {kProducer, "retry.backoff.ms", "50"},
    {kProducer, "linger.ms", "5"},  // at most: Producer::run
    {kProducer, "queue.buffering.max.messages", "1000000"},
    {kProducer, "queue.buffering.max.kbytes", "1048576"},
    // A partition added to a reader waits for the fetch under way, so that one must not wait long at the end.
    {kReaders | kPeek, "fetch.wait.max.ms", "50"},
    {kReaders | kPeek, "fetch.error.backoff.ms", "50"},
    {kPeek, "queued.min.messages", "1"},
    {kPeek, "fetch.message.max.bytes", "16384"},
    {kReaders, "queued.min.messages", "1000000"},
    {kTail, "queued.max.messages.kbytes", "16384"},
    {kCursor, "queued.max.messages.kbytes", "8192"},
    {kScan, "queued.max.messages.kbytes", "32768"},
    {kCursor, "fetch.message.max.bytes", "1048576"},
    {kTail | kScan, "fetch.message.max.bytes", "4194304"},
};

/// What the engine's promises rest on.
constexpr Setting kEssentials[] = {
    {kProducer, "acks", "all"},
    {kProducer, "enable.idempotence", "true"},
    {kProducer, "delivery.report.only.error", "false"},
    {kProducer, "message.max.bytes", "2097152"},
    {kConsumers, "enable.auto.commit", "false"},
    {kConsumers, "enable.auto.offset.store", "false"},
    {kConsumers, "auto.commit.enable", "false"},
    {kConsumers, "auto.offset.reset", "error"},
    {kConsumers, "enable.partition.eof", "true"},
    // Transactions of others must neither hide records nor hold readers up: every reader folds the same records.
    {kConsumers, "isolation.level", "read_uncommitted"},
    {kConsumers, "check.crcs", "true"},
};

/// librdkafka's complaint, or "".
std::string set(rd_kafka_conf_t* conf, std::string const& name, std::string const& value) {
    std::array<char, 512> text{};
    bool const taken =
        rd_kafka_conf_set(conf, name.c_str(), value.c_str(), text.data(), text.size()) == RD_KAFKA_CONF_OK;
    return taken ? "" : text.data();
}

void require(rd_kafka_conf_t* conf, std::string const& name, std::string const& value) {
    if (auto const problem = set(conf, name, value); !problem.empty()) throw std::runtime_error(problem);
}

void apply(rd_kafka_conf_t* conf, Setting const* first, Setting const* last, Role role) {
    for (; first != last; ++first) {
        if ((first->roles & 1U << static_cast<unsigned>(role)) != 0) require(conf, first->name, first->value);
    }
}

Conf make_conf(ClientOptions const& options, Role role) {
    Conf conf(rd_kafka_conf_new());
    apply(conf.get(), std::begin(kDefaults), std::end(kDefaults), role);
    auto const timeout = std::to_string(options.timeout.count());
    require(conf.get(), "socket.timeout.ms", timeout);
    if (role == Role::producer) {
        require(conf.get(), "compression.type", options.compression);
        require(conf.get(), "message.timeout.ms", timeout);
    }
    for (auto const& property : options.properties) {
        if (auto const problem = set(conf.get(), property.name, property.value); !problem.empty()) {
            throw std::runtime_error(fmt::format("{}: {}", property.origin, problem));
        }
    }
    require(conf.get(), "bootstrap.servers", options.brokers);
    apply(conf.get(), std::begin(kEssentials), std::end(kEssentials), role);
    return conf;
}

/// At most kLines lines in kWindow; says how many it kept back.
class Bound {
   public:
    /// The number kept back before this line, or nothing when this one is to be kept back too.
    std::optional<int> admit() {
        std::lock_guard const lock(mutex_);
        auto const now = Clock::now();
        if (now - began_ > kWindow) {
            began_ = now;
            lines_ = 0;
        }
        if (++lines_ > kLines) {
            ++kept_;
            return std::nullopt;
        }
        return std::exchange(kept_, 0);
    }

   private:
    static constexpr std::chrono::seconds kWindow{60};
    static constexpr int kLines = 5;
    std::mutex mutex_;
    Clock::time_point began_;
    int lines_ = 0;
    int kept_ = 0;
};

/// Failures to connect that go on. librdkafka reports one that repeats each half a minute.
class LastingTrouble {
   public:
    void note(std::string_view text, Clock::time_point now) {
        std::lock_guard const lock(mutex_);
        if (now - last_ > kGap) first_ = now;
        last_ = now;
        text_ = text;
    }
    void forget() {
        std::lock_guard const lock(mutex_);
        last_ = {};
    }
    std::string text(Clock::time_point now) {
        std::lock_guard const lock(mutex_);
        return now - last_ <= kGap && last_ - first_ >= kLeast ? text_ : "";
    }

   private:
    static constexpr std::chrono::seconds kGap{45};
    static constexpr std::chrono::seconds kLeast{20};
    std::mutex mutex_;
    Clock::time_point first_;
    Clock::time_point last_;
    std::string text_;
};

LastingTrouble& lasting() {
    static LastingTrouble trouble;
    return trouble;
}

/// Without the name of librdkafka's thread.
std::string_view plain(std::string_view text) {
    if (!text.starts_with("[thrd:")) return text;
    auto const end = text.find("]: ");
    return end == std::string_view::npos ? text : text.substr(end + 3);
}

}  // namespace

std::vector<Property> read_properties(std::string const& path) {
    std::ifstream file(path);
    if (!file) throw std::runtime_error(fmt::format("{}: can't be read: {}", path, std::strerror(errno)));
    std::vector<Property> properties;
    Conf const conf(rd_kafka_conf_new());
    std::string line;
    for (int number = 1; std::getline(file, line); ++number) {
        auto const trim = [](std::string_view text) {
            auto const first = std::min(text.find_first_not_of(" \t\r"), text.size());
            return std::string(text.substr(first, text.find_last_not_of(" \t\r") + 1 - first));
        };
        auto const text = trim(line);
        if (text.empty() || text.front() == '#') continue;
        auto const origin = fmt::format("{}:{}", path, number);
        auto const equals = text.find('=');
        if (equals == std::string::npos) throw std::runtime_error(origin + ": is not of the form name=value");
        Property property{trim(text.substr(0, equals)), trim(text.substr(equals + 1)), origin};
        if (auto const problem = set(conf.get(), property.name, property.value); !problem.empty()) {
            throw std::runtime_error(fmt::format("{}: {}", origin, problem));
        }
        properties.push_back(std::move(property));
    }
    return properties;
}

Client::Client(ClientOptions const& options, Role role, Reported reported)
    : reported_(std::move(reported)), quiet_(options.quiet) {
    auto conf = make_conf(options, role);
    rd_kafka_conf_set_opaque(conf.get(), this);
    rd_kafka_conf_set_log_cb(conf.get(), &on_log);
    rd_kafka_conf_set_error_cb(conf.get(), &on_error);
    if (role == Role::producer) rd_kafka_conf_set_dr_msg_cb(conf.get(), &on_report);
    std::array<char, 512> problem{};
    handle_ = rd_kafka_new(role == Role::producer ? RD_KAFKA_PRODUCER : RD_KAFKA_CONSUMER, conf.get(), problem.data(),
                           problem.size());
    if (handle_ == nullptr) throw std::runtime_error(fmt::format("Kafka's client does not start: {}", problem.data()));
    [[maybe_unused]] auto* const taken = conf.release();
    topic_ = rd_kafka_topic_new(handle_, options.topic.c_str(), nullptr);
    if (topic_ == nullptr) {
        std::string const why = rd_kafka_err2str(rd_kafka_last_error());
        rd_kafka_destroy(handle_);
        throw std::runtime_error(fmt::format("topic {}: {}", options.topic, why));
    }
}

Client::~Client() {
    rd_kafka_topic_destroy(topic_);
    rd_kafka_destroy(handle_);
}

std::string Client::trouble() const {
    std::lock_guard const lock(mutex_);
    return trouble_;
}

bool Client::all_down() {
    rd_kafka_poll(handle_, 0);
    std::lock_guard const lock(mutex_);
    return all_down_;
}

void Client::reached() {
    std::lock_guard const lock(mutex_);
    all_down_ = false;
    trouble_.clear();
}

void Client::set_trouble(std::string_view text) {
    std::lock_guard const lock(mutex_);
    trouble_ = plain(text);
}

void Client::on_log(rd_kafka_t const* handle, int level, char const* facility, char const* text) {
    constexpr int kWarning = 4;  // of syslog
    std::string_view const about(facility);
    auto* const client = static_cast<Client*>(rd_kafka_opaque(handle));
    if (about == "FAIL" && client != nullptr) client->set_trouble(text);
    if (client != nullptr && client->quiet_) return;
    if (about == "FAIL") lasting().note(plain(text), Clock::now());
    // CONFWARN: properties of one role that another ignores, which is what a file for both is made of.
    if (level > kWarning || about == "CONFWARN") return;
    // Each client says of each broker that it is away; a service's BrokerWatch says what that means.
    bool const of_connection = about == "FAIL" || about == "ERROR" || about == "REQTMOUT";
    bool const told_elsewhere = of_connection && core::broker_outage().announced();
    auto const worth = told_elsewhere ? core::Level::debug : core::quiet_while_away(core::Level::warn);
    if (worth == core::Level::debug) {
        core::log(worth, "kafka client", {{"about", about}, {"text", plain(text)}});
        return;
    }
    static Bound bound;
    if (auto const kept = bound.admit()) {
        core::log(worth, "kafka client", {{"about", about}, {"text", plain(text)}, {"kept_back", *kept}});
    }
}

void Client::on_error(rd_kafka_t* /*handle*/, int code, char const* reason, void* self) {
    auto& client = *static_cast<Client*>(self);
    if (code != RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN) return client.set_trouble(reason);
    {
        std::lock_guard const lock(client.mutex_);
        client.all_down_ = true;  // why says the trouble of the last one
    }
    if (!client.quiet_) core::broker_outage().doubt();  // it may have had one connection alone
}

void Client::on_report(rd_kafka_t* /*handle*/, rd_kafka_message_t const* message, void* self) {
    auto const& client = *static_cast<Client*>(self);
    if (client.reported_) client.reported_(*message);
}

std::string lasting_trouble(Clock::time_point now) { return lasting().text(now); }

void forget_trouble() { lasting().forget(); }

void ask(Client& asker, std::string_view what, std::chrono::milliseconds timeout,
         std::function<rd_kafka_resp_err_t(int)> const& request) {
    constexpr std::chrono::milliseconds kSlice{1000};
    constexpr std::chrono::milliseconds kPause{50};
    auto const deadline = Clock::now() + timeout;
    for (;;) {
        auto const left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
        auto const slice = std::clamp(left, std::chrono::milliseconds(1), kSlice);
        auto const failed = request(static_cast<int>(slice.count()));
        if (failed == RD_KAFKA_RESP_ERR_NO_ERROR) return asker.reached();
        if (Clock::now() + kPause >= deadline || asker.all_down()) {
            auto const trouble = asker.trouble();
            throw LogUnavailable(unavailable(what, trouble.empty() ? rd_kafka_err2str(failed) : trouble));
        }
        std::this_thread::sleep_for(kPause);  // while a leader changes, answers fail at once
    }
}

rd_kafka_resp_err_t ask_offset(Client& client, int partition, std::int64_t place, int milliseconds,
                               std::int64_t& offset) {
    std::unique_ptr<rd_kafka_topic_partition_list_t, Release<rd_kafka_topic_partition_list_destroy>> const list(
        rd_kafka_topic_partition_list_new(1));
    auto* const one = rd_kafka_topic_partition_list_add(list.get(), rd_kafka_topic_name(client.topic()), partition);
    one->offset = place;
    auto const failed = rd_kafka_offsets_for_times(client.get(), list.get(), milliseconds);
    if (failed != RD_KAFKA_RESP_ERR_NO_ERROR) return failed;
    offset = one->offset;
    return one->err;
}

std::int64_t offset_of(Client& asker, int partition, std::int64_t place, std::chrono::milliseconds timeout) {
    std::int64_t offset = 0;
    ask(asker, fmt::format("partition {} can't be asked for its offsets", partition), timeout,
        [&](int milliseconds) { return ask_offset(asker, partition, place, milliseconds, offset); });
    return offset;
}

bool is_there(Client& asker, int partition, int milliseconds) {
    std::int64_t offset = 0;
    if (ask_offset(asker, partition, RD_KAFKA_OFFSET_END, milliseconds, offset) == RD_KAFKA_RESP_ERR_NO_ERROR) {
        asker.reached();
        return true;
    }
    rd_kafka_metadata_t const* metadata = nullptr;
    if (rd_kafka_metadata(asker.get(), 0, asker.topic(), &metadata, milliseconds) != RD_KAFKA_RESP_ERR_NO_ERROR) {
        return false;
    }
    rd_kafka_metadata_destroy(metadata);
    asker.reached();
    return true;
}

std::string unavailable(std::string_view what, std::string_view why) { return fmt::format("Kafka: {}: {}", what, why); }

}  // namespace workforce::events::kafka
