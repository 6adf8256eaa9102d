// Pages by kainjow's Mustache.
#include "operations/pages/page.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "core/crypto.hpp"
#include "operations/templates.hpp"

namespace workforce::operations {
namespace {

using kainjow::mustache::mustache;

std::string render(std::string_view text, PageData const& data) {
    mustache page{std::string(text)};
    if (!page.is_valid()) throw std::logic_error("a page's template is none: " + page.error_message());
    return page.render(data);
}

}  // namespace

std::string render_page(std::string_view title, std::string_view text, PageData const& data) {
    PageData frame;
    frame.set("title", std::string(title));
    frame.set("style", std::string(templates::pages_style));
    frame.set("body", render(text, data));
    return render(templates::pages_frame, frame);
}

Outcome page_outcome(std::string html, std::uint16_t status) { return {.status = status, .body = std::move(html)}; }

std::string message_page(std::string_view title, std::string_view message, std::string_view hint,
                         std::string_view request_id) {
    PageData data;
    data.set("title", std::string(title));
    data.set("message", std::string(message));
    if (!hint.empty()) data.set("hint", std::string(hint));
    if (!request_id.empty()) data.set("request", std::string(request_id));
    return render_page(title, templates::pages_message, data);
}

std::string page_policy(std::string_view form_source) {
    static std::string const style = core::base64_encode(core::bytes(core::sha256(templates::pages_style)));
    return fmt::format(
        "default-src 'none'; style-src 'sha256-{}'; form-action 'self'{}{}; frame-ancestors 'none'; base-uri 'none'",
        style, form_source.empty() ? "" : " ", form_source);
}

}  // namespace workforce::operations
