// Canonical JSON, after RFC 8785 as far as fingerprints need it.
#include "core/canonical_json.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/json.hpp"

namespace workforce::core {
namespace {

constexpr double kExact = 9007199254740992.0;  // 2^53: whole doubles below are exact

void write(JsonWriter& w, JsonValue const& value) {
    switch (value.GetType()) {
        case rapidjson::kNullType:
            return w.null();
        case rapidjson::kFalseType:
        case rapidjson::kTrueType:
            return w.boolean(value.GetBool());
        case rapidjson::kStringType:
            return w.string({value.GetString(), value.GetStringLength()});
        case rapidjson::kNumberType: {
            if (value.IsInt64()) return w.integer(value.GetInt64());
            double const number = value.GetDouble();
            if (std::trunc(number) == number && std::fabs(number) < kExact)
                return w.integer(static_cast<std::int64_t>(number));
            return w.number(number);
        }
        case rapidjson::kArrayType:
            w.begin_array();
            for (auto const& item : value.GetArray()) write(w, item);
            return w.end_array();
        case rapidjson::kObjectType: {
            std::vector<JsonValue::ConstMemberIterator> members;
            for (auto it = value.MemberBegin(); it != value.MemberEnd(); ++it) members.push_back(it);
            auto const name = [](auto it) {
                return std::string_view(it->name.GetString(), it->name.GetStringLength());
            };
            std::stable_sort(members.begin(), members.end(), [&](auto a, auto b) { return name(a) < name(b); });
            w.begin_object();
            for (auto it : members) {
                w.key(name(it));
                write(w, it->value);
            }
            return w.end_object();
        }
    }
}

}  // namespace

std::string canonical_json(std::string_view body) {
    if (body.empty()) return {};
    auto const document = parse_json(body);
    return document ? canonical_json(*document) : std::string(body);
}

std::string canonical_json(JsonValue const& value) {
    JsonWriter w;
    write(w, value);
    return w.take();
}

}  // namespace workforce::core
