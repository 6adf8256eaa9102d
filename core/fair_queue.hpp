// What waits for something that all share: in turn by organization, and so bounded that none keeps others out.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "core/text.hpp"

namespace workforce::core {

/// Who asks, as far as fairness goes: an organization, and whether in its sandbox.
using Lane = std::pair<Id, bool>;

/// Items that tell their lane (`Lane lane() const`). Of one lane they leave in the order in which they came. Not
/// thread-safe.
template <class Item>
class FairQueue {
   public:
    explicit FairQueue(std::size_t limit) : limit_(limit) {}

    /// Whether one more of the lane may wait. No lane may hold more places than are left free, so that there is room
    /// for the next one however many are noisy; all sandboxes together hold at most a quarter.
    [[nodiscard]] bool has_room(Lane lane) const {
        if (size_ >= limit_ || size(lane) >= limit_ - size_) return false;
        return !lane.second || sandbox_ < limit_ / 4;
    }

    void push(Item item) {
        auto const lane = item.lane();
        auto& items = items_of(lane);
        if (items.empty()) turns_.push_back(lane);
        items.push_back(std::move(item));
        count(lane, 1);
    }
    /// The next item, of the lane whose turn it is. There must be one.
    Item pop() {
        auto const lane = turns_.front();
        turns_.pop_front();
        auto const found = lanes_.find(lane);
        auto item = std::move(found->second.front());
        found->second.pop_front();
        if (found->second.empty()) {
            spare_ = lanes_.extract(found);
        } else {
            turns_.push_back(lane);
        }
        count(lane, -1);
        return item;
    }
    /// Puts an item back to where it was taken from. Several are put back from the last one taken to the first.
    void put_back(Item item) {
        auto const lane = item.lane();
        auto& items = items_of(lane);
        if (items.empty()) turns_.push_front(lane);
        items.push_front(std::move(item));
        count(lane, 1);
    }

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::size_t size(Lane lane) const {
        auto const found = lanes_.find(lane);
        return found == lanes_.end() ? 0 : found->second.size();
    }
    [[nodiscard]] bool empty() const { return size_ == 0; }

   private:
    using Lanes = std::map<Lane, std::deque<Item>>;

    std::deque<Item>& items_of(Lane lane) {
        if (spare_.empty()) return lanes_[lane];
        auto const place = lanes_.lower_bound(lane);
        if (place != lanes_.end() && place->first == lane) return place->second;
        spare_.key() = lane;
        return lanes_.insert(place, std::move(spare_))->second;
    }
    void count(Lane lane, std::ptrdiff_t change) {
        size_ += static_cast<std::size_t>(change);
        if (lane.second) sandbox_ += static_cast<std::size_t>(change);
    }

    std::size_t const limit_;
    Lanes lanes_;
    typename Lanes::node_type spare_;  // the lane emptied last: where few wait, each item would else make one anew
    std::deque<Lane> turns_;           // each lane that has items, once
    std::size_t size_ = 0;
    std::size_t sandbox_ = 0;
};

}  // namespace workforce::core
