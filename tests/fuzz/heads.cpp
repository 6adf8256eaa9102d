// Files of signed heads: nothing made up or altered passes, what was signed does.
#include <string>

#include "events/log/heads.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace workforce::tests {

void fuzz(std::string_view input) {
    static events::HeadSigner const signer("fuzz", std::string(32, 'k'));
    auto const read = [](std::string_view lines) {
        return events::read_signed_heads(lines, "fuzz", {signer.public_key()});
    };
    auto const at = take_byte(input) * 256 + take_byte(input);
    if (auto const heads = read(input)) require(heads->empty(), "nobody guesses a signature");

    auto const count = static_cast<std::int64_t>(input.size());
    auto line = core::to_json(signer.sign(at % 7, {count, std::string(64, 'a')}, core::Timestamp{count * at}));
    auto const heads = read(line + '\n' + line + '\n' + line.substr(0, static_cast<std::size_t>(at) % line.size()));
    require(heads && heads->size() == 2, "what was signed passes, a torn last line is none");
    require(events::signed_text(heads->front()) == events::signed_text(heads->back()), "and comes back");

    auto const document = core::parse_json(input);
    if (document && document->IsObject()) {
        events::SignedHead head;
        core::JsonReader reader;
        core::JsonType<events::SignedHead>::read(*document, head, reader);
        if (reader.errors().empty()) require(!events::signed_text(head).empty(), "every head has a text");
    }
}

}  // namespace workforce::tests
