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
    bool const complete = written == static_cast<ssize_t>(text.size());
    if (written >= 0 && !complete) errno = ENOSPC;
    bool const stored = complete && ::fsync(file) == 0;
    int const fault = errno;
    ::close(file);
    errno = fault;
    if (!stored) throw failed();
}

}  // namespace workforce::core
