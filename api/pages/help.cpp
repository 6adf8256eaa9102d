// Files with their tags, and the headers that pages have.
#include "api/pages/help.hpp"

#include <algorithm>
#include <array>

#include "api/pages/help_content.hpp"
#include "api/pages/templates.hpp"
#include "api/pages/viewer.hpp"
#include "api/rest/route.hpp"
#include "core/comma_list.hpp"
#include "core/crypto.hpp"
#include "operations/http_binding.hpp"

namespace workforce::api {
namespace {

constexpr std::string_view kBelow = "/docs";
constexpr std::string_view kCss = "text/css; charset=utf-8";
constexpr std::string_view kJavaScript = "text/javascript; charset=utf-8";
constexpr std::size_t kNameDigits = 16;  // of a digest, in the path of a file

/// Nothing but what this host serves; images in the viewer's style sheet are data: addresses.
constexpr std::string_view kContentPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri "
    "'none'; "
    "form-action 'none'; frame-ancestors 'none'";

std::string digest_of(std::string_view text) { return core::hex_encode(core::bytes(core::sha256(text))); }

HelpFile page_file(std::string_view path, std::string html) {
    auto tag = '"' + digest_of(html) + '"';
    return {std::string(path), std::string(operations::info(operations::MediaType::html).content_type), std::move(html),
            std::move(tag)};
}

/// A file at a path that its bytes give.
HelpFile named_file(std::string_view name, std::string_view content_type, std::string text) {
    auto const digest = digest_of(text);
    auto path = std::string(kBelow) + "/files/" + digest.substr(0, kNameDigits) + '/' + std::string(name);
    return {std::move(path), std::string(content_type), std::move(text), '"' + digest + '"', true};
}

/// Adds the file and returns its path.
std::string add(std::vector<HelpFile>& files, HelpFile file) { return files.emplace_back(std::move(file)).path; }

std::vector<HelpFile> all_files(core::Config const& config, Versions const& versions) {
    std::vector<HelpFile> files;
    HelpContext context{config, versions, {}, {}, {}};
    context.styles = add(files, named_file("pages.css", kCss, std::string(templates::pages)));
    context.viewer = {
        add(files, named_file("swagger-ui.css", kCss, std::string(viewer::swagger_ui()))),
        add(files, named_file("swagger-ui-bundle.js", kJavaScript, std::string(viewer::swagger_ui_bundle()))),
        add(files, named_file("viewer.js", kJavaScript, std::string(templates::viewer)))};
    context.description = add(files, named_file("openapi.json", "application/json", std::string(openapi_document())));
    for (auto const& page : help_pages()) files.push_back(page_file(page.path, page.html(page, context)));
    std::ranges::sort(files, {}, &HelpFile::path);
    return files;
}

/// Whether If-None-Match (RFC 9110 13.1.2) names the tag; the comparison is weak.
bool has_it(net::Request const& request, std::string_view tag) {
    auto const field = request.list("If-None-Match");
    if (!field) return false;
    return std::ranges::any_of(core::texts_between_commas(*field), [&](std::string_view known) {
        if (known.starts_with("W/")) known.remove_prefix(2);
        return known == tag || known == "*";
    });
}

}  // namespace

HelpFile const* Help::find(std::string_view path) {
    if (!path.starts_with(kBelow)) return nullptr;
    std::call_once(made_, [this] { files_ = all_files(config_, versions_); });
    auto const found = std::ranges::lower_bound(files_, path, {}, &HelpFile::path);
    return found != files_.end() && found->path == path ? &*found : nullptr;
}

net::Reply answer_with(HelpFile const& file, net::Request const& request) {
    net::Reply reply;
    if (has_it(request, file.tag)) {
        reply.status = 304;
    } else {
        reply.content_type = file.content_type;
        reply.static_body = file.body;
    }
    reply.headers = {
        {"ETag", file.tag},
        {"Cache-Control", file.is_named ? "public, max-age=31536000, immutable" : "no-cache"},
        {"Content-Security-Policy", std::string(kContentPolicy)},
        {"X-Content-Type-Options", "nosniff"},
        {"Referrer-Policy", "no-referrer"},
        {"Cross-Origin-Opener-Policy", "same-origin"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
    };
    return reply;
}

}  // namespace workforce::api
