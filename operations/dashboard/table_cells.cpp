// Members of rows, as texts for people.
#include <fmt/format.h>

#include <map>

#include "core/json_values.hpp"
#include "operations/dashboard/row_table.hpp"

namespace workforce::operations {
namespace {

using boost::asio::awaitable;

constexpr double kMinutesOfHour = 60;

std::string plain_cell(core::JsonValue const& value) {
    if (value.IsNull()) return "";
    return value.IsString() ? std::string(core::text_of(value)) : core::json_of(value);
}

std::string list_cell(core::JsonValue const& value) {
    std::string text;
    if (!value.IsArray()) return text;
    for (auto const& item : value.GetArray()) text += (text.empty() ? "" : ", ") + plain_cell(item);
    return text;
}

/// "role: viewer → admin; status: …" of what changed.
std::string changes_cell(core::JsonValue const& changes) {
    std::string text;
    if (!changes.IsObject()) return text;
    auto const side = [](core::JsonValue const* value) {
        auto shown = value == nullptr ? std::string() : plain_cell(*value);
        return shown.empty() ? std::string("nothing") : shown;
    };
    for (auto const& [name, change] : changes.GetObject()) {
        text += fmt::format("{}{}: {} → {}", text.empty() ? "" : "; ", name.GetString(),
                            side(core::find_member(&change, "from")), side(core::find_member(&change, "to")));
    }
    return text;
}

awaitable<std::string> names_in_cell(RowNames& names, NamedMember::What what, core::JsonValue const& value) {
    if (value.IsInt64()) co_return co_await names.name(what, value.GetInt64());
    std::string all;
    if (!value.IsArray()) co_return all;
    for (auto const& item : value.GetArray()) {
        all += (all.empty() ? "" : ", ") + co_await names.name(what, item.GetInt64());
    }
    co_return all;
}

std::string money_with_currency(core::JsonValue const& amount, core::JsonValue const& row) {
    auto const* const currency = core::find_member(&row, "currency");
    return money_text(amount) + (currency == nullptr ? "" : " " + plain_cell(*currency));
}

}  // namespace

std::string money_text(core::JsonValue const& amount) {
    return amount.IsNumber() ? fmt::format("{:.2f}", amount.GetDouble()) : std::string();
}

std::string hours_text(core::JsonValue const& minutes) {
    return minutes.IsNumber() ? fmt::format("{:.2f}", minutes.GetDouble() / kMinutesOfHour) : std::string();
}

awaitable<std::string> member_text(RowNames& names, TableColumn const& column, core::JsonValue const& row) {
    using What = NamedMember::What;
    static std::map<Shows, What> const namings{{Shows::person, What::person},
                                               {Shows::user, What::user},
                                               {Shows::facility, What::facility},
                                               {Shows::facility_or_all, What::facility},
                                               {Shows::organization, What::organization},
                                               {Shows::agent, What::agent}};
    auto const* const value = member_at(row, column.member);
    if (value == nullptr) co_return "";
    if (value->IsNull()) co_return column.shows == Shows::facility_or_all ? "all" : "";
    if (auto const named = namings.find(column.shows); named != namings.end()) {
        co_return co_await names_in_cell(names, named->second, *value);
    }
    switch (column.shows) {
        case Shows::words:
            co_return spoken(plain_cell(*value));
        case Shows::yes_no:
            co_return value->IsTrue() ? "yes" : "no";
        case Shows::list:
            co_return list_cell(*value);
        case Shows::changes:
            co_return changes_cell(*value);
        case Shows::money:
            co_return money_with_currency(*value, row);
        case Shows::hours:
            co_return hours_text(*value);
        case Shows::clock: {
            auto const zone = co_await names.zone(row["facilityId"].GetInt64());
            co_return wall_clock(*value, zone) + (zone == "UTC" ? " UTC" : "");
        }
        default:
            co_return plain_cell(*value);
    }
}

awaitable<std::string> shown_facts(RowNames& names, core::JsonValue const& record,
                                   std::span<TableColumn const> columns) {
    core::JsonWriter w;
    w.begin_array();
    for (auto const& column : columns) {
        auto const text = co_await member_text(names, column, record);
        if (text.empty()) continue;
        w.begin_object();
        w.member("title", column.header);
        w.member("text", text);
        w.end_object();
    }
    w.end_array();
    co_return w.take();
}

}  // namespace workforce::operations
