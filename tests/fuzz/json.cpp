// JSON of clients: it is refused or has one canonical text, whatever its order and white space.
#include <rapidjson/prettywriter.h>

#include <cstdlib>
#include <string>

#include "core/canonical_json.hpp"
#include "core/json.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace workforce::tests {
void fuzz(std::string_view input) {
    auto const document = core::parse_json(input);
    auto const canonical = core::canonical_json(input);
    if (!document) return require(canonical == input, "what is no JSON stays as it is");
    if (document->IsNumber() && !input.starts_with("\xef\xbb\xbf")) {
        require(document->GetDouble() == std::strtod(std::string(input).c_str(), nullptr),
                "a number is the nearest double");
    }
    require(core::parse_json(canonical).has_value(), "the canonical text is JSON");
    require(core::canonical_json(canonical) == canonical, "the canonical text is its own");
    rapidjson::StringBuffer buffer;
    rapidjson::PrettyWriter<rapidjson::StringBuffer> writer(buffer);
    document->Accept(writer);
    require(core::canonical_json(buffer.GetString()) == canonical, "white space means nothing");
}

}  // namespace workforce::tests
