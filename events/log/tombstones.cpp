// Canonical text, signatures, and the file's lines.
#include "events/log/tombstones.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "core/crypto.hpp"

namespace workforce::events {
namespace {

constexpr std::size_t kNamesOfALine = 1000;  // so that a torn line is found from the file's last 64 KiB

/// What is wrong with the line, or "".
std::string check_tombstone(std::string_view text, std::string_view installation,
                            std::vector<std::string> const& public_keys, TombstoneLine& line) {
    auto const document = core::parse_json(text);
    if (!document) return "is no JSON";
    core::JsonReader reader(core::JsonReader::Trust::stored);  // which bounds no array: the signature judges the rest
    core::JsonType<TombstoneLine>::read(*document, line, reader);
    if (!reader.errors().empty()) return reader.errors().front().field + " " + reader.errors().front().message;
    if (line.installation != installation) {
        return fmt::format("is of installation '{}', this one is '{}'", line.installation, installation);
    }
    if (is_signed_by(public_keys, signed_text(line), line.signature)) return {};
    return fmt::format("was not signed with the key {}", fmt::join(public_keys, " or "));
}

void add_line(Tombstones& all, TombstoneLine const& line) {
    all.persons.insert(line.persons.begin(), line.persons.end());
    all.keys.insert(line.keys.begin(), line.keys.end());
    all.person_count = std::max(all.person_count, line.personCount);
    all.key_count = std::max(all.key_count, line.keyCount);
    if (line.time < all.time) return;
    all.time = line.time;
    all.positions = line.positions;
}

template <class T>
std::vector<T> missing(std::set<T> const& all, std::set<T> const& named) {
    std::vector<T> names;
    std::set_difference(all.begin(), all.end(), named.begin(), named.end(), std::back_inserter(names));
    return names;
}

/// The next names of a line, taken from the end.
template <class T>
std::vector<T> take(std::vector<T>& names) {
    auto const count = std::min(names.size(), kNamesOfALine);
    std::vector<T> taken(std::make_move_iterator(names.end() - static_cast<std::ptrdiff_t>(count)),
                         std::make_move_iterator(names.end()));
    names.resize(names.size() - count);
    return taken;
}

}  // namespace

std::string signed_text(TombstoneLine const& line) {
    return fmt::format("workforce tombstones 1\n{}\n{}\n{}\n{} {}\n{}\n{}\n", line.installation,
                       core::to_string(line.time), fmt::join(line.positions, " "), line.personCount, line.keyCount,
                       fmt::join(line.persons, " "), fmt::join(line.keys, " "));
}

std::string sign_tombstones(Tombstones const& all, Tombstones const& named, HeadSigner const& signer) {
    auto persons = missing(all.persons, named.persons);
    auto keys = missing(all.keys, named.keys);
    std::string lines;
    do {
        TombstoneLine line{.installation = signer.installation(),
                           .time = all.time,
                           .positions = all.positions,
                           .personCount = static_cast<std::int64_t>(all.persons.size()),
                           .keyCount = static_cast<std::int64_t>(all.keys.size()),
                           .persons = take(persons),
                           .keys = take(keys),
                           .publicKey = signer.public_key(),
                           .signature = {}};
        line.signature = signer.signature_of(signed_text(line));
        lines += core::to_json(line) + '\n';
    } while (!persons.empty() || !keys.empty());
    return lines;
}

tl::expected<Tombstones, std::string> read_tombstones(std::string_view lines, std::string_view installation,
                                                      std::vector<std::string> const& public_keys) {
    Tombstones all;
    for (int number = 1; !lines.empty(); ++number) {
        auto const text = lines.substr(0, lines.find('\n'));
        bool const torn = text.size() == lines.size() && !core::parse_json(text);
        lines.remove_prefix(std::min(text.size() + 1, lines.size()));
        if (text.empty() || torn) continue;
        TombstoneLine line;
        if (auto const wrong = check_tombstone(text, installation, public_keys, line); !wrong.empty()) {
            return tl::unexpected(fmt::format("line {} {}", number, wrong));
        }
        add_line(all, line);
    }
    return all;
}

}  // namespace workforce::events
