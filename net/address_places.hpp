// How many connections each address has to a server.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace workforce::net {

/// Counts what addresses have open: an IPv4 address, or the /64 of an IPv6 address, as holder_of() has it. Thread-safe;
/// it outlives its places.
class AddressPlaces {
   public:
    /// `limit`: places of one address at a time; 0: any number, and none is counted.
    explicit AddressPlaces(std::size_t limit) : limit_(limit) {}

    /// One that is given back at the end of its life; a default one counts nowhere.
    class Place {
       public:
        Place() = default;
        Place(Place&& other) noexcept : places_(std::exchange(other.places_, nullptr)), id_(other.id_) {}
        Place& operator=(Place&& other) noexcept {
            std::swap(places_, other.places_);
            std::swap(id_, other.id_);
            return *this;
        }
        Place(Place const&) = delete;
        Place& operator=(Place const&) = delete;
        ~Place() {
            if (places_ != nullptr) places_->give_back(id_);
        }

       private:
        friend class AddressPlaces;
        Place(AddressPlaces& places, std::uint64_t id) : places_(&places), id_(id) {}

        AddressPlaces* places_ = nullptr;
        std::uint64_t id_ = 0;
    };

    /// Takes a place of the address, given as text; nothing where the address has as many as it may.
    std::optional<Place> take(std::string_view address);

   private:
    void give_back(std::uint64_t id);

    std::size_t const limit_;
    std::mutex mutex_;
    std::unordered_map<std::uint64_t, std::size_t> taken_;  // by address, more than none
};

}  // namespace workforce::net
