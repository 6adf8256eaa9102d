// What has ended for good and must not come back with an older backup: persons who were erased, API keys that were
// revoked. Signed lines name them, for a file that is kept elsewhere and only grows.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/time.hpp"
#include "events/log/heads.hpp"

namespace workforce::events {

/// A line of the file: some tombstones, and how many the installation had when it was written, so that a lost line
/// shows.
struct TombstoneLine {
    std::string installation;
    core::Timestamp time;
    std::vector<std::int64_t> positions;  ///< of each partition's head, asked for before tombstones were read
    std::int64_t personCount = 0;         ///< erased by then, whatever line names them
    std::int64_t keyCount = 0;            ///< API keys revoked by then
    std::vector<std::string> persons;     ///< "staff/42", "user/7"
    std::vector<core::Id> keys;           ///< of API keys
    std::string publicKey;                ///< as of signed heads
    std::string signature;                ///< Ed25519 over signed_text()
};
BOOST_DESCRIBE_STRUCT(TombstoneLine, (),
                      (installation, time, positions, personCount, keyCount, persons, keys, publicKey, signature))

/// What is signed, a line each with a line feed: "workforce tombstones 1", installation, time (as in the JSON), then
/// positions, the two counts, persons, and keys, those of a line with a space between them.
std::string signed_text(TombstoneLine const& line);

/// What a file, or a database, knows to have ended.
struct Tombstones {
    std::set<std::string> persons;
    std::set<core::Id> keys;
    std::int64_t person_count = 0;  ///< at least so many persons should be named
    std::int64_t key_count = 0;
    core::Timestamp time{};               ///< of the newest line
    std::vector<std::int64_t> positions;  ///< of the newest line

    /// Whether no line is missing that the newest one counts.
    [[nodiscard]] bool whole() const {
        return std::cmp_greater_equal(persons.size(), person_count) && std::cmp_greater_equal(keys.size(), key_count);
    }
};

/// Lines that name what `all` has and `named` has not, at least one line; `time` and `positions` are of `all`.
std::string sign_tombstones(Tombstones const& all, Tombstones const& named, HeadSigner const& signer);

/// Reads lines of sign_tombstones and checks that each signature is of one of `public_keys` (hexadecimal), and each
/// line of `installation`. The error is one line that names the line at fault; a last line that was torn while it was
/// written says nothing and is none.
tl::expected<Tombstones, std::string> read_tombstones(std::string_view lines, std::string_view installation,
                                                      std::vector<std::string> const& public_keys);

}  // namespace workforce::events
