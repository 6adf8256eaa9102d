// How much of a process one organization may have at a time, so that a noisy one harms no other.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "core/fair_queue.hpp"

namespace workforce::api {

/// Counts the requests of each organization that are under way, those of its sandbox apart. Thread-safe.
class FairShare {
   public:
    /// `limit`: requests of one organization, live or sandbox, at a time.
    explicit FairShare(std::size_t limit) : limit_(limit) {}

    /// A request's place, given back at the end of its life, which must be within the share's.
    class Place {
       public:
        Place(FairShare& share, core::Lane holder) : share_(&share), holder_(std::move(holder)) {}
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
        core::Lane holder_;
    };

    /// A place for one more request, or nothing when the organization has as many as it may.
    std::optional<Place> enter(core::Id organization, bool sandbox) {
        std::pair const holder{organization, sandbox};
        std::lock_guard const lock(mutex_);
        auto& count = under_way_[holder];
        if (count >= limit_) {
            ++refused_;
            return std::nullopt;
        }
        ++count;
        return Place(*this, holder);
    }

    /// Requests refused since the start.
    [[nodiscard]] std::size_t refused() const {
        std::lock_guard const lock(mutex_);
        return refused_;
    }

   private:
    void leave(core::Lane holder) {
        std::lock_guard const lock(mutex_);
        auto const found = under_way_.find(holder);
        if (--found->second == 0) under_way_.erase(found);
    }

    std::size_t const limit_;
    mutable std::mutex mutex_;
    std::map<core::Lane, std::size_t> under_way_;
    std::size_t refused_ = 0;
};

}  // namespace workforce::api
