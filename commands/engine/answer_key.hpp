// Which of an organization's keys seals an answer: a key seals for some time, and for so many events, and then the next
// one does.
#pragma once

#include <cstdint>
#include <string>

#include "core/text.hpp"
#include "core/time.hpp"

namespace workforce::commands {

/// For how long one key seals answers. AES-GCM under random nonces may seal 2^32 texts by one key (NIST SP 800-38D,
/// 8.3): what is sealed for an append that fails, and sealed again, uses the key as well, and so the limit is far
/// below.
struct AnswerKeyUse {
    int days = 90;                                ///< 1 or more
    std::int64_t events = std::int64_t{1} << 28;  ///< of the partition
};

/// The name of the key, for events::Keyring: `organization/7/2026-12-23.0` is that of the period whose last day (UTC)
/// is 2026-12-23, and of the first `events` events of the partition. It follows from the log's end and the time alone,
/// so that nothing is counted anywhere.
std::string answer_key(core::Id organization, core::Timestamp now, std::int64_t head, AnswerKeyUse const& use);

}  // namespace workforce::commands
