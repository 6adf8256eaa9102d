// Media type and syntax of bodies.
#include "api/body.hpp"

#include "api/rest/media.hpp"
#include "core/json.hpp"
#include "core/json_duplicates.hpp"
#include "operations/schema/query_parameters.hpp"

namespace workforce::api {
namespace {

using operations::MediaType;

core::Result<rapidjson::Document> parse_form(std::string_view body) {
    auto fields = operations::parse_query(body);
    if (!fields) return tl::unexpected(fields.error());
    rapidjson::Document document;
    document.SetObject();
    auto& allocator = document.GetAllocator();
    auto const text = [&](std::string const& value) {
        return core::JsonValue(value.data(), static_cast<rapidjson::SizeType>(value.size()), allocator);
    };
    for (auto const& [name, value] : *fields) document.AddMember(text(name), text(value), allocator);
    return document;
}

rapidjson::Document text_of(std::string_view body) {
    rapidjson::Document document;
    document.SetString(body.data() == nullptr ? "" : body.data(), static_cast<rapidjson::SizeType>(body.size()));
    return document;
}

core::Problem not_taken(MediaType takes) {
    std::string const name(operations::info(takes).name);
    return {core::Code::unsupported_media_type, "The body must be " + name + ".", R"({"mediaTypes":[")" + name + "\"]}",
            "Send the body as " + name + " in UTF-8."};
}

}  // namespace

core::Result<rapidjson::Document> parse_text(std::string_view body, MediaType takes) {
    if (takes == MediaType::json) {
        if (!body.empty()) return core::parse_json(body);
        rapidjson::Document empty;
        empty.SetObject();
        return empty;
    }
    return takes == MediaType::form ? parse_form(body) : text_of(body);
}

core::Result<rapidjson::Document> parse_body(net::Request const& request, MediaType takes) {
    if (request.body.empty() || request.method == net::Method::del) return parse_text({}, takes);
    auto const type = request.header("Content-Type");
    if (!type || !is_type(*type, takes)) return tl::unexpected(not_taken(takes));
    auto document = parse_text(request.body, takes);
    if (!document) return document;
    if (auto const repeated = core::duplicate_members(*document); !repeated.empty()) {
        return tl::unexpected(core::validation_problem(repeated));
    }
    return document;
}

}  // namespace workforce::api
