// Drives scripts/kafka.
#include "tests/support/private_kafka.hpp"

#include <fmt/format.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkdtemp

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace workforce::tests {
namespace {

/// What the script prints; throws when it fails.
std::string script(std::string const& arguments) {
    auto const line = fmt::format("{}/scripts/kafka {}", WORKFORCE_SOURCE_DIR, arguments);
    FILE* const pipe = ::popen(line.c_str(), "r");
    if (pipe == nullptr) throw std::runtime_error("can't run: " + line);
    std::string output;
    std::array<char, 256> part{};
    while (std::fgets(part.data(), part.size(), pipe) != nullptr) output += part.data();
    if (::pclose(pipe) != 0) throw std::runtime_error("failed: " + line);
    while (output.ends_with('\n')) output.pop_back();
    return output;
}

std::string make_kafka_directory() {
    std::string path = std::filesystem::temp_directory_path() / "workforce-kafka-XXXXXX";
    if (!::mkdtemp(path.data())) throw std::runtime_error("no temporary directory");
    return path;
}

}  // namespace

PrivateKafka::PrivateKafka(int nodes) : directory_(make_kafka_directory()) {
    script(fmt::format("start {} --nodes {} --throwaway", directory_, nodes));
    brokers_ = script("brokers " + directory_);
}

int PrivateKafka::batches(std::string const& topic, int partition) const {
    // https://kafka.apache.org/documentation/#recordbatch: base offset, then the length of what follows, big-endian.
    constexpr std::size_t kBeforeLength = 8;
    constexpr std::size_t kHead = 12;
    std::ifstream file(fmt::format("{}/node1/data/{}-{}/00000000000000000000.log", directory_, topic, partition),
                       std::ios::binary);
    if (!file) throw std::runtime_error("there is no segment of " + topic);
    std::string const bytes(std::istreambuf_iterator<char>(file), {});
    int count = 0;
    for (std::size_t at = 0; at + kHead <= bytes.size(); ++count) {
        std::uint32_t length = 0;
        for (std::size_t i = kBeforeLength; i < kHead; ++i) {
            length = length << 8U | static_cast<unsigned char>(bytes[at + i]);
        }
        at += kHead + length;
    }
    return count;
}

PrivateKafka::~PrivateKafka() {
    try {
        script("remove " + directory_);
    } catch (std::exception const& failed) {
        std::fprintf(stderr, "%s\n", failed.what());
    }
}

void PrivateKafka::kill(int node) const { script(fmt::format("kill9 {} {}", directory_, node)); }
void PrivateKafka::start(int node) const { script(fmt::format("start-node {} {}", directory_, node)); }

}  // namespace workforce::tests
