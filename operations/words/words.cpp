// Finding words by struct and member.
#include "operations/words/words.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <stdexcept>
#include <utility>

#include "operations/operation.hpp"

namespace workforce::operations {

std::vector<StructWords> list_words();
std::vector<StructWords> document_words();

namespace {

using Key = std::pair<std::string_view, std::string_view>;

std::map<Key, std::string_view> index_of(std::vector<StructWords> const& groups) {
    std::map<Key, std::string_view> found;
    for (auto const& group : groups) {
        for (auto const& structure : group.structs) {
            for (auto const& [member, text] : group.members) {
                if (!found.emplace(Key(structure, member), text).second) {
                    throw std::logic_error("words stand twice for " + std::string(structure) + "." +
                                           std::string(member));
                }
            }
        }
    }
    return found;
}

bool is_verb(std::string_view text) {
    constexpr std::string_view kTaken = "abcdefghijklmnopqrstuvwxyz_.";
    return text.find('.') != std::string_view::npos && text.find_first_not_of(kTaken) == std::string_view::npos;
}

}  // namespace

std::vector<StructWords> const& all_words() {
    static auto const all = [] {
        std::vector<StructWords> groups = list_words();
        std::ranges::move(document_words(), std::back_inserter(groups));
        for (auto const& resource : resources()) {
            for (auto* const words : resource.words) {
                if (words != nullptr) std::ranges::move(words(), std::back_inserter(groups));
            }
        }
        return groups;
    }();
    return all;
}

std::string_view words_of(std::string_view declaring, std::string_view member) {
    static auto const index = index_of(all_words());
    auto const found = index.find({declaring, member});
    return found == index.end() ? std::string_view() : found->second;
}

std::string_view words_of_path(std::string_view segment, std::string_view parameter) {
    return words_of(std::string(segment) + '/', parameter);
}

std::string with_names(std::string_view text, std::function<std::string(std::string_view verb)> const& shown) {
    std::string all;
    while (true) {
        auto const open = text.find('{');
        auto const close = text.find('}', open);
        if (open == std::string_view::npos || close == std::string_view::npos) return all.append(text);
        auto const verb = text.substr(open + 1, close - open - 1);
        all.append(text.substr(0, open));
        if (verb.starts_with('{')) {  // of a plan's templates
            all.append("{{");
            text.remove_prefix(open + 2);
            continue;
        }
        if (is_verb(verb)) {
            all.append(shown(verb));
            text.remove_prefix(close + 1);
        } else {
            all += '{';
            text.remove_prefix(open + 1);
        }
    }
}

}  // namespace workforce::operations
