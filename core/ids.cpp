// UUIDv7: 48 bits of time, 42 bits that count up within a millisecond, 32 bits of chance.
#include "core/ids.hpp"

#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <stdexcept>

namespace workforce::core {
namespace {

constexpr std::uint64_t kCounterLimit = std::uint64_t{1} << 42;
constexpr std::uint64_t kStepLimit = std::uint64_t{1} << 24;

/// 64 random bits. The generator is asked for a page of them at a time, since a call costs more than the bytes.
std::uint64_t random_bits() {
    thread_local std::array<unsigned char, 512> buffer;
    thread_local std::size_t used = buffer.size();
    if (used == buffer.size()) {
        if (RAND_bytes(buffer.data(), static_cast<int>(buffer.size())) <= 0)
            throw std::runtime_error("no random bytes");
        used = 0;
    }
    std::uint64_t bits = 0;
    std::memcpy(&bits, buffer.data() + used, sizeof bits);
    used += sizeof bits;
    return bits;
}

struct Position {
    std::uint64_t ms = 0;
    std::uint64_t counter = 0;
};

/// The next place in the process's sequence for a moment. A counter that overflows borrows the next millisecond, which
/// stays in use until the clock is past it; a moment far from the last one starts anew.
Position next_position(std::uint64_t ms, std::uint64_t chance) {
    static std::mutex mutex;
    static std::uint64_t asked = ~std::uint64_t{0};
    static Position last;
    std::lock_guard const lock(mutex);
    if (ms != asked && !(ms == last.ms && asked + 1 == ms)) {
        // Seeded in the lower half, so that a millisecond has room for at least 2^17 ids.
        last = {ms, chance % (kCounterLimit / 2)};
    } else {
        last.counter += 1 + chance % kStepLimit;
        if (last.counter >= kCounterLimit) last = {last.ms + 1, chance % (kCounterLimit / 2)};
    }
    asked = ms;
    return last;
}

void put_hex(char*& at, std::uint64_t value, int digits) {
    constexpr char kDigits[] = "0123456789abcdef";
    for (int shift = (digits - 1) * 4; shift >= 0; shift -= 4) *at++ = kDigits[value >> shift & 15];
}

}  // namespace

std::string uuid_v7(Timestamp timestamp) {
    std::uint64_t const random = random_bits();
    auto const [ms, counter] =
        next_position(static_cast<std::uint64_t>(std::max<std::int64_t>(timestamp.ms, 0)), random >> 22);
    std::string text(36, '-');
    char* at = text.data();
    put_hex(at, ms >> 16 & 0xffffffff, 8);
    ++at;
    put_hex(at, ms & 0xffff, 4);
    ++at;
    put_hex(at, 0x7000 | counter >> 30, 4);
    ++at;
    put_hex(at, 0x8000 | (counter >> 16 & 0x3fff), 4);
    ++at;
    put_hex(at, (counter & 0xffff) << 32 | (random_bits() & 0xffffffff), 12);
    return text;
}

std::string request_id() { return "req_" + uuid_v7(now()); }

}  // namespace workforce::core
