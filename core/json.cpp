// Parsing of JSON text from outside, reads of plain values, and the validation error.
#include "core/json.hpp"

#include <rapidjson/error/en.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <charconv>
#include <cmath>
#include <cstdlib>

#include "core/nesting.hpp"

namespace workforce::core {
namespace {

/// Whether the text, else UTF-8, holds half of a surrogate pair: RapidJSON lets the escape of a second half alone pass.
bool has_surrogate(std::string_view text) {
    for (auto at = text.find('\xed'); at != std::string_view::npos; at = text.find('\xed', at + 1)) {
        if (static_cast<unsigned char>(text[at + 1]) >= 0xa0) return true;
    }
    return false;
}

/// Builds a document in which a number without a fraction is an integer, however it was written: 5.0 is one in JSON
/// Schema, and what some clients send for 5. Numbers come as their text, since RapidJSON 1.1.0 can't be trusted to read
/// them: 5.1687675836958404912035981678056e-332 reads far outside of its table of powers. What it
/// takes for too large, such as 0e309, it still refuses.
class Builder : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, Builder> {
   public:
    explicit Builder(rapidjson::Document& document) : document_(document) {}

    /// Why it refused to go on, where the parser only knows that it did.
    rapidjson::ParseErrorCode refused() const { return refused_; }

    bool RawNumber(char const* text, rapidjson::SizeType size, bool) {
        auto const* const end = text + size;
        if (std::int64_t v = 0; is_all(std::from_chars(text, end, v), end)) return document_.Int64(v);
        if (std::uint64_t v = 0; is_all(std::from_chars(text, end, v), end)) return document_.Uint64(v);
        double v = 0;
        if (!is_all(std::from_chars(text, end, v), end))
            v = std::strtod(text, nullptr);  // tells too large from too near 0
        if (std::isinf(v)) {
            refused_ = rapidjson::kParseErrorNumberTooBig;
            return false;
        }
        bool const whole = std::fabs(v) <= kExact && std::trunc(v) == v;
        return whole ? document_.Int64(static_cast<std::int64_t>(v)) : document_.Double(v);
    }
    bool String(char const* text, rapidjson::SizeType size, bool copy) {
        return well_formed({text, size}) && document_.String(text, size, copy);
    }
    bool Key(char const* text, rapidjson::SizeType size, bool copy) {
        return well_formed({text, size}) && document_.Key(text, size, copy);
    }
    bool Null() { return document_.Null(); }
    bool Bool(bool v) { return document_.Bool(v); }
    bool StartObject() { return document_.StartObject(); }
    bool EndObject(rapidjson::SizeType members) { return document_.EndObject(members); }
    bool StartArray() { return document_.StartArray(); }
    bool EndArray(rapidjson::SizeType items) { return document_.EndArray(items); }

    bool Default() { return false; }  // a number that is not its text: never called

   private:
    static constexpr double kExact = 9007199254740992.0;  // 2^53: up to here each double is one integer

    static bool is_all(std::from_chars_result const& read, char const* end) {
        return read.ec == std::errc() && read.ptr == end;
    }

    bool well_formed(std::string_view text) {
        if (!has_surrogate(text)) return true;
        refused_ = rapidjson::kParseErrorStringUnicodeSurrogateInvalid;
        return false;
    }

    rapidjson::Document& document_;
    rapidjson::ParseErrorCode refused_ = rapidjson::kParseErrorNone;
};

}  // namespace

void JsonType<bool>::read(JsonValue const& v, bool& out, JsonReader& r) {
    if (!v.IsBool()) return r.fail("type", "must be true or false");
    out = v.GetBool();
}

void JsonType<double>::read(JsonValue const& v, double& out, JsonReader& r) {
    if (!v.IsNumber()) return r.fail("type", "must be a number");
    out = v.GetDouble();
}

void JsonType<std::string>::read(JsonValue const& v, std::string& out, JsonReader& r) {
    if (!v.IsString()) return r.fail("type", "must be a string");
    out.assign(v.GetString(), v.GetStringLength());
}

Result<rapidjson::Document> parse_json(std::string_view text) {
    if (is_nested_deeper(text, kMostParsedNesting)) {  // first, for the parser recurses
        return tl::unexpected(Problem{Code::validation_error, "The JSON is nested more than 32 deep.",
                                      R"({"reason":"too_deep"})", "Send JSON that is nested less deep."});
    }
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    auto const skipped = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
    text.remove_prefix(skipped);
    rapidjson::Document document;
    auto code = rapidjson::kParseErrorNone;
    std::size_t offset = 0;
    auto const parse = [&](rapidjson::Document& into) {
        rapidjson::MemoryStream stream(text.data(), text.size());
        Builder builder(into);
        constexpr auto kFlags = rapidjson::kParseValidateEncodingFlag | rapidjson::kParseNumbersAsStringsFlag;
        auto const result = rapidjson::Reader().Parse<kFlags>(stream, builder);
        code = result.Code() == rapidjson::kParseErrorTermination ? builder.refused() : result.Code();
        offset = result.IsError() ? result.Offset() : stream.Tell();
        bool const ended_early = !result.IsError() && offset != text.size();  // a NUL is the end to it
        if (ended_early) code = rapidjson::kParseErrorDocumentRootNotSingular;
        return code == rapidjson::kParseErrorNone;
    };
    document.Populate(parse);
    if (code != rapidjson::kParseErrorNone) {
        return tl::unexpected(Problem{Code::validation_error,
                                      std::string("The body is not valid JSON: ") + rapidjson::GetParseError_En(code) +
                                          " (at byte " + std::to_string(skipped + offset) + ")",
                                      R"({"reason":"invalid_json"})",
                                      "Send valid JSON in UTF-8; the message tells where it breaks off."});
    }
    return document;
}

}  // namespace workforce::core
