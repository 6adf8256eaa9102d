// The attributes that lead a record's body, found without parsing its data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace workforce::events {

/// Where a record says that it stands in the log. Refers to the body.
struct Standing {
    std::int64_t epoch = 0;
    std::int64_t position = 0;
    std::string_view previous_hash;  ///< 64 lower-case hexadecimal digits
    std::int32_t command_index = 0;
    std::int32_t command_count = 0;
};

/// What stands directly before the first `,"data":` of an event's body, byte for byte in the codec's form:
/// `"epoch":"…","position":"…","prevhash":"…","cmdindex":…,"cmdcount":…` (numbers of at most 18 digits, the last two of
/// at most 9). So simple that readers in other languages decide the same with one regular expression. Nothing when the
/// body has no such text. The body is not trusted: what else it holds is not looked at.
std::optional<Standing> standing_of(std::string_view body);

/// One attribute as it stands in a body.
struct Attribute {
    std::string_view name;
    std::string_view raw;  ///< a string's characters between its quotes, escapes as written; else the literal
    bool text = false;     ///< whether it is a string

    /// The value as CloudEvents bindings write it: a string without escapes, a number or truth value as its literal.
    [[nodiscard]] std::string value() const;
};

/// Walks the attributes of a body in the form that the codec writes: one line, no spaces between tokens, members of
/// strings, integers and truth values up to `data` or the end. The body must outlive the walk. It is not trusted:
/// where it has another form the walk ends and damaged() says so.
class AttributeWalk {
   public:
    explicit AttributeWalk(std::string_view body);

    /// The next attribute, or nothing at `data`, at the end, or where the body has another form.
    std::optional<Attribute> next();
    [[nodiscard]] bool damaged() const { return damaged_; }

   private:
    std::optional<Attribute> stop(bool damaged);

    std::string_view rest_;
    bool damaged_ = false;
};

/// The value of the attribute of that name, or nothing.
std::optional<std::string> attribute(std::string_view body, std::string_view name);

}  // namespace workforce::events
