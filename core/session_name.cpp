// The name of the process, kept for all pools.
#include "core/session_name.hpp"

#include <fmt/format.h>

namespace workforce::core {
namespace {

constexpr std::string_view kProgram = "workforce ";

struct ProcessName {
    std::string role;
    std::string installation;
};

ProcessName& process_name() {
    static ProcessName name;
    return name;
}

}  // namespace

void name_process(std::string_view role, std::string_view installation) {
    process_name() = {std::string(role), std::string(installation)};
}

std::string session_name(std::string const& pool) {
    auto const& [role, installation] = process_name();
    if (role.empty()) return pool;
    std::string_view what = pool;
    if (what.starts_with(kProgram)) what.remove_prefix(kProgram.size());
    auto name = std::string(kProgram) + role;
    if (what != role) name.append(": ").append(what);
    return fmt::format("{} ({})", name, installation);
}

}  // namespace workforce::core
