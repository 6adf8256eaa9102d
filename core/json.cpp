// Parsing of JSON text from outside, and the validation error.
#include "core/json.hpp"

#include <rapidjson/encodedstream.h>
#include <rapidjson/error/en.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <cmath>

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

/// Whether the text, else UTF-8, holds half of a surrogate pair: RapidJSON lets the escape of a second half alone pass.
bool has_surrogate(std::string_view text) {
    for (auto at = text.find('\xed'); at != std::string_view::npos; at = text.find('\xed', at + 1)) {
        if (static_cast<unsigned char>(text[at + 1]) >= 0xa0) return true;
    }
    return false;
}

/// Builds a document in which a number without a fraction is an integer, however it was written: 5.0 is one in JSON
/// Schema, and what some clients send for 5.
class WholeNumbers {
   public:
    using Ch = char;

    explicit WholeNumbers(rapidjson::Document& document) : document_(document) {}

    bool Double(double v) {
        bool const whole = std::fabs(v) <= kExact && std::trunc(v) == v;
        return whole ? document_.Int64(static_cast<std::int64_t>(v)) : document_.Double(v);
    }
    bool Null() { return document_.Null(); }
    bool Bool(bool v) { return document_.Bool(v); }
    bool Int(int v) { return document_.Int(v); }
    bool Uint(unsigned v) { return document_.Uint(v); }
    bool Int64(std::int64_t v) { return document_.Int64(v); }
    bool Uint64(std::uint64_t v) { return document_.Uint64(v); }
    bool RawNumber(char const* text, rapidjson::SizeType size, bool copy) {
        return document_.RawNumber(text, size, copy);
    }
    bool String(char const* text, rapidjson::SizeType size, bool copy) {
        return !has_surrogate({text, size}) && document_.String(text, size, copy);
    }
    bool StartObject() { return document_.StartObject(); }
    bool Key(char const* text, rapidjson::SizeType size, bool copy) {
        return !has_surrogate({text, size}) && document_.Key(text, size, copy);
    }
    bool EndObject(rapidjson::SizeType members) { return document_.EndObject(members); }
    bool StartArray() { return document_.StartArray(); }
    bool EndArray(rapidjson::SizeType items) { return document_.EndArray(items); }

   private:
    static constexpr double kExact = 9007199254740992.0;  // 2^53: up to here each double is one integer

    rapidjson::Document& document_;
};

}  // namespace

Result<rapidjson::Document> parse_json(std::string_view text) {
    if (too_deep(text)) {
        return tl::unexpected(Problem{Code::validation_error, "The JSON is nested more than 32 deep.",
                                      R"({"reason":"too_deep"})", "Send JSON that is nested less deep."});
    }
    rapidjson::Document document;
    rapidjson::ParseResult result;
    auto const parse = [&](rapidjson::Document& into) {
        rapidjson::MemoryStream bytes(text.data(), text.size());
        rapidjson::EncodedInputStream<rapidjson::UTF8<>, rapidjson::MemoryStream> stream(bytes);
        WholeNumbers handler(into);
        // In full precision: else 4208944803992002.0 is read half a unit off.
        constexpr auto kFlags = rapidjson::kParseValidateEncodingFlag | rapidjson::kParseFullPrecisionFlag;
        result = rapidjson::Reader().Parse<kFlags>(stream, handler);
        return !result.IsError();
    };
    document.Populate(parse);
    if (result.IsError()) {
        bool const ours = result.Code() == rapidjson::kParseErrorTermination;
        auto const code = ours ? rapidjson::kParseErrorStringUnicodeSurrogateInvalid : result.Code();
        return tl::unexpected(Problem{Code::validation_error,
                                      std::string("The body is not valid JSON: ") + rapidjson::GetParseError_En(code) +
                                          " (at byte " + std::to_string(result.Offset()) + ")",
                                      R"({"reason":"invalid_json"})",
                                      "Send valid JSON in UTF-8; the message tells where it breaks off."});
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
