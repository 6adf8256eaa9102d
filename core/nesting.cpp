// Counting brackets outside of texts.
#include "core/nesting.hpp"

namespace workforce::core {

bool is_nested_deeper(std::string_view json, std::size_t levels) {
    std::size_t depth = 0;
    bool in_text = false;
    for (std::size_t at = 0; at < json.size(); ++at) {
        char const c = json[at];
        if (in_text) {
            if (c == '\\') ++at;
            in_text = c != '"';
        } else if (c == '"') {
            in_text = true;
        } else if (c == '{' || c == '[') {
            if (++depth > levels) return true;
        } else if ((c == '}' || c == ']') && depth > 0) {
            --depth;
        }
    }
    return false;
}

}  // namespace workforce::core
