// The refusals that several aggregates share.
#include "commands/command.hpp"

#include <algorithm>

namespace workforce::commands {

bool Context::reaches(Id facility) const {
    return facilities.empty() || std::find(facilities.begin(), facilities.end(), facility) != facilities.end();
}

tl::unexpected<core::Problem> not_found(std::string_view what, Id id) {
    return refuse(Code::not_found, "There is no " + std::string(what) + " " + std::to_string(id) + " in your scope.");
}

tl::unexpected<core::Problem> invalid_transition(std::string_view what, std::string_view from, std::string_view command,
                                                 std::vector<std::string> const& allowed, std::string const& reason) {
    core::JsonWriter w;
    w.begin_object();
    w.member("from", from);
    w.member("command", command);
    w.key("allowed");
    core::write_json(w, allowed);
    if (!reason.empty()) w.member("reason", reason);
    w.end_object();
    std::string message = "The " + std::string(what) + " is " + std::string(from) + ": " + std::string(command) +
                          " is not possible" + (reason.empty() ? "." : ", " + reason + ".");
    std::string suggestion = allowed.empty() ? "Leave the " + std::string(what) + " as it is, or make another." : "";
    return refuse(Code::invalid_state_transition, std::move(message), w.take(), std::move(suggestion));
}

tl::unexpected<core::Problem> invalid_field(std::string field, std::string rule, std::string message) {
    return tl::unexpected(core::validation_problem({{std::move(field), std::move(rule), std::move(message)}}));
}

tl::unexpected<core::Problem> duplicate(std::string_view field, Id existing) {
    core::JsonWriter w;
    w.begin_object();
    w.member("field", field);
    w.member("existingId", existing);
    w.end_object();
    return refuse(Code::duplicate_resource, "Another record has this " + std::string(field) + " already.", w.take());
}

tl::unexpected<core::Problem> duplicate_unseen(std::string_view field) {
    core::JsonWriter w;
    w.begin_object();
    w.member("field", field);
    w.end_object();
    std::string const name(field);
    return refuse(Code::duplicate_resource, "Another record has this " + name + " already.", w.take(),
                  "Use another " + name + ".");
}

}  // namespace workforce::commands
