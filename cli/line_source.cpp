// Lines out of libzstd's stream.
#include "cli/line_source.hpp"

#include <fmt/format.h>
#include <zstd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace workforce::cli {

LineSource::LineSource(std::string path)
    : path_(std::move(path)), file_(std::fopen(path_.c_str(), "re")), read_(ZSTD_DStreamInSize()) {
    if (file_ == nullptr) fail(std::strerror(errno));
    if (path_.ends_with(".ndjson")) return;
    zstd_ = ZSTD_createDCtx();
    opened_.resize(ZSTD_DStreamOutSize());
}

LineSource::~LineSource() {
    ZSTD_freeDCtx(zstd_);
    if (file_ != nullptr) std::fclose(file_);
}

void LineSource::fail(std::string const& why) const { throw std::runtime_error(fmt::format("{}: {}", path_, why)); }

bool LineSource::fill() {
    text_.erase(0, std::exchange(place_, 0));
    auto const size = std::fread(read_.data(), 1, read_.size(), file_);
    if (size == 0) {
        if (std::ferror(file_) != 0) fail(std::strerror(errno));
        if (!whole_ || !text_.empty()) fail("the file is cut");
        return false;
    }
    if (zstd_ == nullptr) {
        text_.append(read_.data(), size);
        return true;
    }
    ZSTD_inBuffer in{read_.data(), size, 0};
    for (bool more = true; more;) {
        ZSTD_outBuffer out{opened_.data(), opened_.size(), 0};
        auto const left = ZSTD_decompressStream(zstd_, &out, &in);
        if (ZSTD_isError(left) != 0) fail(fmt::format("is damaged: {}", ZSTD_getErrorName(left)));
        text_.append(opened_.data(), out.pos);
        whole_ = left == 0;
        more = in.pos < in.size || out.pos == out.size;
    }
    return true;
}

std::optional<std::string> LineSource::next() {
    for (auto seen = place_;;) {
        if (auto const end = text_.find('\n', seen); end != std::string::npos) {
            auto line = text_.substr(place_, end - place_);
            place_ = end + 1;
            return line;
        }
        seen = text_.size() - place_;  // where the search goes on once what was handed out is gone
        if (!fill()) return std::nullopt;
    }
}

}  // namespace workforce::cli
