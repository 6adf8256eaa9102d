// The rule.
#include "events/log/kafka/arbiter.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <iterator>
#include <optional>
#include <utility>

#include "core/crypto.hpp"
#include "events/attributes.hpp"

namespace workforce::events::kafka {
namespace {

struct ReasonName {
    std::string_view name;
    bool ordinary;
};
constexpr std::array<ReasonName, kVoidReasons> kReasons{{{"foreign", false},
                                                         {"old epoch", true},
                                                         {"unclaimed epoch", false},
                                                         {"other position", false},
                                                         {"broken chain", false},
                                                         {"broken command", false},
                                                         {"lost claim", true},
                                                         {"incomplete", true},
                                                         {"far claim", false}}};

struct Marker {
    std::string_view opening;
    RecordType type;
};
constexpr std::array<Marker, 2> kMarkers{
    {{R"({"specversion":"1.0","type":"log.claimed","epoch":")", RecordType::claim},
     {R"({"specversion":"1.0","type":"log.confirmed","epoch":")", RecordType::confirmation}}};

constexpr std::string_view kOwnerOpening = R"({"specversion":"1.0","type":"log.owned",)";
/// How records begin that are the log's own; of those, others than these say nothing.
constexpr std::string_view kControlOpening = R"({"specversion":"1.0","type":"log.)";

/// The epoch of a claim or confirmation: at most 18 digits, then `",`.
std::optional<std::int64_t> epoch_at(std::string_view text) {
    constexpr std::size_t kMostDigits = 18;
    auto const end = text.find_first_not_of("0123456789");
    if (end == 0 || end == std::string_view::npos || end > kMostDigits) return std::nullopt;
    if (!text.substr(end).starts_with("\",")) return std::nullopt;
    std::int64_t epoch = 0;
    auto const digits = text.substr(0, end);
    std::from_chars(digits.data(), digits.data() + digits.size(), epoch);
    return epoch;
}

Ruling ruling(Ruling::Kind kind, std::int64_t offset, std::int64_t position, std::int64_t epoch, std::string body) {
    return {.kind = kind,
            .offset = offset,
            .position = position,
            .epoch = epoch,
            .body = std::move(body),
            .hash = {},
            .reason = VoidReason::foreign,
            .fault = {}};
}

Ruling voided(std::int64_t offset, Words const& words, std::string body, VoidReason reason, std::string fault) {
    auto result = ruling(Ruling::Kind::voided, offset, words.position, words.epoch, std::move(body));
    result.reason = reason;
    result.fault = std::move(fault);
    return result;
}

}  // namespace

std::string_view to_string(VoidReason reason) { return kReasons.at(static_cast<std::size_t>(reason)).name; }
bool is_ordinary(VoidReason reason) { return kReasons.at(static_cast<std::size_t>(reason)).ordinary; }

Words words_of(std::string_view body) {
    for (auto const& marker : kMarkers) {
        if (!body.starts_with(marker.opening)) continue;
        if (auto const epoch = epoch_at(body.substr(marker.opening.size()))) {
            return {.type = marker.type, .epoch = *epoch, .previous_hash = {}};
        }
        return {};
    }
    if (body.starts_with(kOwnerOpening)) return {.type = RecordType::ownership, .previous_hash = {}};
    if (body.starts_with(kControlOpening)) return {};
    auto const standing = standing_of(body);
    if (!standing) return {};
    return {RecordType::event,       standing->epoch,         standing->position,
            standing->previous_hash, standing->command_index, standing->command_count};
}

void Arbiter::fold(std::int64_t offset, std::string body, std::vector<Ruling>& rulings) {
    auto const words = words_of(body);
    switch (words.type) {
        case RecordType::event:
            return fold_event(offset, std::move(body), words, rulings);
        case RecordType::claim:
            return fold_claim(offset, std::move(body), words, rulings);
        case RecordType::confirmation:
            rulings.push_back(ruling(Ruling::Kind::confirms, offset, head_.position, words.epoch, std::move(body)));
            return;
        case RecordType::ownership:
            rulings.push_back(ruling(Ruling::Kind::owns, offset, head_.position, epoch_, std::move(body)));
            return;
        case RecordType::foreign:
            rulings.push_back(
                voided(offset, words, std::move(body), VoidReason::foreign, "it is no record of this log"));
            return;
    }
}

void Arbiter::fold_event(std::int64_t offset, std::string body, Words const& words, std::vector<Ruling>& rulings) {
    auto const refuse = [&](VoidReason reason, std::string fault) {
        rulings.push_back(voided(offset, words, std::move(body), reason, std::move(fault)));
    };
    if (words.epoch < epoch_) {
        return refuse(VoidReason::old_epoch, fmt::format("epoch {} had taken over from {}", epoch_, words.epoch));
    }
    if (words.epoch > epoch_) {
        return refuse(VoidReason::unclaimed_epoch,
                      fmt::format("epoch {} was not claimed, the current one is {}", words.epoch, epoch_));
    }
    auto const waiting = static_cast<std::int32_t>(waiting_.size());
    auto const next = head_.position + waiting + 1;
    if (words.position != next) {
        return refuse(VoidReason::other_position,
                      fmt::format("its position is {} where {} comes next", words.position, next));
    }
    if (words.previous_hash != (waiting == 0 ? head_.hash : waiting_.back().hash)) {
        return refuse(VoidReason::broken_chain, "its prevhash is not the hash of the record before");
    }
    bool const continues = words.command_index == waiting + 1 && words.command_count >= words.command_index &&
                           (waiting == 0 || words.command_count == command_count_);
    if (!continues) {
        return refuse(VoidReason::broken_command,
                      fmt::format("it is {} of {} of its command where {} of {} comes next", words.command_index,
                                  words.command_count, waiting + 1,
                                  waiting == 0 ? "any number" : std::to_string(command_count_)));
    }
    command_count_ = words.command_count;
    bool const complete = words.command_index == words.command_count;
    auto const digest = core::sha256(body);
    waiting_.push_back(ruling(Ruling::Kind::counts, offset, next, epoch_, std::move(body)));
    waiting_.back().hash = core::hex_encode(core::bytes(digest));
    if (!complete) return;
    head_ = {next, waiting_.back().hash};
    std::move(waiting_.begin(), waiting_.end(), std::back_inserter(rulings));
    waiting_.clear();
}

void Arbiter::fold_claim(std::int64_t offset, std::string body, Words const& words, std::vector<Ruling>& rulings) {
    if (words.epoch <= epoch_) {
        rulings.push_back(voided(offset, words, std::move(body), VoidReason::lost_claim,
                                 fmt::format("it claims epoch {} where {} is current", words.epoch, epoch_)));
        return;
    }
    if (words.epoch - epoch_ > kMostEpochStep) {
        rulings.push_back(voided(offset, words, std::move(body), VoidReason::far_claim,
                                 fmt::format("it claims epoch {}, more than {} above {}, the current one", words.epoch,
                                             kMostEpochStep, epoch_)));
        return;
    }
    drop_waiting(rulings, fmt::format("when epoch {} took over", words.epoch));
    epoch_ = words.epoch;
    rulings.push_back(ruling(Ruling::Kind::claims, offset, head_.position, epoch_, std::move(body)));
}

void Arbiter::end(std::vector<Ruling>& rulings) { drop_waiting(rulings, "where the log ends"); }

void Arbiter::drop_waiting(std::vector<Ruling>& rulings, std::string const& until) {
    for (auto& waiting : waiting_) {
        waiting.kind = Ruling::Kind::voided;
        waiting.reason = VoidReason::incomplete;
        waiting.fault =
            fmt::format("only {} of {} of its command were there {}", waiting_.size(), command_count_, until);
        rulings.push_back(std::move(waiting));
    }
    waiting_.clear();
}

}  // namespace workforce::events::kafka
