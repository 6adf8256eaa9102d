// Cursors: made-up and altered ones are refused, ours come back.
#include <string>
#include <vector>

#include "operations/cursor.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace workforce::tests {

void fuzz(std::string_view input) {
    constexpr std::string_view kSecret = "a secret of thirty-two characters";
    auto const alteration = take_byte(input);
    std::string_view rest = input;
    std::string const binding(take_until(rest, '\n'));
    require(!operations::decode_cursor(rest, binding, kSecret), "nobody guesses a cursor");

    std::vector<std::string> keys;
    while (!rest.empty()) keys.emplace_back(take_until(rest, '\n'));
    for (auto const& key : keys) {
        if (!is_utf8(key)) return;  // keys are texts of rows
    }
    auto cursor = operations::encode_cursor(keys, binding, kSecret);
    auto const back = operations::decode_cursor(cursor, binding, kSecret);
    require(back && *back == keys, "a cursor comes back");
    require(!operations::decode_cursor(cursor, binding + "x", kSecret), "a cursor is bound to its list");
    require(!operations::decode_cursor(cursor, binding, "another"), "a cursor is bound to its secret");
    auto& changed = cursor[alteration % cursor.size()];
    changed = changed == 'A' ? 'B' : 'A';
    require(!operations::decode_cursor(cursor, binding, kSecret), "an altered cursor is refused");
}

}  // namespace workforce::tests
