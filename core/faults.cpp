// Faults, and the refusal that names them.
#include "core/faults.hpp"

#include <array>
#include <string>

#include "core/excerpt.hpp"
#include "core/json.hpp"

namespace workforce::core {
namespace {

/// The details of a VALIDATION_ERROR, as far as they are read again.
struct FaultDetails {
    std::vector<FieldError> fields;

    static constexpr std::array<std::string_view, 0> kRequired{};
};
BOOST_DESCRIBE_STRUCT(FaultDetails, (), (fields))

}  // namespace

void Faults::add(std::string_view field, std::string_view rule, std::string_view message) {
    if (++total_ > kMostNamed) return;
    named_.push_back({excerpt(field, kMostFieldBytes), std::string(rule), excerpt(message, kMostMessageBytes)});
}

Problem validation_problem(Faults const& faults) {
    auto const& named = faults.named();
    JsonWriter w;
    w.begin_object();
    w.key("fields");
    write_json(w, named);
    if (faults.total() > named.size()) w.member("total", faults.total());
    w.end_object();
    std::string message =
        faults.total() == 1 ? "One field is not valid:" : std::to_string(faults.total()) + " fields are not valid:";
    for (std::size_t i = 0; i < named.size() && i < 5; ++i) {
        message +=
            (i == 0 ? " " : "; ") + (named[i].field.empty() ? "the body" : named[i].field) + " " + named[i].message;
    }
    return {Code::validation_error, std::move(message), w.take()};
}

Problem validation_problem(std::vector<FieldError> const& errors) {
    Faults faults;
    for (auto const& error : errors) faults.add(error.field, error.rule, error.message);
    return validation_problem(faults);
}

std::vector<FieldError> fields_of(Problem const& problem) {
    if (problem.code != Code::validation_error || problem.details.empty()) return {};
    return from_stored_json<FaultDetails>(problem.details).fields;
}

}  // namespace workforce::core
