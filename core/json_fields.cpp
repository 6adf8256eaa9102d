// What the mapper does with any member, and with any enumerator.
#include "core/json_fields.hpp"

#include <algorithm>

#include "core/json_values.hpp"

namespace workforce::core {
namespace {

/// Finds members by name. Who wrote the object as the fields are declared has the next one come next.
class MemberFinder {
   public:
    explicit MemberFinder(JsonValue const& json) : json_(json), next_(json.MemberBegin()) {}

    /// The value of the first member of that name, or null.
    JsonValue const* find(std::string_view name) {
        if (next_ != json_.MemberEnd() && text_of(next_->name) == name) return &(next_++)->value;
        return find_member(&json_, name);
    }

   private:
    JsonValue const& json_;
    // Those before it were found here, so that none of them has a name that is yet to come.
    JsonValue::ConstMemberIterator next_;
};

}  // namespace

void write_fields(JsonWriter& writer, void const* object, std::span<FieldWrite const> fields) {
    for (auto const& field : fields) {
        if (field.untold && !writer.shows_untold()) continue;
        auto const* const member = field.at(object);
        if (field.present != nullptr && !field.present(member)) {
            if (!field.null_if_absent || !writer.shows_absent()) continue;
            writer.key(field.name);
            writer.null();
            continue;
        }
        writer.key(field.name);
        if (writer.sealer() != nullptr) {
            PathGuard const at(writer.path(), field.name);
            field.write(writer, member);
        } else {
            field.write(writer, member);
        }
    }
}

void read_fields(JsonValue const& json, void* object, std::span<FieldRead const> fields, JsonReader& reader) {
    MemberFinder members(json);
    for (auto const& field : fields) {
        PathGuard const at(reader.path(), field.name);
        if (auto const* value = members.find(field.name)) {
            auto* const member = const_cast<void*>(field.at(object));  // the object is not const
            field.read(*value, member, reader);
        } else if (field.required) {
            reader.fail("required", "is required");
        }
    }
}

void note_unknown_fields(JsonValue const& json, std::span<FieldRead const> fields, JsonReader& reader) {
    for (auto const& member : json.GetObject()) {
        auto const name = text_of(member.name);
        if (std::ranges::find(fields, name, &FieldRead::name) == fields.end()) reader.note_unknown(name);
    }
}

void write_object_schema(JsonWriter& writer, std::span<FieldSchema const> fields) {
    require_distinct_names(fields);
    writer.member("type", "object");
    writer.key("properties");
    writer.begin_object();
    for (auto const& field : fields) {
        writer.key(field.name);
        writer.begin_object();
        field.write(writer);
        writer.end_object();
    }
    writer.end_object();
    if (std::ranges::none_of(fields, &FieldSchema::required)) return;
    writer.key("required");
    writer.begin_array();
    for (auto const& field : fields) {
        if (field.required) writer.string(field.name);
    }
    writer.end_array();
}

void write_enum_schema(JsonWriter& writer, std::span<Enumerator const> enumerators) {
    writer.member("type", "string");
    writer.key("enum");
    writer.begin_array();
    for (auto const& enumerator : enumerators) writer.string(enumerator.name);
    writer.end_array();
}

std::string_view enumerator_name(std::int64_t value, std::span<Enumerator const> enumerators) {
    auto const found = std::ranges::find(enumerators, value, &Enumerator::value);
    return found != enumerators.end() ? found->name : std::string_view();
}

std::optional<std::int64_t> enumerator_value(std::string_view name, std::span<Enumerator const> enumerators) {
    auto const found = std::ranges::find(enumerators, name, &Enumerator::name);
    return found != enumerators.end() ? std::optional(found->value) : std::nullopt;
}

std::optional<std::int64_t> read_enum(JsonValue const& json, std::span<Enumerator const> enumerators,
                                      JsonReader& reader) {
    if (!json.IsString()) {
        reader.fail("type", "must be a string");
        return {};
    }
    auto const value = enumerator_value(text_of(json), enumerators);
    if (value) return value;
    std::string names;
    for (auto const& enumerator : enumerators) {
        if (!names.empty()) names += ", ";
        names += enumerator.name;
    }
    reader.fail("enum", "must be one of " + names);
    return {};
}

}  // namespace workforce::core
