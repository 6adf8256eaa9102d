// Looking names up.
#include "operations/dashboard/row_names.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/json_values.hpp"

namespace workforce::operations {
namespace {

constexpr std::size_t kMostNames = 100;  // that a page asks for

}  // namespace

boost::asio::awaitable<Outcome> RowNames::look_up(std::string_view operation, Id id) {
    if (asked_ == kMostNames) co_return Outcome{.status = 404};
    ++asked_;
    co_return co_await ask(page_, {.operation = operation, .path = path_of(id)});
}

boost::asio::awaitable<std::string> RowNames::person(Id staff) {
    if (auto const known = people_.find(staff); known != people_.end()) co_return known->second;
    auto name = fmt::format("Staff member {}", staff);
    auto const outcome = co_await look_up("staff.get", staff);
    if (outcome.status < 300) {
        auto const record = core::parse_json(outcome.body);
        name = fmt::format("{} {}", (*record)["firstName"].GetString(), (*record)["lastName"].GetString());
    }
    co_return people_.emplace(staff, std::move(name)).first->second;
}

boost::asio::awaitable<std::string> RowNames::shift(Id shift) {
    if (auto const known = shifts_.find(shift); known != shifts_.end()) co_return known->second;
    auto name = fmt::format("Shift {}", shift);
    auto const outcome = co_await look_up("shifts.get", shift);
    if (outcome.status < 300) {
        auto const record = core::parse_json(outcome.body);
        name = fmt::format("{}, {}–{}, {}", (*record)["date"].GetString(), (*record)["startTime"].GetString(),
                           (*record)["endTime"].GetString(), (*record)["title"].GetString());
    }
    co_return shifts_.emplace(shift, std::move(name)).first->second;
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
                auto const id = row[each.id].GetInt64();
                bool const is_shift = each.what == NamedMember::What::shift;
                auto const name = is_shift ? co_await shift(id) : co_await person(id);
                row.AddMember(core::JsonValue(each.name, allocator), core::JsonValue(name, allocator), allocator);
            }
        }
        outcome.body = core::json_of(*document);
    }
    content.take(member, outcome);
}

}  // namespace workforce::operations
