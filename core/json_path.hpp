// Paths to values within JSON: `arguments.shifts[0].title`, and with `[*]` to those of every item of an array.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json_io.hpp"

namespace workforce::core {

/// A path that was read. Immutable, so thread-safe.
class JsonPath {
   public:
    static constexpr std::size_t kMostSteps = 24;  ///< names and places, as deep as JSON of ours is

    /// A name, then further ones after a dot each, and places of items in brackets, from 0. A name is any text without
    /// dots, brackets and control characters. Nothing for any other text.
    static std::optional<JsonPath> parse(std::string_view text);

    /// The first name.
    [[nodiscard]] std::string const& root() const { return steps_.front().name; }
    /// Whether it leads to the value itself whose name its first one is.
    [[nodiscard]] bool is_root() const { return steps_.size() == 1; }

    /// Adds the values that the path leads to from `object`, which has its first name; none where a member or an item
    /// is missing, or a value on the way is no object or array.
    void find(JsonValue const& object, std::vector<JsonValue const*>& found) const;
    /// As find(), from the value that the first name stands for.
    void find_within(JsonValue const& value, std::vector<JsonValue const*>& found) const;
    /// The same, which goes through no more values than `budget` has left, and takes those off it: 0, and not all may
    /// be found.
    void find_within(JsonValue const& value, std::vector<JsonValue const*>& found, std::size_t& budget) const;

    bool operator==(JsonPath const&) const = default;

   private:
    struct Step {
        enum class Kind : std::uint8_t { member, item, each };
        Kind kind = Kind::member;
        std::string name{};
        std::uint32_t place = 0;
        bool operator==(Step const&) const = default;
    };

    void follow(JsonValue const& value, std::size_t step, std::vector<JsonValue const*>& found,
                std::size_t& budget) const;

    std::vector<Step> steps_;
};

}  // namespace workforce::core
