// Parsing of JSON text from outside, and the validation error.
#include "core/json.hpp"

#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>

namespace workforce::core {
namespace {

constexpr int kMaxDepth = 32;

/// Whether brackets nest deeper than we accept. Checked before parsing: the parser recurses.
bool too_deep(std::string_view text) {
    int depth = 0;
    bool in_string = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        char const c = text[i];
        if (in_string) {
            if (c == '\\') {
                ++i;
            } else if (c == '"') {
                in_string = false;
            }
        } else if (c == '"') {
            in_string = true;
        } else if (c == '{' || c == '[') {
            if (++depth > kMaxDepth) return true;
        } else if (c == '}' || c == ']') {
            --depth;
        }
    }
    return false;
}

}  // namespace

Result<rapidjson::Document> parse_json(std::string_view text) {
    if (too_deep(text)) {
        return refuse(Code::validation_error, "The JSON is nested more than 32 deep.", R"({"reason":"too_deep"})");
    }
    rapidjson::Document document;
    document.Parse<rapidjson::kParseValidateEncodingFlag>(text.data(), text.size());
    if (document.HasParseError()) {
        return refuse(Code::validation_error,
                      std::string("The body is not valid JSON: ") +
                          rapidjson::GetParseError_En(document.GetParseError()) + " (at byte " +
                          std::to_string(document.GetErrorOffset()) + ")",
                      R"({"reason":"invalid_json"})");
    }
    return document;
}

Problem validation_problem(std::vector<FieldError> const& errors) {
    JsonWriter w;
    w.begin_object();
    w.key("fields");
    write_json(w, errors);
    w.end_object();
    std::string message =
        errors.size() == 1 ? "One field is not valid:" : std::to_string(errors.size()) + " fields are not valid:";
    for (std::size_t i = 0; i < errors.size() && i < 5; ++i) {
        message +=
            (i == 0 ? " " : "; ") + (errors[i].field.empty() ? "the body" : errors[i].field) + " " + errors[i].message;
    }
    return {Code::validation_error, std::move(message), w.take()};
}

}  // namespace workforce::core
