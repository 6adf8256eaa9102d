// POSIX files: what write(2), fsync(2) and rename(2) promise.
#include "core/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <tuple>

#include "core/json.hpp"

namespace workforce::core {
namespace {

constexpr auto kLockPatience = std::chrono::seconds(5);
constexpr auto kLockPause = std::chrono::milliseconds(20);

/// An open file, whose name its errors bear.
class File {
   public:
    File(std::string path, int flags)
        : path_(std::move(path)), descriptor_(::open(path_.c_str(), flags | O_CLOEXEC, 0644)) {
        if (descriptor_ < 0) fail();
    }
    File(File const&) = delete;
    File& operator=(File const&) = delete;
    ~File() { ::close(descriptor_); }

    [[noreturn]] void fail() const { fail(std::strerror(errno)); }
    [[noreturn]] void fail(std::string_view why) const { throw std::runtime_error(fmt::format("{}: {}", path_, why)); }
    [[nodiscard]] int descriptor() const { return descriptor_; }

    void write(std::string_view text) const {
        auto const written = ::write(descriptor_, text.data(), text.size());
        if (written == static_cast<ssize_t>(text.size())) return;
        if (written >= 0) errno = ENOSPC;
        fail();
    }
    void store() const {
        if (::fsync(descriptor_) != 0) fail();
    }
    void cut(off_t size) const {
        if (::ftruncate(descriptor_, size) != 0) fail();
    }

   private:
    std::string const path_;
    int const descriptor_;
};

/// Until the file is closed. File systems without locks go without: there a line may be torn by another process's.
void lock(File const& file) {
    auto const deadline = std::chrono::steady_clock::now() + kLockPatience;
    while (::flock(file.descriptor(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        if (std::chrono::steady_clock::now() > deadline) file.fail("another process keeps it locked");
        std::this_thread::sleep_for(kLockPause);
    }
}

/// What stands behind the file's last line feed.
std::string unended_line(std::string const& path, off_t size) {
    std::string tail(static_cast<std::size_t>(std::min<off_t>(size, 65536)), '\0');
    File const file(path, O_RDONLY);
    auto const got = ::pread(file.descriptor(), tail.data(), tail.size(), size - static_cast<off_t>(tail.size()));
    if (got != static_cast<ssize_t>(tail.size())) file.fail();
    auto const last = tail.rfind('\n');
    if (last == std::string::npos && size > got) file.fail("is no file of lines");
    return last == std::string::npos ? tail : tail.substr(last + 1);
}

}  // namespace

void append_to_file(std::string const& path, std::string_view lines) {
    File const file(path, O_WRONLY | O_APPEND | O_CREAT);
    lock(file);
    struct stat status{};
    if (::fstat(file.descriptor(), &status) != 0) file.fail();
    if (!S_ISREG(status.st_mode)) return file.write(lines);  // a pipe or a terminal keeps nothing to mend
    auto end = status.st_size;
    std::string text(lines);
    if (auto const last = unended_line(path, end); parse_json(last)) {
        text.insert(0, 1, '\n');
    } else if (!last.empty()) {
        end -= static_cast<off_t>(last.size());
        file.cut(end);
    }
    try {
        file.write(text);
        file.store();
    } catch (...) {
        std::ignore = ::ftruncate(file.descriptor(), end);  // where that fails too, the next call does it
        throw;
    }
}

std::string read_file(std::string const& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error(fmt::format("{}: can't be read: {}", path, std::strerror(errno)));
    std::ostringstream text;
    text << file.rdbuf();
    if (!file) throw std::runtime_error(fmt::format("{}: can't be read; is it a whole file?", path));
    return text.str();
}

void write_whole_file(std::string const& path, std::string_view content) {
    auto const part = path + ".part";
    {
        File const file(part, O_WRONLY | O_CREAT | O_TRUNC);
        file.write(content);
        file.store();
    }
    rename_durably(part, path);
}

void rename_durably(std::string const& from, std::string const& to) {
    if (::rename(from.c_str(), to.c_str()) != 0) {
        throw std::runtime_error(fmt::format("{}: {}", to, std::strerror(errno)));
    }
    store_name(to);
}

bool is_own_file(std::string const& path) {
    struct stat info{};
    return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == ::geteuid() &&
           (info.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

void store_name(std::string const& path) {
    auto const directory = std::filesystem::absolute(path).lexically_normal().parent_path();
    File(directory.string(), O_RDONLY | O_DIRECTORY).store();
}

}  // namespace workforce::core
