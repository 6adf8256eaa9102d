// What the pages of help say, made from what the program declares: error codes, types of webhooks, limits, versions,
// tools.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/versions.hpp"
#include "core/config.hpp"

namespace workforce::api {

/// What pages are made of.
struct HelpContext {
    core::Config const& config;
    Versions const& versions;
    std::string styles;               ///< path of the style sheet of all pages
    std::vector<std::string> viewer;  ///< paths of the viewer's files: the style sheets, then the scripts
    std::string description;          ///< path of the OpenAPI document that the viewer shows
};

/// A page of help.
struct HelpPage {
    std::string_view path;
    std::string_view title;
    std::string_view lead;  ///< what the page is for, in a sentence
    std::string (*html)(HelpPage const& page, HelpContext const& context);
};

/// All of them, the reference first.
std::span<HelpPage const> help_pages();

}  // namespace workforce::api
