// How much of a process one holder may have at a time, so that a noisy one harms no other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <mutex>
#include <tl/expected.hpp>
#include <utility>

namespace workforce::api {

/// Who has no place left.
enum class Full : std::uint8_t { holder, all };

/// Counts the places that each holder has, of requests under way or of open streams. Thread-safe.
template <class Holder>
class FairShare {
   public:
    /// `limit`: places of one holder at a time; `total`: of all together.
    explicit FairShare(std::size_t limit, std::size_t total = std::numeric_limits<std::size_t>::max())
        : limit_(limit), total_(total) {}

    /// A place, given back at the end of its life, which must be within the share's.
    class Place {
       public:
        Place(FairShare& share, Holder holder) : share_(&share), holder_(std::move(holder)) {}
        Place(Place&& other) noexcept
            : share_(std::exchange(other.share_, nullptr)), holder_(std::move(other.holder_)) {}
        Place& operator=(Place&& other) noexcept {
            std::swap(share_, other.share_);
            std::swap(holder_, other.holder_);
            return *this;
        }
        ~Place() {
            if (share_ != nullptr) share_->leave(holder_);
        }

       private:
        FairShare* share_;
        Holder holder_;
    };

    /// One more place, or who has as many as it may.
    tl::expected<Place, Full> enter(Holder const& holder) {
        std::lock_guard const lock(mutex_);
        if (used_ >= total_) {
            ++refused_;
            return tl::unexpected(Full::all);
        }
        auto& count = held_[holder];
        if (count >= limit_) {
            ++refused_;
            return tl::unexpected(Full::holder);
        }
        ++count;
        ++used_;
        return Place(*this, holder);
    }

    /// Places refused since the start.
    [[nodiscard]] std::size_t refused() const {
        std::lock_guard const lock(mutex_);
        return refused_;
    }
    /// Places taken now.
    [[nodiscard]] std::size_t used() const {
        std::lock_guard const lock(mutex_);
        return used_;
    }

   private:
    void leave(Holder const& holder) {
        std::lock_guard const lock(mutex_);
        --used_;
        auto const found = held_.find(holder);
        if (--found->second == 0) held_.erase(found);
    }

    std::size_t const limit_;
    std::size_t const total_;
    mutable std::mutex mutex_;
    std::map<Holder, std::size_t> held_;  // by holder
    std::size_t used_ = 0;
    std::size_t refused_ = 0;
};

}  // namespace workforce::api
