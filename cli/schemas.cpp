// `workforce schemas`: files of the repository that are generated from the code.

#include <fmt/format.h>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <vector>

#include "api/rest/route.hpp"
#include "cli/command_line.hpp"
#include "core/pretty_json.hpp"
#include "events/schema_files.hpp"
#include "operations/tools/tool.hpp"

namespace workforce::cli {
namespace {

struct File {
    std::string path;
    std::string text;
};

/// The tools of MCP as a caller with every scope and role sees them.
std::string tools_document() {
    std::string all;
    for (auto const& tool : operations::tools()) all.append(all.empty() ? "" : ",").append(tool.definition);
    rapidjson::Document document;
    all = R"({"tools":[)" + all + "]}";
    document.Parse(all.data(), all.size());
    return core::pretty_json(document);
}

std::vector<File> generated_files() {
    std::vector<File> files{{"schemas/openapi.json", std::string(api::openapi_document())},
                            {"schemas/tools.json", tools_document()}};
    for (auto& file : events::event_schema_files()) files.push_back({std::move(file.path), std::move(file.text)});
    return files;
}

std::string read_file(std::filesystem::path const& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

/// Writes OpenAPI, tools and event schemas below `root` (empty: here); with `check` only compares. Returns the exit
/// code: 1 when a file is not current, after naming it.
int write_files(bool check, std::string const& root) {
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

struct SchemasArguments {
    bool check = false;
    std::string root;
};

}  // namespace

void add_schemas(CommandLine& line) {
    auto const arguments = std::make_shared<SchemasArguments>();
    auto* command = line.app.add_subcommand("schemas", "Write the generated files: OpenAPI, tools and event schemas");
    command->add_flag("--check", arguments->check, "Only tell whether they are current");
    command->add_option("--root", arguments->root, "The project's folder (default: here)");
    command->callback([&line, arguments] {
        line.run = [arguments](core::LoadedConfig const&) { return write_files(arguments->check, arguments->root); };
    });
}

}  // namespace workforce::cli
