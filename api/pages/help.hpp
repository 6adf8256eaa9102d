// The pages of help below /docs, and the files that they load.
#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "api/versions.hpp"
#include "core/config.hpp"
#include "net/http.hpp"

namespace workforce::api {

/// A page, or a file that pages load.
struct HelpFile {
    std::string path;
    std::string content_type;
    std::string body;
    std::string tag;        ///< its entity tag, quotes included: made of its bytes
    bool is_named = false;  ///< its path names its bytes, so that it may be kept for good
};

/// All pages and files of an installation, which stay as they are while the process runs. They are made when somebody
/// asks for the first one. Thread-safe.
class Help {
   public:
    /// Both outlive this.
    Help(core::Config const& config, Versions const& versions) : config_(config), versions_(versions) {}

    /// The page or file at the path, or null. Throws as fill_template().
    [[nodiscard]] HelpFile const* find(std::string_view path);

   private:
    core::Config const& config_;
    Versions const& versions_;
    std::once_flag made_;
    std::vector<HelpFile> files_;  // by path
};

/// The answer to a GET or HEAD of the file: 304 where the request's If-None-Match names it, else its bytes, which are
/// sent from where they lie: the file outlives the answer, and nobody's memory grows with what clients do not read. The
/// headers have browsers run and load what comes from this host alone.
net::Reply answer_with(HelpFile const& file, net::Request const& request);

}  // namespace workforce::api
