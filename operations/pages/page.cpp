// Pages within their frame, and the rows that give them.
#include "operations/pages/page.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/crypto.hpp"
#include "operations/templates.hpp"

namespace workforce::operations {

struct PageFrame {
    std::string title;
    std::string style;
    std::string header;
    std::string body;
};
BOOST_DESCRIBE_STRUCT(PageFrame, (), (title, style, header, body))

struct MessagePage {
    std::string title;
    std::string message;
    std::string hint;
    std::string request;
};
BOOST_DESCRIBE_STRUCT(MessagePage, (), (title, message, hint, request))

namespace {

void page_text(core::JsonWriter& w, Components&) { w.member("type", "string"); }

Operation row_of_page(std::string_view name, std::string_view summary, Handler handler) {
    Operation row;
    row.name = name;
    row.summary = summary;
    row.answer = page_text;
    row.handler = handler;
    return std::move(row).gives({MediaType::html}).refuses_as(ErrorForm::page).undescribed();
}

}  // namespace

std::string framed_page(std::string_view title, std::string body, std::string header) {
    return fill_template(templates::pages_frame, PageFrame{std::string(title), std::string(templates::pages_style),
                                                           std::move(header), std::move(body)});
}

Outcome page_outcome(std::string html, std::uint16_t status) { return {.status = status, .body = std::move(html)}; }

std::string message_page(std::string_view title, std::string_view message, std::string_view hint,
                         std::string_view request_id) {
    return render_page(
        title, templates::pages_message,
        MessagePage{std::string(title), std::string(message), std::string(hint), std::string(request_id)});
}

std::string page_policy(std::string_view form_source) {
    static std::string const style = core::base64_encode(core::bytes(core::sha256(templates::pages_style)));
    return fmt::format(
        "default-src 'none'; style-src 'sha256-{}'; form-action 'self'{}{}; frame-ancestors 'none'; base-uri 'none'",
        style, form_source.empty() ? "" : " ", form_source);
}

Operation page_row(std::string_view name, std::string_view summary, Handler handler) {
    return row_of_page(name, summary, handler).by_anyone_known();
}

Operation form_row(std::string_view name, std::string_view summary, Handler handler) {
    auto row = page_row(name, summary, handler);
    row.body = page_text;
    return std::move(row).appends_nothing().takes(MediaType::form);
}

Operation person_page_row(std::string_view name, std::string_view summary, Handler handler) {
    return row_of_page(name, summary, handler).by_people().of_live_data();
}

Operation person_form_row(std::string_view name, std::string_view summary, Handler handler) {
    auto row = person_page_row(name, summary, handler);
    row.body = page_text;
    return std::move(row).appends_nothing().takes(MediaType::form);
}

Operation consent_row(std::string_view name, std::string_view summary, Handler handler) {
    auto row = row_of_page(name, summary, handler);
    row.body = page_text;
    row.effect = Effect::write;
    return std::move(row).by_people().of_live_data().audit().takes(MediaType::form);
}

}  // namespace workforce::operations
