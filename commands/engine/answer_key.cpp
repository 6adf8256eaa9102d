// Names of keys.
#include "commands/engine/answer_key.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace workforce::commands {
namespace {

constexpr std::int64_t kDayMs = 86'400'000;

}  // namespace

std::string answer_key(core::Id organization, core::Timestamp now, std::int64_t head, AnswerKeyUse const& use) {
    auto const length = use.days * kDayMs;
    core::Timestamp const last_day{(now.ms / length + 1) * length - kDayMs};
    return fmt::format("organization/{}/{}.{}", organization, core::to_string(last_day).substr(0, 10),
                       std::max<std::int64_t>(head, 0) / use.events);
}

}  // namespace workforce::commands
