// Pages for people, from templates beside this file: without scripts, and with nothing from outside.
#pragma once

#include <string>
#include <string_view>

#include "operations/operation.hpp"
#include "operations/outcome.hpp"
#include "operations/pages/template.hpp"

namespace workforce::operations {

/// What all pages have, around a body of HTML. A page with a header, HTML that leads to other pages, is wide.
std::string framed_page(std::string_view title, std::string body, std::string header = {});

/// A page: the template's text filled with the values, as fill_template() does, within what all pages have.
template <core::DescribedStruct T>
std::string render_page(std::string_view title, std::string_view text, T const& values) {
    return framed_page(title, fill_template(text, values));
}

/// The page as an outcome.
Outcome page_outcome(std::string html, std::uint16_t status = 200);

/// A page that says why something is not done, and how to go on.
std::string message_page(std::string_view title, std::string_view message, std::string_view hint,
                         std::string_view request_id);

/// The Content-Security-Policy of pages. `form_source`: where forms lead besides this service; empty: nowhere.
std::string page_policy(std::string_view form_source);

/// A page that anybody may ask for; who has a session is known.
Operation page_row(std::string_view name, std::string_view summary, Handler handler);
/// A form that the page was sent with, of whoever page_row() is for.
Operation form_row(std::string_view name, std::string_view summary, Handler handler);
/// A page for people who signed in; a browser of anybody else is sent to /login.
Operation person_page_row(std::string_view name, std::string_view summary, Handler handler);
/// A form on such a page, which asks for other operations.
Operation person_form_row(std::string_view name, std::string_view summary, Handler handler);
/// A form by which a person who signed in says what a client may do: audited.
Operation consent_row(std::string_view name, std::string_view summary, Handler handler);

}  // namespace workforce::operations
