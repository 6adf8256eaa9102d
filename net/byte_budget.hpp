// Memory for what clients send and are sent: how much there is, and how much of it one of them may hold.
#pragma once

#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string_view>
#include <utility>

#include "core/fair_queue.hpp"

namespace workforce::net {

/// Whom bytes count for: the organization behind a valid credential, else the client's address.
struct ByteHolder {
    bool authenticated = false;
    std::uint64_t id = 0;
    std::uint64_t credential = 0;  ///< which one of the organization's; 0: no one in particular

    auto operator<=>(ByteHolder const&) const = default;
};

/// The holder of what a valid credential stands behind.
ByteHolder holder_of(core::Lane lane);

/// The holder of what came without one: an IPv4 address, or the /64 of an IPv6 address, which is what one customer of a
/// provider has. `address` is Request::remote_address; any other text is one holder.
ByteHolder holder_of(std::string_view address);

/// Bytes at a time.
struct ByteLimits {
    /// No organization may hold more than it leaves free, and no credential more than a quarter of all. One that holds
    /// much is refused first when others come, a body under way as well.
    std::size_t authenticated = 64 << 20;
    std::size_t anonymous = 4 << 20;          ///< apart from those above
    std::size_t anonymous_address = 1 << 19;  ///< of one client address
};

/// Counts the bytes that are held. Thread-safe.
class ByteBudget {
   public:
    explicit ByteBudget(ByteLimits limits) : limits_(limits) {}

    /// Takes room, or tells that the holder has as much as it may.
    bool take(ByteHolder holder, std::size_t bytes);
    /// Takes `most` bytes, less where that is more than an eighth of what the holder may still have, so that room is
    /// left for those who come next; `least` at least. Returns what was taken; 0: there is no room for that.
    std::size_t take_share(ByteHolder holder, std::size_t least, std::size_t most);
    /// Gives back what was taken.
    void give_back(ByteHolder holder, std::size_t bytes);

    /// Whether so little is held that anybody behind a credential may have that many bytes. Takes no lock.
    [[nodiscard]] bool is_roomy(std::size_t bytes) const;
    /// Whether the holder may not have that many bytes more. Takes no lock where is_roomy().
    [[nodiscard]] bool is_full(ByteHolder holder, std::size_t bytes) const;
    /// Bytes that all hold together.
    [[nodiscard]] std::size_t used() const;
    /// How often there was no room, since the start.
    [[nodiscard]] std::uint64_t refused() const { return refused_.load(std::memory_order_relaxed); }
    /// Counts a refusal on account of is_full().
    void note_refused() { refused_.fetch_add(1, std::memory_order_relaxed); }

   private:
    /// Bytes that the holder may have more.
    [[nodiscard]] std::size_t room(ByteHolder holder) const;
    [[nodiscard]] std::size_t held_by(ByteHolder holder) const;
    void add(ByteHolder holder, std::size_t bytes);
    void remove(ByteHolder holder, std::size_t bytes);
    [[nodiscard]] std::atomic<std::size_t> const& pool(bool authenticated) const {
        return authenticated ? authenticated_ : anonymous_;
    }
    std::atomic<std::size_t>& pool(bool authenticated) { return authenticated ? authenticated_ : anonymous_; }

    ByteLimits const limits_;
    mutable std::mutex mutex_;
    std::atomic<std::size_t> authenticated_ = 0;  // changed under the mutex
    std::atomic<std::size_t> anonymous_ = 0;      // likewise
    std::map<ByteHolder, std::size_t> held_;      // more than none
    std::atomic<std::uint64_t> refused_ = 0;
};

/// Bytes of a budget, given back at the end of its life, which must be within the budget's. Used by one thread at a
/// time.
class HeldBytes {
   public:
    HeldBytes() = default;
    /// What was taken before.
    HeldBytes(ByteBudget& budget, ByteHolder holder, std::size_t bytes)
        : budget_(&budget), holder_(holder), bytes_(bytes) {}
    HeldBytes(HeldBytes&& other) noexcept
        : budget_(other.budget_), holder_(other.holder_), bytes_(std::exchange(other.bytes_, 0)) {}
    HeldBytes& operator=(HeldBytes&& other) noexcept {
        std::swap(budget_, other.budget_);
        std::swap(holder_, other.holder_);
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    HeldBytes(HeldBytes const&) = delete;
    HeldBytes& operator=(HeldBytes const&) = delete;
    ~HeldBytes() { shrink(0); }

    /// Gives back what is more than that.
    void shrink(std::size_t bytes) {
        if (bytes >= bytes_) return;
        budget_->give_back(holder_, bytes_ - bytes);
        bytes_ = bytes;
    }
    /// Gives back what is too much, or takes what lacks. False where there is no room for that: then nothing changes.
    /// Those of no budget have room for anything.
    [[nodiscard]] bool resize(std::size_t bytes) {
        if (budget_ == nullptr) return true;
        if (bytes > bytes_ && !budget_->take(holder_, bytes - bytes_)) return false;
        shrink(bytes);
        bytes_ = bytes;
        return true;
    }
    [[nodiscard]] std::size_t bytes() const { return bytes_; }
    explicit operator bool() const { return bytes_ > 0; }

   private:
    ByteBudget* budget_ = nullptr;
    ByteHolder holder_{};
    std::size_t bytes_ = 0;
};

}  // namespace workforce::net
