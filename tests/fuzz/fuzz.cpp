// libFuzzer's entry, and the helpers of targets.
#include "tests/fuzz/fuzz.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "core/json.hpp"

namespace workforce::tests {

void require(bool holds, std::string_view property) {
    if (holds) return;
    fmt::print(stderr, "fuzz: this does not hold: {}\n", property);
    std::abort();
}

unsigned char take_byte(std::string_view& rest) {
    if (rest.empty()) return 0;
    auto const byte = static_cast<unsigned char>(rest.front());
    rest.remove_prefix(1);
    return byte;
}

std::string_view take_until(std::string_view& rest, char separator) {
    auto const text = rest.substr(0, rest.find(separator));
    rest.remove_prefix(std::min(text.size() + 1, rest.size()));
    return text;
}

bool is_utf8(std::string_view text) { return core::parse_json(core::to_json(std::string(text))).has_value(); }

}  // namespace workforce::tests

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    workforce::tests::fuzz({reinterpret_cast<char const*>(data), size});
    return 0;
}
