// Weekly availability on pages.
#include "operations/dashboard/availability_form.hpp"

#include <algorithm>
#include <array>

#include "core/json_values.hpp"

namespace workforce::operations {

struct ShownBlock {
    std::string weekday;
    std::string from;
    std::string to;
};
BOOST_DESCRIBE_STRUCT(ShownBlock, (), (weekday, from, to))

namespace {

constexpr std::array<std::string_view, 7> kWeekdays{"1=Monday", "2=Tuesday",  "3=Wednesday", "4=Thursday",
                                                    "5=Friday", "6=Saturday", "7=Sunday"};

FormShape availability_form(std::string_view form) {
    FormField const weekday{.name = "weekday",
                            .label = "Day",
                            .kind = FieldKind::id,
                            .required = true,
                            .values = {kWeekdays.begin(), kWeekdays.end()},
                            .blank = "none"};
    return {.form = form,
            .inputs = {},
            .rows = {{.name = "blocks",
                      .legend = "Time",
                      .inputs = {weekday,
                                 {.name = "from", .label = "From", .kind = FieldKind::time, .required = true},
                                 {.name = "to", .label = "Until", .kind = FieldKind::time, .required = true}}}},
            .changes = true};
}

std::vector<ShownBlock> shown_blocks(core::JsonValue const& availability) {
    std::vector<ShownBlock> blocks;
    for (auto const& block : availability["blocks"].GetArray()) {
        auto const day = kWeekdays.at(static_cast<std::size_t>(block["weekday"].GetInt64() - 1));
        blocks.push_back({std::string(day.substr(2)), block["from"].GetString(), block["to"].GetString()});
    }
    return blocks;
}

}  // namespace

boost::asio::awaitable<void> add_availability(Call& page, PageContent& content, Id staff, std::string_view form,
                                              std::string action) {
    auto const outcome = co_await ask(page, {.operation = "staff.availability", .path = path_of(staff)});
    if (outcome.status >= 300) co_return;
    auto const availability = core::parse_json(outcome.body);
    core::JsonWriter w;
    w.begin_object();
    w.member("said", !(*availability)["blocks"].Empty());
    w.key("blocks");
    core::write_json(w, shown_blocks(*availability));
    if (may_ask(*page.caller, "staff.set_availability")) {
        auto const shape = availability_form(form);
        w.member("action", action);
        w.member("subject_version", outcome.version);
        w.key("week");
        w.raw(shown_form(page, shape, held_fields(shape, *availability)));
    }
    w.end_object();
    content.add_json("availability", w.take());
}

core::Result<Question> availability_question(std::string_view form, Id staff, FormFields const& fields) {
    return body_from(availability_form(form), fields).map([&](std::string body) {
        return Question{.operation = "staff.set_availability", .path = path_of(staff), .body = std::move(body)};
    });
}

}  // namespace workforce::operations
