// Pages for people, from templates beside this file: without scripts, and with nothing from outside.
#pragma once

#include <kainjow/mustache.hpp>
#include <string>
#include <string_view>

#include "operations/outcome.hpp"

namespace workforce::operations {

using PageData = kainjow::mustache::data;

/// A page: the template's text with the data, in which everything is escaped, within what all pages have. Throws
/// std::logic_error for a template that is none.
std::string render_page(std::string_view title, std::string_view text, PageData const& data);

/// The page as an outcome.
Outcome page_outcome(std::string html, std::uint16_t status = 200);

/// A page that says why something is not done, and how to go on.
std::string message_page(std::string_view title, std::string_view message, std::string_view hint,
                         std::string_view request_id);

/// The Content-Security-Policy of pages. `form_source`: where forms lead besides this service; empty: nowhere.
std::string page_policy(std::string_view form_source);

}  // namespace workforce::operations
