// Which records of a Kafka partition count: whatever is written in between, each record is ruled on once, and what
// counts is one chain. A line of input is a record: written as it is, or made of numbers where it begins with one of
// `ECQ`.
#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "core/crypto.hpp"
#include "events/log/kafka/arbiter.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace workforce::tests {
namespace {

using events::kafka::Arbiter;
using events::kafka::RecordType;
using events::kafka::Ruling;

/// The number in front, 0 where there is none, and the space behind it.
int take_number(std::string_view& rest) {
    auto const text = take_until(rest, ' ');
    int value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

/// "E0 1 2": an event of the epoch and chain that are current (off by the first number), the first of two. No writer
/// guesses a hash, so it gets the right one unless a fourth number says otherwise.
std::string event(std::string_view line, Arbiter const& arbiter, std::string_view last_hash, std::int64_t next) {
    auto const epoch = arbiter.epoch() + take_number(line);
    auto const index = take_number(line);
    auto const count = take_number(line);
    auto const hash = take_number(line) == 0 ? std::string(last_hash) : std::string(64, '1');
    return fmt::format(R"({{"epoch":"{}","position":"{}","prevhash":"{}","cmdindex":{},"cmdcount":{},"data":{{}}}})",
                       epoch, next + take_number(line), hash, index, count);
}

std::string marker(std::string_view type, std::int64_t epoch) {
    return fmt::format(R"({{"specversion":"1.0","type":"log.{}","epoch":"{}","id":"n"}})", type, epoch);
}

std::string hash_of(std::string_view body) { return core::hex_encode(core::bytes(core::sha256(body))); }

/// What must be true of all rulings up to now.
struct Chain {
    std::int64_t rulings = 0;
    std::int64_t epoch = 0;
    events::Head head;

    void take(Ruling const& ruling) {
        ++rulings;
        if (ruling.kind == Ruling::Kind::claims) {
            require(ruling.epoch > epoch, "epochs that are claimed rise");
            epoch = ruling.epoch;
        }
        if (ruling.kind != Ruling::Kind::counts) return;
        auto const words = events::kafka::words_of(ruling.body);
        require(words.type == RecordType::event && words.epoch == epoch, "what counts is of the current epoch");
        require(ruling.position == head.position + 1 && words.position == ruling.position, "positions have no gaps");
        require(words.previous_hash == head.hash && ruling.hash == hash_of(ruling.body), "what counts is chained");
        head = {ruling.position, ruling.hash};
    }
};

}  // namespace

void fuzz(std::string_view input) {
    Arbiter arbiter;
    Chain chain;
    std::vector<Ruling> rulings;
    auto last_hash = arbiter.head().hash;  // of the record that the next one would follow
    std::int64_t offset = 0;
    std::int64_t open = 0;  // records of a command that is not complete
    while (!input.empty()) {
        auto line = take_until(input, '\n');
        auto const kind = take_byte(line);
        std::string body;
        if (kind == 'E')
            body = event(line, arbiter, last_hash, arbiter.head().position + 1 + open);
        else if (kind == 'C')
            body = marker("claimed", arbiter.epoch() + take_number(line));
        else if (kind == 'Q')
            body = marker("confirmed", arbiter.epoch() + take_number(line));
        else
            body = line;
        arbiter.fold(offset++, body, rulings);
        for (auto const& ruling : rulings) chain.take(ruling);
        auto const waiting = offset - chain.rulings;
        require(waiting >= 0 && (waiting > 0) == arbiter.incomplete(), "each record is ruled on once, or waits");
        if (waiting > open) last_hash = hash_of(body);
        if (waiting == 0) last_hash = arbiter.head().hash;
        open = waiting;
        rulings.clear();
        require(chain.epoch == arbiter.epoch() && chain.head.position == arbiter.head().position &&
                    chain.head.hash == arbiter.head().hash,
                "the arbiter stands where its rulings lead");
    }
    arbiter.end(rulings);
    for (auto const& ruling : rulings) chain.take(ruling);
    require(chain.rulings == offset && !arbiter.incomplete(), "at the end each record is ruled on");
}

}  // namespace workforce::tests
