// A file of lines being written, zstd-compressed where its name asks for it.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct ZSTD_CCtx_s;

namespace workforce::cli {

/// Writes to `<path>.part`, which becomes the file once it is whole; "-" is standard output. Compressed unless the name
/// ends in .ndjson. Not thread-safe. Errors: std::runtime_error that names the file.
class LineFile {
   public:
    explicit LineFile(std::string path);
    LineFile(LineFile const&) = delete;
    LineFile& operator=(LineFile const&) = delete;
    /// Removes what is not whole.
    ~LineFile();

    /// Adds the line and a line feed.
    void add(std::string_view line);
    /// Ends the file and gives it its name, both on disk when it returns.
    void finish();
    /// Bytes written so far.
    [[nodiscard]] std::int64_t bytes() const { return bytes_; }

   private:
    void write(bool last);
    void put(std::string_view data);
    [[noreturn]] void fail() const;

    std::string const path_;
    std::string const part_;
    std::FILE* file_ = nullptr;
    ZSTD_CCtx_s* zstd_ = nullptr;
    std::string pending_;
    std::vector<char> compressed_;
    std::int64_t bytes_ = 0;
};

}  // namespace workforce::cli
