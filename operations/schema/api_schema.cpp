// What schemas of all types have in common.
#include "operations/schema/api_schema.hpp"

#include <fmt/format.h>

namespace workforce::operations {

std::string text_pattern(std::size_t min, bool multiline) {
    constexpr std::string_view kTrimmed = R"([ \t\r\n]*)";
    constexpr std::string_view kVisible = R"([^\u0000-\u0020\u007F-\u009F])";
    std::string_view const taken =
        multiline ? R"([^\u0000-\u0008\u000B-\u001F\u007F-\u009F])" : R"([^\u0000-\u001F\u007F-\u009F])";
    // What trimming leaves begins and ends with something visible.
    auto text = fmt::format("{}*", taken);
    if (min == 1) text = fmt::format("{}{}*", kVisible, taken);
    if (min > 1) text = fmt::format("{0}{1}{{{2},}}{0}", kVisible, taken, min - 2);
    return fmt::format("^{0}{1}{0}$", kTrimmed, text);
}

std::string type_name_in(std::string_view pretty_function) {
    auto name = pretty_function;
    name.remove_prefix(name.rfind("T = ") + 4);
    name = name.substr(0, name.find_first_of(";]"));
    return std::string(name.substr(name.rfind(':') + 1));  // npos + 1 is 0
}

void define_object(core::JsonWriter& w, Side side, Components& components, std::span<ApiField const> fields) {
    std::vector<std::string> required;
    w.member("type", "object");
    w.key("properties");
    w.begin_object();
    for (auto const& field : fields) {
        w.key(field.name);
        w.begin_object();
        field.write(w, side, components);
        w.end_object();
        if (side == Side::answer ? field.in_answer : field.in_request) required.emplace_back(field.name);
    }
    w.end_object();
    if (required.empty()) return;
    w.key("required");
    core::write_json(w, required);
}

}  // namespace workforce::operations
