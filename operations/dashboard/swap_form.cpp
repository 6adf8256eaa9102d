// Changing places by a form: whoever uses it says who, then sees the people of other shifts of a week.
#include "operations/dashboard/swap_form.hpp"

#include <algorithm>

#include "core/json_values.hpp"
#include "operations/dashboard/row_names.hpp"

namespace workforce::operations {
namespace {

constexpr std::int32_t kDaysBefore = 3;  // the shift's own, where nobody says another first day
constexpr std::int32_t kDaysShown = 7;

bool is_ahead(core::JsonValue const& shift) { return shift["status"] == "open" || shift["status"] == "assigned"; }

bool is_on(core::JsonValue const& shift, Id staff) {
    auto const on = shift["assignedStaffIds"].GetArray();
    return std::any_of(on.begin(), on.end(), [&](auto const& id) { return id == staff; });
}

/// Writes the people of the other shift who may come instead of that one, each by both ids.
boost::asio::awaitable<std::size_t> write_people(core::JsonWriter& w, RowNames& names, core::JsonValue const& shift,
                                                 core::JsonValue const& other) {
    std::size_t count = 0;
    w.begin_array();
    for (auto const& id : other["assignedStaffIds"].GetArray()) {
        if (is_on(shift, id.GetInt64())) continue;
        ++count;
        auto const name = co_await names.person(id.GetInt64());
        w.begin_object();
        w.member("value", fmt::format("{}:{}", other["id"].GetInt64(), id.GetInt64()));
        w.member("person", name);
        w.end_object();
    }
    w.end_array();
    co_return count;
}

/// The other shifts whose people could change places, with these, as a JSON array of groups of options.
boost::asio::awaitable<std::string> swap_choices(Call& call, PageContent& content, RowNames& names,
                                                 core::JsonValue const& shift, core::Date first) {
    auto const outcome = co_await ask(call, {.operation = "shifts.list",
                                             .parameters = {{"from", to_string(first)},
                                                            {"to", to_string(core::Date{first.days + kDaysShown - 1})},
                                                            {"status", "open,assigned"},
                                                            {"sort", "startsAt"},
                                                            {"limit", "200"}}});
    core::JsonWriter all;
    all.begin_array();
    if (outcome.status < 300) {
        auto const document = core::parse_json(outcome.body);
        if ((*document)["pagination"]["hasMore"].IsTrue()) {
            content.remark("There are more shifts in these days than this page offers to swap with.");
        }
        auto const staff = core::parse_integer(kept_of(call, kSwapped)).value_or(0);
        for (auto const& other : (*document)["data"].GetArray()) {
            bool const elsewhere = other["organizationId"] != shift["organizationId"];
            if (elsewhere || other["id"] == shift["id"] || is_on(other, staff)) continue;
            core::JsonWriter w;
            w.begin_object();
            w.member("label", fmt::format("{}, {}–{}, {}", other["date"].GetString(), other["startTime"].GetString(),
                                          other["endTime"].GetString(), other["title"].GetString()));
            w.key("people");
            auto const count = co_await write_people(w, names, shift, other);
            w.end_object();
            if (count > 0) all.raw(w.text());
        }
    }
    all.end_array();
    co_return all.take();
}

core::Result<Question> ask_for_swap(Call const& call, FormFields const& fields) {
    auto const staff = id_field(fields, kSwapped);
    if (!staff) return tl::unexpected(staff.error());
    auto const other = field(fields, "other");
    auto const colon = std::min(other.find(':'), other.size());
    auto const shift_b = core::parse_integer(other.substr(0, colon));
    auto const staff_b = core::parse_integer(other.substr(std::min(colon + 1, other.size())));
    if (!shift_b || !staff_b) {
        return tl::unexpected(core::validation_problem({{"other", "type", "must be one of the form's"}}));
    }
    core::JsonWriter w;
    w.begin_object();
    w.member("shiftIdA", call.input.path.id());
    w.member("staffIdA", *staff);
    w.member("shiftIdB", *shift_b);
    w.member("staffIdB", *staff_b);
    w.end_object();
    return Question{.operation = "shifts.swap", .body = w.take()};
}

}  // namespace

bool can_swap(Call const& call, core::JsonValue const& shift) {
    return is_ahead(shift) && may_ask(*call.caller, "shifts.swap");
}

boost::asio::awaitable<void> add_swap_form(Call& call, PageContent& content, core::JsonValue const& shift) {
    auto const staff = core::parse_integer(kept_of(call, kSwapped)).value_or(0);
    if (!can_swap(call, shift) || !is_on(shift, staff)) co_return;
    auto const date = core::parse_date(shift["date"].GetString()).value_or(core::Date{});
    auto const first = core::parse_date(kept_of(call, kSwapDay)).value_or(core::Date{date.days - kDaysBefore});
    RowNames names(call);
    auto const name = co_await names.person(staff);
    auto const choices = co_await swap_choices(call, content, names, shift, first);
    core::JsonWriter w;
    w.begin_object();
    w.member("staff_id", staff);
    w.member("name", name);
    w.member("day", to_string(first));
    w.member("last_day", to_string(core::Date{first.days + kDaysShown - 1}));
    w.member("has_choices", choices != "[]");
    w.key("choices");
    w.raw(choices);
    w.end_object();
    content.add_json("swap", w.text());
}

DashboardForm swap_form() {
    return {.name = "pages.swap_staff",
            .path = "/schedule/shifts/{id:int}/swap",
            .summary = "Have people of two shifts change places by the form",
            .page = kShiftPage,
            .done = "They have changed places.",
            .shows_answer = true,
            .question = ask_for_swap};
}

}  // namespace workforce::operations
