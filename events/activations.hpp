// Which events may be written: of a type or version that some live process does not read yet, none.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace workforce::events {

/// A type of event at one version.
struct EventVersion {
    std::string_view type;
    std::int32_t version = 1;
};

/// What this program reads and would write: all types at their newest versions, and the envelope (kEnvelopeName) at its
/// newest revision. Of each it reads the older ones, too.
std::vector<EventVersion> const& known_versions();

/// The versions that may be written. An activation is never taken back. Thread-safe.
class Activations {
   public:
    /// Nothing is activated yet.
    Activations();

    /// Of a type that this program does not know, of no effect.
    void activate(std::string_view type, std::int32_t version);
    /// The newest version to write, at most the program's own; 0 where the type may not be written yet.
    [[nodiscard]] std::int32_t version_to_write(std::string_view type) const;
    /// How many of known_versions() may not be written yet.
    [[nodiscard]] std::size_t held_back() const;

   private:
    std::unordered_map<std::string_view, std::atomic<std::int32_t>> versions_;  // its keys never change
};

}  // namespace workforce::events
