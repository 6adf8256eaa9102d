// Posting shifts by forms.
#include "operations/dashboard/new_shift_form.hpp"

#include <array>
#include <map>
#include <utility>

#include "core/json_values.hpp"

namespace workforce::operations {
namespace {

constexpr std::string_view kPostShift = "pages.post_shift";
constexpr std::string_view kPostTemplate = "pages.post_template";
constexpr std::int32_t kLastOfWeek = 6;  // days after Monday

/// Fields that the body of shifts.create has by the same names, as texts.
constexpr std::array<std::string_view, 8> kTexts{"title",      "date",      "startTime", "endTime",
                                                 "department", "specialty", "urgency",   "notes"};

/// The fields of the form where the page answers it; else none.
FormFields answered_fields(Call const& call, std::string_view form) {
    auto const& body = call.input.body;
    return call.operation.name == form && body && *body ? fields_of(**body) : FormFields{};
}

/// The day that a shift is posted for where nobody says another: today, or the first day of a week that is not this
/// one.
core::Date likely_day(core::Date monday) {
    auto const today = core::local_date(core::now(), "UTC");
    bool const this_week = today >= monday && today.days <= monday.days + kLastOfWeek;
    return this_week ? today : monday;
}

std::string new_shift_json(FormFields fields, core::Date monday) {
    if (fields.empty()) {
        fields = {{"date", to_string(likely_day(monday))}, {"requiredWorkers", "1"}, {"urgency", "medium"}};
    }
    core::JsonWriter w;
    w.begin_object();
    for (auto const name : kTexts) w.member(name, field(fields, name));
    w.member("requiredWorkers", field(fields, "requiredWorkers"));
    w.key("urgencies");
    w.begin_array();
    for (auto const* const urgency : {"low", "medium", "high", "critical"}) {
        w.begin_object();
        w.member("value", urgency);
        w.member("chosen", field(fields, "urgency") == urgency);
        w.end_object();
    }
    w.end_array();
    w.end_object();
    return w.take();
}

/// The templates that may make shifts, as options.
boost::asio::awaitable<void> add_templates(Call& call, PageContent& content, ShownWeek const& week) {
    QueryMap query{{"limit", "200"}};
    if (!week.facility.empty()) query.emplace("facilityId", week.facility);
    auto const listed = co_await ask(call, {.operation = "shift_templates.list", .parameters = std::move(query)});
    if (listed.status >= 300) co_return;
    auto const document = core::parse_json(listed.body);
    auto const rows = (*document)["data"].GetArray();
    if (rows.Empty()) co_return;
    std::map<Id, std::string> facilities;
    auto const known = co_await ask(call, {.operation = "facilities.list", .parameters = {{"limit", "200"}}});
    if (known.status < 300) {
        auto const all = core::parse_json(known.body);
        for (auto const& row : (*all)["data"].GetArray()) {
            facilities.emplace(row["id"].GetInt64(), row["name"].GetString());
        }
    }
    auto const sent = answered_fields(call, kPostTemplate);
    core::JsonWriter w;
    w.begin_object();
    for (auto const& [name, day] :
         {std::pair("first", week.monday.days), std::pair("last", week.monday.days + kLastOfWeek)}) {
        auto const typed = field(sent, name);
        w.member(name, typed.empty() ? to_string(core::Date{day}) : std::string(typed));
    }
    w.key("templates");
    w.begin_array();
    for (auto const& row : rows) {
        auto const id = std::to_string(row["id"].GetInt64());
        auto const facility = row["facilityId"].GetInt64();
        auto const found = facilities.find(facility);
        w.begin_object();
        w.member("value", id);
        w.member("chosen", field(sent, "template") == id);
        w.member("text", fmt::format("{}, {}–{}, {}", row["title"].GetString(), row["startTime"].GetString(),
                                     row["endTime"].GetString(),
                                     found == facilities.end() ? fmt::format("facility {}", facility) : found->second));
        w.end_object();
    }
    w.end_array();
    w.end_object();
    content.add_json("from_template", w.text());
}

core::Result<Question> post_shift(Call const& /*call*/, FormFields const& fields) {
    auto const facility = id_field(fields, "facilityId");
    if (!facility) return tl::unexpected(facility.error());
    auto const workers = core::parse_integer(field(fields, "requiredWorkers"));
    if (!workers) {
        return tl::unexpected(core::validation_problem({{"requiredWorkers", "type", "must be a whole number"}}));
    }
    core::JsonWriter w;
    w.begin_object();
    w.member("facilityId", *facility);
    w.member("requiredWorkers", *workers);
    for (auto const name : kTexts) w.member(name, field(fields, name));
    w.end_object();
    return Question{.operation = "shifts.create", .body = w.take()};
}

core::Result<Question> post_template(Call const& /*call*/, FormFields const& fields) {
    auto const id = id_field(fields, "template");
    if (!id) return tl::unexpected(id.error());
    core::JsonWriter w;
    w.begin_object();
    w.member("from", field(fields, "first"));
    w.member("to", field(fields, "last"));
    w.end_object();
    return Question{.operation = "shift_templates.generate", .path = path_of(*id), .body = w.take()};
}

}  // namespace

boost::asio::awaitable<void> add_new_shift_forms(Call& call, PageContent& content, ShownWeek week) {
    if (may_ask(*call.caller, "shifts.create")) {
        content.add_json("new_shift", new_shift_json(answered_fields(call, kPostShift), week.monday));
    }
    if (may_ask(*call.caller, "shift_templates.generate")) co_await add_templates(call, content, week);
}

std::vector<DashboardForm> new_shift_forms() {
    return {{.name = kPostShift,
             .path = "/schedule/shifts",
             .summary = "Post a shift by the form",
             .page = kSchedulePage,
             .done = "The shift is posted. Here you can assign people.",
             .leads_to = "pages.shift",
             .made = "/id",
             .question = post_shift},
            {.name = kPostTemplate,
             .path = "/schedule/templates",
             .summary = "Post the shifts of a template by the form",
             .page = kSchedulePage,
             .done = "The template's shifts are posted.",
             .shows_answer = true,
             .question = post_template}};
}

}  // namespace workforce::operations
