// Mends: signed records that say of records before them that they hold no event. What a stranger wrote so that it
// counts, and nobody can read, would stop its partition for good otherwise.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/time.hpp"
#include "events/log/heads.hpp"
#include "events/log/log.hpp"

namespace workforce::events {

/// What a mend says: its record's `data`.
struct Mend {
    std::int64_t first = 0;  ///< position of the first record that it passes over
    std::int64_t last = 0;   ///< of the last one
    std::string hash;        ///< of that one: through the chain it says which records are meant
    std::string why;
    std::string signature;  ///< Ed25519 over signed_text(), hexadecimal
};
BOOST_DESCRIBE_STRUCT(Mend, (), (first, last, hash, why, signature))

/// The type of a mend's record.
inline constexpr std::string_view kMendType = "log.mended";

/// What is signed, a line each with a line feed: "workforce log mend 1", installation, partition, first, last, hash,
/// why.
std::string signed_text(std::string_view installation, int partition, Mend const& mend);

/// Signs what passes over the records from `first` to `last`. `why` is one line of text.
Mend sign_mend(HeadSigner const& signer, int partition, std::int64_t first, Head const& last, std::string why);

/// The mend's record, as the one that stands behind `claim.head`.
std::string make_record(HeadSigner const& signer, Claim const& claim, Mend const& mend, core::Timestamp time);

/// What a record says that is a mend by its own words; nothing for another record. The body is not trusted.
std::optional<Mend> mend_of(std::string_view body);

/// Whether it was signed by that key for this partition.
bool is_signed(Mend const& mend, int partition, LogKey const& key);

/// The mend that a record of the partition is, or nothing: one that is not signed by the log's key, stands before what
/// it names, or was signed for other records counts for nobody. Reads a record where they are not next to it. Blocks.
/// Errors: as EventLog::read.
std::optional<Mend> counting_mend(EventLog& log, int partition, std::string_view body);

/// The mend that passes over the record at `position`, looked for in all that stands behind it. Blocks. Errors: as
/// EventLog::read.
std::optional<Mend> find_mend(EventLog& log, int partition, std::int64_t position);

}  // namespace workforce::events
