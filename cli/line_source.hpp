// A file of lines being read, decompressed where it is.
#pragma once

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

struct ZSTD_DCtx_s;

namespace workforce::cli {

/// Reads what LineFile wrote. Not thread-safe. Errors: std::runtime_error that names the file.
class LineSource {
   public:
    explicit LineSource(std::string path);
    LineSource(LineSource const&) = delete;
    LineSource& operator=(LineSource const&) = delete;
    ~LineSource();

    /// The next line without its line feed, or nothing at the end. A last line without one is an error: the file is
    /// cut.
    std::optional<std::string> next();

   private:
    /// Appends more text; false at the end of the file.
    bool fill();
    [[noreturn]] void fail(std::string const& why) const;

    std::string const path_;
    std::FILE* file_ = nullptr;
    ZSTD_DCtx_s* zstd_ = nullptr;
    std::vector<char> read_;
    std::vector<char> opened_;
    std::string text_;  // from place_ on not handed out yet
    std::size_t place_ = 0;
    bool whole_ = true;  // no compressed frame is open
};

}  // namespace workforce::cli
