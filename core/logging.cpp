// Lines are built in a buffer of the thread and written at once.
#include "core/logging.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <utf8proc.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <exception>
#include <iterator>

#include "core/time.hpp"

namespace workforce::core {
namespace {

constexpr std::array<std::string_view, 4> kNames{"debug", "info", "warn", "error"};

std::atomic<Level> least_level{Level::info};

/// Appends one character of the text, escaped, and gives its length in bytes.
std::size_t append_character(std::string& line, std::string_view text) {
    constexpr std::string_view kShort = "btnvfr";  // \b is 8 … \r is 13; JSON has no \v
    auto const c = static_cast<unsigned char>(text.front());
    if (c == '"' || c == '\\') {
        line += '\\';
        line += text.front();
    } else if (c >= '\b' && c <= '\r' && c != '\v') {
        line += '\\';
        line += kShort[c - 8U];
    } else if (c < 0x20 || c == 0x7f) {
        fmt::format_to(std::back_inserter(line), "\\u{:04x}", c);
    } else if (c < 0x80) {
        line += text.front();
    } else {
        utf8proc_int32_t code = 0;
        auto const length = utf8proc_iterate(reinterpret_cast<utf8proc_uint8_t const*>(text.data()),
                                             static_cast<utf8proc_ssize_t>(text.size()), &code);
        if (length > 0) {
            line += text.substr(0, static_cast<std::size_t>(length));
            return static_cast<std::size_t>(length);
        }
        line += "\xef\xbf\xbd";
    }
    return 1;
}

void append_text(std::string& line, std::string_view text) {
    line += '"';
    while (!text.empty()) text.remove_prefix(append_character(line, text));
    line += '"';
}

void append_value(std::string& line, LogField const& field) {
    struct Visitor {
        std::string& line;
        void operator()(std::string_view v) const { append_text(line, v); }
        void operator()(std::int64_t v) const { fmt::format_to(std::back_inserter(line), "{}", v); }
        void operator()(bool v) const { line += v ? "true" : "false"; }
        void operator()(double v) const {
            if (std::isfinite(v)) {
                fmt::format_to(std::back_inserter(line), "{}", v);
            } else {
                line += "null";
            }
        }
    };
    std::visit(Visitor{line}, field.value);
}

void write_whole(std::string_view line) {
    while (!line.empty()) {
        auto const written = ::write(STDERR_FILENO, line.data(), line.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return;
        line.remove_prefix(static_cast<std::size_t>(written));
    }
}

}  // namespace

std::string_view to_string(Level level) { return kNames[static_cast<std::size_t>(level)]; }

std::optional<Level> parse_level(std::string_view name) {
    for (std::size_t i = 0; i < kNames.size(); ++i) {
        if (kNames[i] == name) return static_cast<Level>(i);
    }
    return std::nullopt;
}

void set_log_level(Level level) { least_level.store(level, std::memory_order_relaxed); }

void log(Level level, std::string_view message, std::initializer_list<LogField> fields) noexcept {
    if (level < least_level.load(std::memory_order_relaxed)) return;
    try {
        thread_local std::string line;
        line = R"({"ts":")";
        line += to_string(now());
        line += R"(","level":")";
        line += to_string(level);
        line += R"(","msg":)";
        append_text(line, message);
        for (auto const& field : fields) {
            line += ',';
            append_text(line, field.key);
            line += ':';
            append_value(line, field);
        }
        line += "}\n";
        write_whole(line);
    } catch (std::exception const&) {
        // Out of memory: the caller's work matters more than its line.
    }
}

}  // namespace workforce::core
