// Secrets of the configuration: the files that hold them, and addresses shown without them.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/config.hpp"
#include "core/crypto.hpp"

namespace workforce::core {
namespace {

/// A short text from a file that only its owner may read, without the line's end.
tl::expected<std::string, std::string> load_secret(std::string_view key, std::string const& path) {
    auto const failed = [&](std::string_view why) {
        return tl::unexpected(fmt::format("{} ({}): {}", key, path, why));
    };
    int const file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return failed(std::strerror(errno));
    struct stat info{};
    std::string text(256, '\0');
    bool const known = ::fstat(file, &info) == 0;
    ssize_t const size = known && S_ISREG(info.st_mode) ? ::read(file, text.data(), text.size()) : -1;
    ::close(file);
    if (size < 0) return failed("is not a readable file");
    if (static_cast<std::size_t>(size) == text.size()) return failed("is too long for a secret");
    if ((info.st_mode & (S_IRWXG | S_IRWXO)) != 0) return failed("others may read or change it; use chmod 600");
    text.resize(static_cast<std::size_t>(size));
    while (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
    return text;
}

}  // namespace

tl::expected<std::string, std::string> load_token(std::string_view key, std::string const& path) {
    auto token = load_secret(key, path);
    bool const plain = token && token->size() >= 16 &&
                       std::all_of(token->begin(), token->end(), [](unsigned char c) { return c > 0x20 && c < 0x7f; });
    if (!token || plain) return token;
    return tl::unexpected(
        fmt::format("{} ({}): must hold 16 or more characters without spaces, on one line", key, path));
}

tl::expected<std::string, std::string> load_password(std::string_view key, std::string const& path) {
    auto password = load_secret(key, path);
    bool const plain =
        password && !password->empty() &&
        std::none_of(password->begin(), password->end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; });
    if (!password || plain) return password;
    return tl::unexpected(fmt::format("{} ({}): must hold a password on one line", key, path));
}

std::string mask_passwords(std::string_view url) {
    std::string masked(url);
    if (auto const scheme = masked.find("://"); scheme != std::string::npos) {
        auto const start = scheme + 3;
        auto const end = std::min(masked.find_first_of("/?#", start), masked.size());
        auto const at = masked.substr(0, end).rfind('@');
        auto const colon = masked.find(':', start);
        if (at != std::string::npos && at >= start && colon < at) masked.replace(colon + 1, at - colon - 1, "***");
    }
    constexpr std::string_view kKeyword = "password=";
    for (auto at = masked.find(kKeyword); at != std::string::npos; at = masked.find(kKeyword, at)) {
        at += kKeyword.size();
        bool const quote = at < masked.size() && masked[at] == '\'';
        auto end = quote ? at + 1 : at;
        for (; end < masked.size(); ++end) {
            if (quote ? masked[end] == '\'' : masked[end] == ' ' || masked[end] == '&') break;
            if (masked[end] == '\\') ++end;
        }
        end = std::min(quote ? end + 1 : end, masked.size());
        masked.replace(at, end - at, "***");
    }
    return masked;
}

tl::expected<std::string, std::string> load_master_key(std::string const& path, std::string_view setting) {
    if (path.empty()) return tl::unexpected(fmt::format("{} is not set", setting));
    auto text = load_secret(setting, path);
    if (!text) return text;
    auto key = hex_decode(*text);
    if (!key || key->size() != 32) {
        return tl::unexpected(
            fmt::format("{} ({}): must hold 64 hexadecimal digits (32 bytes) and nothing else", setting, path));
    }
    return *std::move(key);
}

}  // namespace workforce::core
