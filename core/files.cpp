// write(2) to the end of a file.
#include "core/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace workforce::core {

void append_to_file(std::string const& path, std::string_view text) {
    auto const failed = [&] { return std::runtime_error(fmt::format("{}: {}", path, std::strerror(errno))); };
    int const file = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    if (file < 0) throw failed();
    auto const written = ::write(file, text.data(), text.size());
    bool const whole = written == static_cast<ssize_t>(text.size());
    if (written >= 0 && !whole) errno = ENOSPC;
    if (!whole || ::fsync(file) != 0) {
        auto const error = failed();
        ::close(file);
        throw error;
    }
    ::close(file);
}

}  // namespace workforce::core
