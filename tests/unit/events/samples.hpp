// One event of every type, with values as they occur: what the codec, the folds and the golden records are tested with.
#pragma once

#include <stdexcept>
#include <vector>

#include "core/crypto.hpp"
#include "events/event.hpp"
#include "events/keyring.hpp"

namespace workforce::tests {

/// Keys that follow from the person's name, so that records sealed once open in every run. Not for anything but
/// samples.
class SampleKeyring final : public events::Keyring {
   public:
    std::string key_to_seal(std::string const& person) override {
        auto const digest = core::sha256("the sample key of " + person);
        return std::string(core::bytes(digest));
    }
    std::optional<std::string> key_to_open(std::string const& person) override { return key_to_seal(person); }
    void prefetch(std::span<std::string const>) override {}
    void persist() override {}
    [[nodiscard]] bool has_unstored() const override { return false; }
    void forget(std::string const&) override {}
};

inline constexpr std::string_view kSampleSource = "urn:workforce:sample";

/// One of each type, in the order in which they came to be, each with an envelope of its own.
std::vector<events::Event> sample_events();

/// The sample of a type. Errors: std::logic_error for a type that has none.
events::Event sample_of(std::string_view type);

/// An event's data as JSON, personal fields in clear.
std::string clear_data(events::AnyEvent const& event);

}  // namespace workforce::tests
