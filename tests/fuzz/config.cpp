// The configuration file: it is refused in one line, or what is printed of it configures the same.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/config.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace workforce::tests {
namespace {

tl::expected<core::LoadedConfig, std::string> load(std::string_view text) {
    static int const file = ::memfd_create("config", 0);
    static core::ConfigFlags const flags{fmt::format("/proc/self/fd/{}", file), {}, {}};
    bool const written = ::ftruncate(file, 0) == 0 && ::pwrite(file, text.data(), text.size(), 0) >= 0;
    require(written, "the file can be written");
    return core::load_config(flags, [](char const*) -> char const* { return nullptr; });
}

}  // namespace

void fuzz(std::string_view input) {
    auto const loaded = load(input);
    if (!loaded) return require(loaded.error().find('\n') == std::string::npos, "a fault is one line");
    auto const text = core::print(*loaded);
    auto const again = load(text);
    require(again.has_value(), "what is printed configures");
    for (std::size_t i = 0; i < loaded->entries.size(); ++i) {
        auto const& entry = loaded->entries[i];
        require(entry.key == "database_url" || entry.value == again->entries[i].value, "and configures the same");
    }
}

}  // namespace workforce::tests
