// Settings that are several texts with commas between them.
#pragma once

#include <string_view>
#include <vector>

namespace workforce::core {

/// The texts between commas, without the spaces around each; none that is empty. Views of the text.
inline std::vector<std::string_view> texts_between_commas(std::string_view text) {
    std::vector<std::string_view> all;
    while (!text.empty()) {
        auto const comma = text.find(',');
        auto one = text.substr(0, comma);
        text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
        while (one.starts_with(' ')) one.remove_prefix(1);
        while (one.ends_with(' ')) one.remove_suffix(1);
        if (!one.empty()) all.push_back(one);
    }
    return all;
}

}  // namespace workforce::core
