// Postgres' text forms, written and read.
#include "core/sql_values.hpp"

#include <fmt/format.h>

#include <charconv>
#include <pqxx/array>
#include <stdexcept>

#include "core/crypto.hpp"

namespace workforce::core {

Parameter to_parameter(std::string_view text) {
    // libpqxx hands parameters over as C strings: what follows a NUL would be dropped silently.
    if (text.find('\0') != std::string_view::npos) throw std::invalid_argument("text parameter with a NUL byte");
    return std::string(text);
}

Parameter to_parameter(Bytes bytes) { return "\\x" + hex_encode(bytes.data); }

Parameter to_parameter(double value) { return fmt::format("{}", value); }

void append_array_element(std::string& array, Parameter const& element) {
    if (array.size() > 1) array += ',';
    if (!element) {
        array += "NULL";
        return;
    }
    bool const plain = !element->empty() && element->find_first_not_of("0123456789-:.TZ") == std::string::npos;
    if (plain) {
        array += *element;
        return;
    }
    array += '"';
    for (char const c : *element) {
        if (c == '"' || c == '\\') array += '\\';
        array += c;
    }
    array += '"';
}

std::string_view require_text(pqxx::field const& field) {
    if (field.is_null()) throw std::runtime_error(fmt::format("column {} is NULL", field.name()));
    return read_view(field);
}

void throw_misfit(pqxx::field const& field, char const* wanted) {
    throw std::runtime_error(fmt::format("column {} holds no {}", field.name(), wanted));
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
    std::int64_t value = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::string read_bytes(pqxx::field const& field) {
    std::string_view const text = require_text(field);
    if (!text.starts_with("\\x")) throw_misfit(field, "bytea");
    auto data = hex_decode(text.substr(2));
    if (!data) throw_misfit(field, "bytea");
    return *std::move(data);
}

std::vector<std::string> read_array(pqxx::field const& field) {
    require_text(field);
    std::vector<std::string> values;
    auto parser = field.as_array();
    using Juncture = pqxx::array_parser::juncture;
    int depth = 0;
    for (auto item = parser.get_next(); item.first != Juncture::done; item = parser.get_next()) {
        if (item.first == Juncture::row_start) ++depth;
        if (item.first == Juncture::null_value || depth > 1) throw_misfit(field, "plain array");
        if (item.first == Juncture::string_value) values.push_back(std::move(item.second));
    }
    return values;
}

bool FieldReader<bool>::read(pqxx::field const& field) {
    std::string_view const text = require_text(field);
    if (text != "t" && text != "f") throw_misfit(field, "boolean");
    return text == "t";
}

double FieldReader<double>::read(pqxx::field const& field) {
    std::string_view const text = require_text(field);
    double value = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) throw_misfit(field, "number");
    return value;
}

Timestamp FieldReader<Timestamp>::read(pqxx::field const& field) {
    // Postgres' ISO style in UTC is RFC 3339 but for the separator and the offset: `2026-07-24 10:00:00.123+00`.
    std::string text(require_text(field));
    if (text.size() > 19 && text[10] == ' ' && text.ends_with("+00")) {
        text[10] = 'T';
        text.replace(text.size() - 3, 3, "Z");
    }
    auto const value = parse_timestamp(text);
    if (!value) throw_misfit(field, "moment in UTC");
    return *value;
}

Date FieldReader<Date>::read(pqxx::field const& field) {
    auto const value = parse_date(require_text(field));
    if (!value) throw_misfit(field, "date");
    return *value;
}

TimeOfDay FieldReader<TimeOfDay>::read(pqxx::field const& field) {
    auto const value = parse_time_of_day(require_text(field).substr(0, 5));
    if (!value) throw_misfit(field, "time of day");
    return *value;
}

}  // namespace workforce::core
