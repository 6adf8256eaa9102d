// Finding words by struct and member.
#include "operations/words/words.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <stdexcept>
#include <utility>

namespace workforce::operations {

std::vector<StructWords> list_words();
std::vector<StructWords> facility_words();
std::vector<StructWords> organization_words();
std::vector<StructWords> staff_words();
std::vector<StructWords> staff_query_words();
std::vector<StructWords> credential_words();
std::vector<StructWords> shift_words();
std::vector<StructWords> assignment_words();
std::vector<StructWords> timesheet_words();
std::vector<StructWords> payroll_run_words();
std::vector<StructWords> payment_words();
std::vector<StructWords> lead_words();
std::vector<StructWords> trigger_words();
std::vector<StructWords> app_words();
std::vector<StructWords> account_words();
std::vector<StructWords> session_words();
std::vector<StructWords> api_key_words();
std::vector<StructWords> account_value_words();
std::vector<StructWords> webhook_words();
std::vector<StructWords> delivery_words();
std::vector<StructWords> payload_words();
std::vector<StructWords> service_words();
std::vector<StructWords> notification_words();
std::vector<StructWords> sandbox_words();
std::vector<StructWords> document_words();
std::vector<StructWords> usage_words();
std::vector<StructWords> billing_words();
std::vector<StructWords> guardrail_words();
std::vector<StructWords> approval_words();
std::vector<StructWords> agent_words();
std::vector<StructWords> agent_run_words();

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
        std::vector<StructWords> groups;
        for (auto* const part :
             {list_words,       facility_words,    organization_words, staff_words,         staff_query_words,
              credential_words, shift_words,       assignment_words,   timesheet_words,     lead_words,
              account_words,    session_words,     api_key_words,      account_value_words, webhook_words,
              delivery_words,   payload_words,     service_words,      notification_words,  sandbox_words,
              document_words,   payroll_run_words, payment_words,      usage_words,         billing_words,
              guardrail_words,  approval_words,    agent_words,        agent_run_words,     trigger_words,
              app_words}) {
            std::ranges::move(part(), std::back_inserter(groups));
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
