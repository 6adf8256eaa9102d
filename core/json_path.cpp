// Reading and following paths.
#include "core/json_path.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include "core/json_values.hpp"

namespace workforce::core {
namespace {

constexpr auto kNoBound = std::numeric_limits<std::size_t>::max();

}  // namespace

std::optional<JsonPath> JsonPath::parse(std::string_view text) {
    JsonPath path;
    std::size_t at = 0;
    while (path.steps_.empty() || at < text.size()) {
        if (path.steps_.size() == kMostSteps) return std::nullopt;
        Step step;
        if (!path.steps_.empty() && text[at] == '[') {
            auto const end = text.find(']', at);
            if (end == std::string_view::npos) return std::nullopt;
            auto const place = text.substr(at + 1, end - at - 1);
            step.kind = place == "*" ? Step::Kind::each : Step::Kind::item;
            auto const read = std::from_chars(place.data(), place.data() + place.size(), step.place);
            bool const number = read.ec == std::errc() && read.ptr == place.data() + place.size();
            bool const plain = number && (place.size() == 1 || place.front() != '0');
            if (step.kind == Step::Kind::item && !plain) return std::nullopt;
            at = end + 1;
        } else {
            if (!path.steps_.empty() && text[at++] != '.') return std::nullopt;
            auto const end = std::min(text.find_first_of(".[]", at), text.size());
            step.name = text.substr(at, end - at);
            bool const control = std::ranges::any_of(
                step.name, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
            if (step.name.empty() || control) return std::nullopt;
            at = end;
        }
        path.steps_.push_back(std::move(step));
    }
    return path;
}

void JsonPath::find(JsonValue const& object, std::vector<JsonValue const*>& found) const {
    auto budget = kNoBound;
    follow(object, 0, found, budget);
}

void JsonPath::find_within(JsonValue const& value, std::vector<JsonValue const*>& found) const {
    auto budget = kNoBound;
    follow(value, 1, found, budget);
}

void JsonPath::find_within(JsonValue const& value, std::vector<JsonValue const*>& found, std::size_t& budget) const {
    follow(value, 1, found, budget);
}

void JsonPath::follow(JsonValue const& value, std::size_t step, std::vector<JsonValue const*>& found,
                      std::size_t& budget) const {
    if (budget == 0) return;
    --budget;
    if (step == steps_.size()) return found.push_back(&value);
    auto const& [kind, name, place] = steps_[step];
    if (kind == Step::Kind::member) {
        if (auto const* const member = find_member(&value, name)) follow(*member, step + 1, found, budget);
    } else if (value.IsArray()) {
        if (kind == Step::Kind::item && place < value.Size()) follow(value[place], step + 1, found, budget);
        if (kind == Step::Kind::each) {
            for (auto const& item : value.GetArray()) follow(item, step + 1, found, budget);
        }
    }
}

}  // namespace workforce::core
