// Looking names up.
#include "operations/dashboard/row_names.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "core/json_values.hpp"

namespace workforce::operations {
namespace {

constexpr std::size_t kMostNames = 100;  // that a page asks for

std::string name_of_person(core::JsonValue const& record) {
    return fmt::format("{} {}", record["firstName"].GetString(), record["lastName"].GetString());
}
std::string name_of_shift(core::JsonValue const& record) {
    return fmt::format("{}, {}–{}, {}", record["date"].GetString(), record["startTime"].GetString(),
                       record["endTime"].GetString(), record["title"].GetString());
}
std::string own_name(core::JsonValue const& record) { return record["name"].GetString(); }

/// How a thing's name is found, and what it is called where it is not.
struct Naming {
    std::string_view operation;
    std::string_view noun;
    std::string (*name)(core::JsonValue const& record);
};
constexpr std::array<Naming, 6> kNamings{{{"staff.get", "Staff member", name_of_person},
                                          {"shifts.get", "Shift", name_of_shift},
                                          {"users.get", "User", name_of_person},
                                          {"facilities.get", "Facility", own_name},
                                          {"organizations.get", "Organization", own_name},
                                          {"agents.get", "Agent", own_name}}};

}  // namespace

boost::asio::awaitable<std::string> RowNames::name(NamedMember::What what, Id id) {
    auto const key = std::pair(what, id);
    if (auto const found = known_.find(key); found != known_.end()) co_return found->second;
    auto const& naming = kNamings.at(static_cast<std::size_t>(what));
    auto name = fmt::format("{} {}", naming.noun, id);
    if (asked_ < kMostNames) {
        ++asked_;
        auto const outcome = co_await ask(page_, {.operation = naming.operation, .path = path_of(id)});
        if (outcome.status < 300) {
            auto const record = core::parse_json(outcome.body);
            name = naming.name(*record);
            if (what == NamedMember::What::facility) zones_.emplace(id, (*record)["timezone"].GetString());
        }
    }
    co_return known_.emplace(key, std::move(name)).first->second;
}

boost::asio::awaitable<std::string> RowNames::zone(Id facility) {
    co_await name(NamedMember::What::facility, facility);
    auto const found = zones_.find(facility);
    co_return found == zones_.end() ? "UTC" : found->second;
}

boost::asio::awaitable<void> RowNames::add_list(PageContent& content, std::string_view member, Question question,
                                                std::vector<NamedMember> named, RowMark mark) {
    auto outcome = co_await ask(page_, std::move(question));
    if (outcome.status < 300) {
        auto document = core::parse_json(outcome.body);
        auto& allocator = document->GetAllocator();
        for (auto& row : (*document)["data"].GetArray()) {
            if (mark) mark(row, allocator);
            for (auto const& each : named) {
                auto const& id = row[each.id];
                auto const known = id.IsNull() ? std::string() : co_await name(each.what, id.GetInt64());
                row.AddMember(core::JsonValue(each.name, allocator), core::JsonValue(known, allocator), allocator);
            }
        }
        outcome.body = core::json_of(*document);
    }
    content.take(member, outcome);
}

}  // namespace workforce::operations
