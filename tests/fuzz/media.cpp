// Accept: what is chosen is one of what the row gives, and one that the field takes by itself.
#include "api/rest/media.hpp"

#include <algorithm>
#include <array>

#include "tests/fuzz/fuzz.hpp"

namespace workforce::tests {

void fuzz(std::string_view input) {
    using enum operations::MediaType;
    constexpr std::array kGives{json, csv, ndjson, event_stream, html};
    auto const alone = [&](operations::MediaType type) { return api::best_type(std::array{type}, input).has_value(); };
    auto const best = api::best_type(kGives, input);
    require(best ? alone(*best) : std::ranges::none_of(kGives, alone), "what is chosen is acceptable alone");
    for (auto const type : kGives) {
        if (!api::is_type(input, type)) continue;
        require(
            type == json || std::ranges::count_if(kGives, [&](auto other) { return api::is_type(input, other); }) == 1,
            "a content type is of one type");
    }
}

}  // namespace workforce::tests
