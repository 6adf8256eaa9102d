// Writing and checking of generated files.
#include "api/generated_files.hpp"

#include <fmt/format.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "api/route.hpp"
#include "events/schema_files.hpp"

namespace workforce::api {
namespace {

struct File {
    std::string path;
    std::string text;
};

std::vector<File> generated_files() {
    std::vector<File> files{{"schemas/openapi.json", openapi_document()}};
    for (auto& file : events::event_schema_files()) files.push_back({std::move(file.path), std::move(file.text)});
    return files;
}

std::string read_file(std::filesystem::path const& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

}  // namespace

int generated_files_command(bool check, std::string const& root) {
    int stale = 0;
    for (auto const& file : generated_files()) {
        auto const path = std::filesystem::path(root.empty() ? "." : root) / file.path;
        if (read_file(path) == file.text) continue;
        if (check) {
            fmt::print(stderr, "{} is not current; run `workforce schemas`\n", file.path);
            ++stale;
            continue;
        }
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path, std::ios::binary) << file.text;
        fmt::print("wrote {}\n", file.path);
    }
    return stale == 0 ? 0 : 1;
}

}  // namespace workforce::api
