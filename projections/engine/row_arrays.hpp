// Builds the parallel arrays in which a batch's rows travel to Postgres: one text a column.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/json.hpp"
#include "core/sql_values.hpp"
#include "core/time.hpp"
#include "core/utf8.hpp"

namespace workforce::projections {

/// An array parameter under construction, in Postgres' text form.
class ArrayColumn {
   public:
    void add_null() {
        separate();
        text_ += "NULL";
    }
    void add(bool value) {
        separate();
        text_ += value ? 't' : 'f';
    }
    template <std::integral T>
        requires(!std::same_as<T, bool>)
    void add(T value) {
        separate();
        fmt::format_int const digits(value);
        text_.append(digits.data(), digits.size());
    }
    void add(core::Timestamp value) {
        separate();
        text_ += core::to_string(value);
    }
    void add(core::Date value) {
        separate();
        text_ += core::to_string(value);
    }
    /// A NUL, which Postgres can't hold, becomes U+FFFD: no event stops a projection by it.
    void add(std::string_view value) {
        separate();
        text_ += '"';
        for (char const c : value) {
            if (c == '"' || c == '\\') text_ += '\\';
            if (c == '\0') {
                text_ += "\xEF\xBF\xBD";
            } else {
                text_ += c;
            }
        }
        text_ += '"';
    }
    void add(char const*) = delete;  // would take the overload of bool
    template <class T>
    void add(core::Nullable<T> const& value) {
        if (value.value) {
            add(*value.value);
        } else {
            add_null();
        }
    }
    /// Ends the array; the column is used up.
    core::Parameter take() {
        text_ += '}';
        return std::move(text_);
    }

   private:
    void separate() {
        if (text_.size() > 1) text_ += ',';
    }

    std::string text_ = "{";
};

/// Texts separated by U+001E, for string_to_array(): cheaper than an array for JSON, whose many quotes would all need
/// escapes, and which never holds that character unescaped.
class JsonColumn {
   public:
    void add(std::string_view json) {
        if (!text_.empty()) text_ += '\x1e';
        text_ += json;
    }
    core::Parameter take() { return std::move(text_); }

   private:
    std::string text_;
};

/// A person's name as people write it; empty when both parts are, as after an erasure.
inline std::string full_name(std::string const& first, std::string const& last) {
    if (first.empty() || last.empty()) return first + last;
    return first + ' ' + last;
}

/// The text of a column that lists are searched by.
template <class... Text>
std::string search_text(Text const&... fields) {
    std::string all;
    auto const append = [&](std::string_view field) {
        if (!all.empty()) all += '\n';
        all += field;
    };
    (append(fields), ...);
    return core::fold_case(all);
}

}  // namespace workforce::projections
