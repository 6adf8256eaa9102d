// Records of the log: whatever stands there decodes or is refused by name, and what decodes survives being written
// again.
#include "events/attributes.hpp"
#include "events/codec.hpp"
#include "events/log/mend.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/unit/events/samples.hpp"

namespace workforce::tests {
namespace {

/// The record in clear, all of it; each field of it is in there.
std::string opened(std::string_view body, events::Keyring& keyring) {
    return events::open_all({events::Record{.position = 0, .body = std::string(body)}}, keyring).front();
}

bool within(std::string_view part, std::string_view whole) {
    return part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size();
}

/// Both readers that look at bytes only.
void scan(std::string_view body) {
    events::AttributeWalk attributes(body);
    while (auto const attribute = attributes.next()) {
        require(within(attribute->name, body) && within(attribute->raw, body), "attributes are of the body");
        require(attribute->value().size() <= attribute->raw.size(), "no escape is shorter than what it stands for");
    }
    if (auto const standing = events::standing_of(body)) {
        require(within(standing->previous_hash, body) && standing->previous_hash.size() == 64, "a hash has 64 digits");
        require(standing->epoch >= 0 && standing->position >= 0 && standing->command_count >= 0, "numbers are whole");
    }
}

/// Mends are signed, and so none that chance makes counts.
void read_mend(std::string_view body) {
    auto const mend = events::mend_of(body);
    if (!mend) return;
    auto const text = core::to_json(*mend);
    require(core::parse_json(text).has_value(), "a mend is JSON");
    require(!events::is_signed(*mend, 0, {.installation = "fuzz", .public_keys = {std::string(64, 'a')}}),
            "nobody signed it");
}

}  // namespace

void fuzz(std::string_view input) {
    scan(input);
    read_mend(input);
    SampleKeyring keyring;
    try {
        auto const event = events::decode(input, keyring);
        events::Encoder const encoder(std::string(kSampleSource), keyring);
        auto const body = encoder.encode(event.meta, event.data);
        require(body.find('\n') == std::string::npos, "a record is one line");
        auto const standing = events::standing_of(body);
        scan(body);
        try {
            auto const again = events::decode(body, keyring);
            require(opened(body, keyring) == opened(encoder.encode(again.meta, again.data), keyring),
                    "what is written comes back");
            require(!standing || standing->position == again.meta.position, "both readers see the same position");
        } catch (std::runtime_error const& error) {
            require(false, error.what());
        }
    } catch (events::UnknownEvent const&) {
    } catch (events::DamagedEvent const&) {
    }
}

}  // namespace workforce::tests
