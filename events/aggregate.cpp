// Names of aggregates.
#include "events/aggregate.hpp"

#include <charconv>

#include "core/json.hpp"

namespace workforce::events {

std::string to_string(AggregateRef const& ref) {
    if (ref.kind == Kind::command) return "command";
    return std::string(core::enum_name(ref.kind)) + '/' + std::to_string(ref.id);
}

std::optional<AggregateRef> parse_aggregate(std::string_view subject) {
    if (subject == "command") return AggregateRef{};
    auto const slash = subject.find('/');
    if (slash == std::string_view::npos) return std::nullopt;
    auto const kind = core::parse_enum<Kind>(subject.substr(0, slash));
    auto const digits = subject.substr(slash + 1);
    Id id = 0;
    auto const [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), id);
    if (!kind || fault != std::errc{} || end != digits.data() + digits.size() || id < 1) return std::nullopt;
    return AggregateRef{*kind, id};
}

}  // namespace workforce::events
