// Buffered lines through libzstd's stream.
#include "cli/line_file.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <zstd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "core/files.hpp"

namespace workforce::cli {
namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 20;
constexpr int kLevel = 3;
constexpr int kThreads = 1;  // beside the one that reads the log

}  // namespace

LineFile::LineFile(std::string path) : path_(std::move(path)), part_(path_ + ".part") {
    file_ = path_ == "-" ? stdout : std::fopen(part_.c_str(), "we");
    if (file_ == nullptr) fail();
    if (path_.ends_with(".ndjson")) return;
    zstd_ = ZSTD_createCCtx();
    compressed_.resize(ZSTD_CStreamOutSize());
    ZSTD_CCtx_setParameter(zstd_, ZSTD_c_compressionLevel, kLevel);
    ZSTD_CCtx_setParameter(zstd_, ZSTD_c_checksumFlag, 1);
    // Refused by a libzstd that was built without threads, which then compresses here.
    ZSTD_CCtx_setParameter(zstd_, ZSTD_c_nbWorkers, kThreads);
}

LineFile::~LineFile() {
    ZSTD_freeCCtx(zstd_);
    if (file_ == nullptr || file_ == stdout) return;
    std::fclose(file_);
    std::remove(part_.c_str());
}

void LineFile::fail() const { throw std::runtime_error(fmt::format("{}: {}", path_, std::strerror(errno))); }

void LineFile::add(std::string_view line) {
    pending_ += line;
    pending_ += '\n';
    if (pending_.size() >= kBuffer) write(false);
}

void LineFile::put(std::string_view data) {
    if (std::fwrite(data.data(), 1, data.size(), file_) != data.size()) fail();
    bytes_ += static_cast<std::int64_t>(data.size());
}

void LineFile::write(bool last) {
    if (zstd_ == nullptr) {
        put(pending_);
    } else {
        ZSTD_inBuffer in{pending_.data(), pending_.size(), 0};
        for (bool done = false; !done;) {
            ZSTD_outBuffer out{compressed_.data(), compressed_.size(), 0};
            auto const left = ZSTD_compressStream2(zstd_, &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
            if (ZSTD_isError(left) != 0) throw std::runtime_error(fmt::format("zstd: {}", ZSTD_getErrorName(left)));
            put({compressed_.data(), out.pos});
            done = last ? left == 0 : in.pos == in.size;
        }
    }
    pending_.clear();
}

void LineFile::finish() {
    write(true);
    if (std::fflush(file_) != 0) fail();
    if (file_ == stdout) return;
    if (fsync(fileno(file_)) != 0) fail();
    auto* const file = std::exchange(file_, nullptr);
    if (std::fclose(file) != 0) fail();
    core::rename_durably(part_, path_);
}

}  // namespace workforce::cli
