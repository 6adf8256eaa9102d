// Writing and reading JSON: what a mapper writes to, and what a read collects.
#pragma once

#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>
#include <boost/describe.hpp>
#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace workforce::core {

using JsonValue = rapidjson::Value;

/// Seals the JSON text of a personal field; `path` is its dotted path below the document. Returns base64url text.
using FieldSealer = std::function<std::string(std::string_view path, std::string_view json)>;
/// Opens what a FieldSealer made: the JSON text, or nothing when the person's key is gone.
using FieldOpener = std::function<std::optional<std::string>(std::string_view path, std::string_view sealed)>;

/// Appends JSON text to a buffer. Not thread-safe; one writer makes one document.
class JsonWriter {
   public:
    /// With a sealer it writes an event: Personal fields are sealed, and absent members left out. Without, fields are
    /// in clear, and a member that is AbsentOrNull shows null.
    explicit JsonWriter(FieldSealer const* sealer = nullptr);
    /// Leaves absent members out, as a document within an event does.
    JsonWriter& leave_out_absent();
    /// Leaves out members that are Personal, as what is kept beside a person's key does, and those that are Internal.
    JsonWriter& leave_out_untold();

    void null();
    void boolean(bool v);
    void integer(std::int64_t v);
    void number(double v);
    void string(std::string_view v);
    /// Text that already is one JSON value. It is copied as a whole; RapidJSON would do so character by character.
    void raw(std::string_view json);
    void key(std::string_view name);
    void begin_object();
    void end_object();
    void begin_array();
    void end_array();

    /// A member whose value is text: the common case of hand-made objects.
    void member(std::string_view name, std::string_view value);
    void member(std::string_view name, char const* value) { member(name, std::string_view(value)); }
    void member(std::string_view name, std::integral auto value) {
        key(name);
        if constexpr (std::same_as<decltype(value), bool>) {
            boolean(value);
        } else {
            integer(static_cast<std::int64_t>(value));
        }
    }

    [[nodiscard]] FieldSealer const* sealer() const { return sealer_; }
    /// Whether an absent member shows null.
    [[nodiscard]] bool shows_absent() const { return shows_absent_; }
    /// Whether personal and internal members are written.
    [[nodiscard]] bool shows_untold() const { return shows_untold_; }
    [[nodiscard]] std::string& path() { return path_; }
    /// The text so far.
    [[nodiscard]] std::string_view text() const { return {buffer_.GetString(), buffer_.GetSize()}; }
    [[nodiscard]] std::string take() const { return std::string(text()); }

   private:
    FieldSealer const* sealer_;
    bool shows_absent_;
    bool shows_untold_ = true;
    std::string path_;  // kept only while sealing: it is what ties a sealed value to its place
    rapidjson::StringBuffer buffer_;
    rapidjson::Writer<rapidjson::StringBuffer> writer_;
};

/// One wrong field: its dotted path (`breaks[0].minutes`), the rule that it breaks, and a text for people.
struct FieldError {
    std::string field;
    std::string rule;
    std::string message;
};
BOOST_DESCRIBE_STRUCT(FieldError, (), (field, rule, message))

/// What a read collects and how strict it is. Not thread-safe.
class JsonReader {
   public:
    /// Where the text comes from. `stored` is our own earlier output: limits may have changed since, so they are not
    /// checked again, and sealed fields are opened.
    enum class Trust : std::uint8_t { outside, stored };

    explicit JsonReader(Trust trust = Trust::outside, FieldOpener const* opener = nullptr)
        : trust_(trust), opener_(opener) {}

    [[nodiscard]] bool outside() const { return trust_ == Trust::outside; }
    [[nodiscard]] FieldOpener const* opener() const { return opener_; }
    [[nodiscard]] std::string& path() { return path_; }
    [[nodiscard]] std::vector<FieldError> const& errors() const { return errors_; }
    /// Members that no field took, in the order found.
    [[nodiscard]] std::vector<std::string> const& unknown() const { return unknown_; }

    /// Records that the value at the current path breaks a rule.
    void fail(std::string_view rule, std::string_view message);
    void note_unknown(std::string_view name);

   private:
    Trust trust_;
    FieldOpener const* opener_;
    std::string path_;
    std::vector<FieldError> errors_;
    std::vector<std::string> unknown_;
};

/// What a struct's own `check(FieldCheck&) const` tells with: rules between its members, which are judged together with
/// those of the members themselves. Called after a read from outside, at the struct's path.
class FieldCheck {
   public:
    /// `before`: how many errors there were before the struct was read.
    FieldCheck(JsonReader& reader, std::size_t before) : reader_(reader), before_(before) {}

    /// Whether nothing is wrong with the member so far: given well, or absent where it may be.
    [[nodiscard]] bool sound(std::string_view member) const;
    void fail(std::string_view member, std::string_view rule, std::string_view message);

   private:
    JsonReader& reader_;
    std::size_t before_;
};

/// Extends a dotted path for the life of the guard.
class PathGuard {
   public:
    PathGuard(std::string& path, std::string_view name);
    PathGuard(std::string& path, std::size_t index);
    ~PathGuard();
    PathGuard(PathGuard const&) = delete;
    PathGuard& operator=(PathGuard const&) = delete;

   private:
    std::string& path_;
    std::size_t size_;
};

}  // namespace workforce::core
