// Members and texts.
#include "core/json_values.hpp"

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

namespace workforce::core {

JsonValue const* find_member(JsonValue const* object, std::string_view name) {
    if (object == nullptr || !object->IsObject()) return nullptr;
    auto const found = object->FindMember(JsonValue(rapidjson::StringRef(name.data(), name.size())));
    return found == object->MemberEnd() ? nullptr : &found->value;
}

std::optional<std::string_view> as_text(JsonValue const* value) {
    if (value == nullptr || !value->IsString()) return std::nullopt;
    return text_of(*value);
}

std::string_view text_of(JsonValue const& value) { return {value.GetString(), value.GetStringLength()}; }

std::string json_of(JsonValue const& value) {
    rapidjson::StringBuffer buffer;
    rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
    value.Accept(writer);
    return {buffer.GetString(), buffer.GetSize()};
}

}  // namespace workforce::core
