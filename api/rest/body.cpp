// Media type and syntax of bodies.
#include "api/rest/body.hpp"

#include "core/ascii.hpp"
#include "core/json.hpp"

namespace workforce::api {
namespace {

bool is_json(std::string_view content_type) {
    auto type = content_type.substr(0, content_type.find(';'));
    while (type.ends_with(' ')) type.remove_suffix(1);
    auto const lower = core::ascii_lower(type);
    return lower == "application/json" || (lower.starts_with("application/") && lower.ends_with("+json"));
}

}  // namespace

core::Result<rapidjson::Document> parse_body(net::Request const& request) {
    if (request.body.empty() || request.method == net::Method::del) {
        rapidjson::Document empty;
        empty.SetObject();
        return empty;
    }
    auto const type = request.header("Content-Type");
    if (!type || !is_json(*type)) {
        return core::refuse(core::Code::unsupported_media_type, "The body must be application/json.");
    }
    return core::parse_json(request.body);
}

}  // namespace workforce::api
