// Files of tombstones: nothing made up or altered passes, what was signed does.
#include <string>

#include "events/log/tombstones.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace workforce::tests {

void fuzz(std::string_view input) {
    static events::HeadSigner const signer("fuzz", std::string(32, 'k'));
    auto const read = [](std::string_view lines) {
        return events::read_tombstones(lines, "fuzz", {signer.public_key()});
    };
    auto const at = take_byte(input) * 256 + take_byte(input);
    if (auto const made_up = read(input)) {
        require(made_up->persons.empty() && made_up->keys.empty() && made_up->positions.empty(),
                "nobody guesses a signature");
    }

    events::Tombstones all;
    all.time = core::Timestamp{at};
    all.positions = {at};
    for (std::size_t i = 0; i < input.size(); ++i) all.keys.insert(static_cast<unsigned char>(input[i]));
    all.persons.insert("staff/" + std::to_string(at));
    auto const lines = events::sign_tombstones(all, {}, signer);
    auto const found = read(lines + lines + lines.substr(0, static_cast<std::size_t>(at) % (lines.size() - 1)));
    require(found && found->whole(), "what was signed passes, a torn last line is none");
    require(found->persons == all.persons && found->keys == all.keys && found->positions == all.positions,
            "and comes back");
    auto const more = events::sign_tombstones(all, *found, signer);
    require(more.size() <= lines.size() && read(more)->persons.empty(), "each is named once");
}

}  // namespace workforce::tests
