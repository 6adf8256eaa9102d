// What a JSON writer appends, and what a read collects.
#include "core/json_io.hpp"

#include <rapidjson/writer.h>

#include <algorithm>
#include <cstring>

namespace workforce::core {

JsonWriter::JsonWriter(FieldSealer const* sealer)
    : sealer_(sealer), shows_absent_(sealer == nullptr), writer_(buffer_) {}

JsonWriter& JsonWriter::leave_out_absent() {
    shows_absent_ = false;
    return *this;
}

JsonWriter& JsonWriter::leave_out_untold() {
    shows_untold_ = false;
    return *this;
}

void JsonWriter::null() { writer_.Null(); }
void JsonWriter::boolean(bool v) { writer_.Bool(v); }
void JsonWriter::integer(std::int64_t v) { writer_.Int64(v); }
void JsonWriter::number(double v) { writer_.Double(v); }
void JsonWriter::string(std::string_view v) { writer_.String(v.data(), static_cast<rapidjson::SizeType>(v.size())); }

void JsonWriter::raw(std::string_view json) {
    writer_.RawValue("", 0, rapidjson::kObjectType);  // what belongs between two values
    std::memcpy(buffer_.Push(json.size()), json.data(), json.size());
}

void JsonWriter::key(std::string_view name) { writer_.Key(name.data(), static_cast<rapidjson::SizeType>(name.size())); }
void JsonWriter::begin_object() { writer_.StartObject(); }
void JsonWriter::end_object() { writer_.EndObject(); }
void JsonWriter::begin_array() { writer_.StartArray(); }
void JsonWriter::end_array() { writer_.EndArray(); }

void JsonWriter::member(std::string_view name, std::string_view value) {
    key(name);
    string(value);
}

void JsonReader::fail(std::string_view rule, std::string_view message) {
    errors_.push_back({path_, std::string(rule), std::string(message)});
}

void JsonReader::note_unknown(std::string_view name) {
    constexpr std::size_t kMostNameBytes = 128;  // of a name from outside; nobody repeats more of it
    name = name.substr(0, kMostNameBytes);
    unknown_.push_back(path_.empty() ? std::string(name) : path_ + "." + std::string(name));
}

bool FieldCheck::sound(std::string_view member) const {
    auto path = reader_.path();
    PathGuard const at(path, member);
    auto const& errors = reader_.errors();
    return std::none_of(errors.begin() + static_cast<std::ptrdiff_t>(before_), errors.end(), [&](FieldError const& e) {
        if (!e.field.starts_with(path)) return false;
        return e.field.size() == path.size() || e.field[path.size()] == '.' || e.field[path.size()] == '[';
    });
}

void FieldCheck::fail(std::string_view member, std::string_view rule, std::string_view message) {
    PathGuard const at(reader_.path(), member);
    reader_.fail(rule, message);
}

PathGuard::PathGuard(std::string& path, std::string_view name) : path_(path), size_(path.size()) {
    if (!path_.empty()) path_ += '.';
    path_ += name;
}

PathGuard::PathGuard(std::string& path, std::size_t index) : path_(path), size_(path.size()) {
    path_ += '[' + std::to_string(index) + ']';
}

PathGuard::~PathGuard() { path_.resize(size_); }

}  // namespace workforce::core
