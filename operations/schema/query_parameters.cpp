// Decoding of query strings.
#include "operations/schema/query_parameters.hpp"

#include <utf8proc.h>
#include <algorithm>

#include "core/json_duplicates.hpp"
#include "events/key_secret.hpp"

namespace workforce::operations {
namespace {

constexpr std::size_t kMostShownName = 64;

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

bool is_utf8(std::string_view text) {
    auto const* at = reinterpret_cast<utf8proc_uint8_t const*>(text.data());
    auto left = static_cast<utf8proc_ssize_t>(text.size());
    while (left > 0) {
        utf8proc_int32_t code_point = 0;
        auto const size = utf8proc_iterate(at, left, &code_point);
        if (size < 1) return false;
        at += size;
        left -= size;
    }
    return true;
}

/// The refusal of a parameter that comes twice. A name that may be a key of the platform is not repeated, nor a long
/// one.
core::Problem given_again(std::string_view name) {
    bool const shown = name.size() <= kMostShownName && !events::begins_as_key(name);
    return core::validation_problem({{shown ? std::string(name) : "a parameter", std::string(core::kDuplicateRule),
                                      std::string(core::kDuplicateMessage)}});
}

}  // namespace

std::optional<std::string> percent_decode(std::string_view text, bool plus_is_space) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '%') {
            if (i + 2 >= text.size()) return std::nullopt;
            int const high = hex_digit(text[i + 1]);
            int const low = hex_digit(text[i + 2]);
            if (high < 0 || low < 0) return std::nullopt;
            out += static_cast<char>(high * 16 + low);
            i += 2;
        } else {
            out += plus_is_space && text[i] == '+' ? ' ' : text[i];
        }
    }
    return is_utf8(out) ? std::optional(std::move(out)) : std::nullopt;
}

core::Result<QueryMap> parse_query(std::string_view query) {
    QueryMap parameters;
    while (!query.empty()) {
        auto const part = query.substr(0, query.find('&'));
        query.remove_prefix(std::min(part.size() + 1, query.size()));
        if (part.empty()) continue;
        auto const equals = part.find('=');
        auto name = percent_decode(part.substr(0, equals), true);
        auto value =
            percent_decode(equals == std::string_view::npos ? std::string_view{} : part.substr(equals + 1), true);
        if (!name || !value) {
            return tl::unexpected(core::Problem{
                core::Code::validation_error, "The query string is not valid percent-encoded UTF-8.",
                R"({"reason":"invalid_query"})", "Percent-encode the query string's names and values as UTF-8."});
        }
        auto const [entry, added] = parameters.try_emplace(*std::move(name), *std::move(value));
        if (!added) return tl::unexpected(given_again(entry->first));
    }
    return parameters;
}

rapidjson::Document query_object(QueryMap const& parameters, std::span<QueryField const> fields) {
    rapidjson::Document document(rapidjson::kObjectType);
    auto& allocator = document.GetAllocator();
    for (auto const& field : fields) {
        auto const found = parameters.find(field.name);
        if (found == parameters.end()) continue;
        document.AddMember(core::JsonValue(rapidjson::StringRef(field.name.data(),
                                                                static_cast<rapidjson::SizeType>(field.name.size()))),
                           field.value(found->second, allocator), allocator);
    }
    return document;
}

}  // namespace workforce::operations
