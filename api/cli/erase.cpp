// `workforce erase`: forgets a person, through the running service where there is one.
#include <fmt/format.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "api/administration.hpp"
#include "api/cli/audit.hpp"
#include "api/cli/command_line.hpp"
#include "api/cli/owner_request.hpp"

namespace workforce::api {
namespace {

struct Arguments {
    std::string person;
    std::string reason;
};

constexpr core::Statement kFindStaff{"whose_staff", "SELECT organization_id, is_sandbox FROM read.staff WHERE id = $1"};
constexpr core::Statement kFindUser{"whose_user",
                                    "SELECT organization_id, is_sandbox FROM read.user_account WHERE id = $1"};

/// The request, with the organization that the read models know the person in.
ErasePersonRequest request_of(core::Config const& config, Arguments const& arguments) {
    auto const person = events::parse_aggregate(arguments.person);
    if (!person || (person->kind != events::Kind::staff && person->kind != events::Kind::user)) {
        throw std::runtime_error(fmt::format("{} is no person: say staff/ID or user/ID", arguments.person));
    }
    ErasePersonRequest request;
    request.reason = arguments.reason;
    request.requestedBy = user_name();
    request.person = arguments.person;
    if (arguments.reason.empty() || arguments.reason.size() > 500) {
        throw std::runtime_error("--reason has 1 to 500 characters");
    }
    core::Connection connection(session(config, "workforce_projector", "workforce erase"));
    auto const rows = connection.execute(person->kind == events::Kind::staff ? kFindStaff : kFindUser, person->id);
    if (rows.empty()) throw std::runtime_error(fmt::format("there is no {}", arguments.person));
    request.organizationId = core::read<core::Id>(rows[0][0]);
    request.sandbox = core::read<bool>(rows[0][1]);
    return request;
}

int erase(core::Config const& config, Arguments const& arguments) {
    auto const request = request_of(checked(config), arguments);
    auto const local = [&](Runtime& runtime) { return erase_person(runtime, request); };
    run_where_served(config, "/internal/erase", request, local);
    return 0;
}

}  // namespace

void add_erase(CommandLine& line) {
    auto const arguments = std::make_shared<Arguments>();
    auto* command = line.app.add_subcommand("erase", "Forget a person: their key is destroyed, for good");
    command->add_option("PERSON", arguments->person, "staff/ID or user/ID")->required();
    command->add_option("--reason", arguments->reason, "Why, for the record; nothing of the person")->required();
    command->callback([&line, arguments] {
        line.run = [arguments](core::LoadedConfig const& loaded) { return erase(loaded.config, *arguments); };
    });
}

}  // namespace workforce::api
