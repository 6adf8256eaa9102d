// Structured logs: one JSON object a line, to standard error.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace workforce::core {

/// How much a line matters.
enum class Level : std::uint8_t { debug, info, warn, error };

/// The level's name, as in configuration and lines.
std::string_view to_string(Level level);
/// The level of that name, or nothing.
std::optional<Level> parse_level(std::string_view name);

/// A key and its value. Refers to both, so it lives no longer than the call of log().
struct LogField {
    std::string_view key;
    std::variant<std::string_view, std::int64_t, double, bool> value;

    LogField(std::string_view k, std::string_view v) : key(k), value(v) {}
    LogField(std::string_view k, std::string const& v) : key(k), value(std::string_view(v)) {}
    LogField(std::string_view k, char const* v) : key(k), value(std::string_view(v)) {}
    LogField(std::string_view k, bool v) : key(k), value(v) {}
    LogField(std::string_view k, double v) : key(k), value(v) {}
    template <std::integral T>
        requires(!std::same_as<T, bool>)
    LogField(std::string_view k, T v) : key(k), value(static_cast<std::int64_t>(v)) {}
};

/// Lines below this level are dropped from now on; `info` at first. Thread-safe.
void set_log_level(Level level);

/// Writes `{"ts":…,"level":…,"msg":…, fields…}` as one write(2), so that lines of threads and processes do not mix.
/// Bytes that are no UTF-8 become U+FFFD. Thread-safe; never throws, and a line that can't be written is lost. Secrets
/// and personal data are the caller's to keep out.
void log(Level level, std::string_view message, std::initializer_list<LogField> fields = {}) noexcept;

}  // namespace workforce::core
