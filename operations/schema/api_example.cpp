// What members look like in examples.
#include "operations/schema/api_example.hpp"

#include <array>
#include <utility>

namespace workforce::operations {

std::optional<std::string_view> example_of(std::string_view member) {
    using namespace std::string_view_literals;
    static constexpr std::array kExamples{
        std::pair{"action"sv, R"("shift.filled")"sv},
        std::pair{"city"sv, R"("Hamburg")"sv},
        std::pair{"country"sv, R"("DE")"sv},
        std::pair{"currentPassword"sv, R"("a word that I know")"sv},
        std::pair{"date"sv, R"("2026-07-25")"sv},
        std::pair{"degree"sv, R"("BSc Nursing")"sv},
        std::pair{"department"sv, R"("Emergency")"sv},
        std::pair{"departments"sv, R"(["Emergency"])"sv},
        std::pair{"email"sv, R"("ada@example.com")"sv},
        std::pair{"endDate"sv, R"("2026-07-26")"sv},
        std::pair{"endTime"sv, R"("06:00")"sv},
        std::pair{"endsAt"sv, R"("2026-07-26T04:00:00.000Z")"sv},
        std::pair{"facility"sv, R"("Harbour House")"sv},
        std::pair{"firstName"sv, R"("Ada")"sv},
        std::pair{"hourlyRate"sv, R"(38.5)"sv},
        std::pair{"institution"sv, R"("University of Hamburg")"sv},
        std::pair{"lastName"sv, R"("Byron")"sv},
        std::pair{"line1"sv, R"("1 Quay Street")"sv},
        std::pair{"minutes"sv, R"(30)"sv},
        std::pair{"name"sv, R"("Harbour House")"sv},
        std::pair{"newPassword"sv, R"("another one, of my own")"sv},
        std::pair{"notes"sv, R"("Bring a badge")"sv},
        std::pair{"openSpots"sv, R"(2)"sv},
        std::pair{"otherShiftId"sv, R"(2)"sv},
        std::pair{"otherStaffId"sv, R"(2)"sv},
        std::pair{"password"sv, R"("a word that I know")"sv},
        std::pair{"permissions"sv, R"(["shifts.view"])"sv},
        std::pair{"phone"sv, R"("+49 40 5550100")"sv},
        std::pair{"position"sv, R"("Nurse")"sv},
        std::pair{"postalCode"sv, R"("20457")"sv},
        std::pair{"rate"sv, R"(38.5)"sv},
        std::pair{"reason"sv, R"("The ward is closed")"sv},
        std::pair{"requiredWorkers"sv, R"(2)"sv},
        std::pair{"resource"sv, R"("shift:1")"sv},
        std::pair{"scope"sv, R"("shifts:read")"sv},
        std::pair{"scopes"sv, R"(["shifts:read"])"sv},
        std::pair{"shiftIdB"sv, R"(2)"sv},
        std::pair{"skills"sv, R"(["Triage"])"sv},
        std::pair{"specialty"sv, R"("Nurse")"sv},
        std::pair{"staffId"sv, R"(1)"sv},
        std::pair{"staffIdB"sv, R"(2)"sv},
        std::pair{"staffIds"sv, R"([1])"sv},
        std::pair{"startDate"sv, R"("2026-07-25")"sv},
        std::pair{"startTime"sv, R"("22:00")"sv},
        std::pair{"startsAt"sv, R"("2026-07-25T20:00:00.000Z")"sv},
        std::pair{"timezone"sv, R"("Europe/Berlin")"sv},
        std::pair{"title"sv, R"("Night shift")"sv},
        std::pair{"token"sv, R"("2bH9cQe0ZyW5rTn8vKx1LsM4pGfD7aJuE3iO6tBwCyA")"sv},
        std::pair{"username"sv, R"("ada@example.com")"sv},
        std::pair{"weekdays"sv, R"([1,2,3,4,5])"sv},
    };
    for (auto const& [name, text] : kExamples) {
        if (name == member) return text;
    }
    return std::nullopt;
}

namespace {

/// Whether the member is an object here: one of its name may be a text elsewhere, of which the example is.
bool is_object(ExampleField const& field, Side side, void const* object) {
    core::JsonWriter probe;
    field.write(probe, side, field.at(object));
    return probe.text().starts_with('{');
}

}  // namespace

void write_object_example(core::JsonWriter& w, Side side, void const* object, std::span<ExampleField const> fields) {
    w.begin_object();
    for (auto const& field : fields) {
        auto known = example_of(field.name);
        bool const stands = side == Side::answer ? field.in_answer : field.in_request;
        if (!stands && !known) continue;
        w.key(field.name);
        if (known && is_object(field, side, object) != known->starts_with('{')) known.reset();
        if (known) {
            w.raw(*known);
        } else {
            field.write(w, side, field.at(object));
        }
    }
    w.end_object();
}

}  // namespace workforce::operations
