// `workforce erase`: forgets a person, through the running service where there is one, and waits for the read models.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

#include "api/admin/administration.hpp"
#include "cli/audit.hpp"
#include "cli/command_line.hpp"
#include "cli/owner_request.hpp"
#include "cli/restored_ids.hpp"
#include "core/json_io.hpp"
#include "core/session_pool.hpp"
#include "events/aggregate.hpp"
#include "projections/engine/checkpoints.hpp"
#include "projections/registry.hpp"
#include "workers/cluster/leases.hpp"

namespace workforce::cli {
namespace {

struct EraseArguments {
    std::string person;
    std::string reason;
};

/// For read models that are folded.
constexpr auto kFoldPatience = std::chrono::seconds(30);
constexpr auto kFoldPause = std::chrono::milliseconds(50);

/// Whose the person is, by the read models or, as these may be behind, by the log.
Belonging belonging_of(core::Config const& config, events::AggregateRef const& person) {
    auto const rows = core::SessionPool(workers::session(config, "workforce_projector", "workforce erase"), 1)
                          .run([&](core::Connection& connection) {
                              return connection.execute_sql(
                                  fmt::format("SELECT organization_id, is_sandbox FROM read.{} WHERE id = {}",
                                              projections::table_of(person.kind), person.id));
                          });
    if (!rows.empty()) return {core::read<core::Id>(rows[0][0]), core::read<bool>(rows[0][1])};
    auto const log = open_for_audit(config);
    auto const found = find_person(*log, person);
    log->stop();
    if (!found) throw std::runtime_error(fmt::format("there is no {}", to_string(person)));
    return *found;
}

/// What is asked for.
api::ErasePersonRequest request_of(core::Config const& config, EraseArguments const& arguments) {
    auto const person = events::parse_aggregate(arguments.person);
    if (!person || !is_person(person->kind)) {
        throw UsageError(fmt::format("{} is no person: say one of {}", arguments.person, events::person_names()));
    }
    api::ErasePersonRequest request;
    request.reason = arguments.reason;
    request.requestedBy = user_name();
    request.person = arguments.person;
    if (arguments.reason.empty() || arguments.reason.size() > 500) {
        throw UsageError("--reason has 1 to 500 characters");
    }
    auto const belonging = belonging_of(config, *person);
    request.organizationId = belonging.organization;
    request.sandbox = belonging.sandbox;
    return request;
}

/// A read model that has not folded the partition up to `position`.
struct Behind {
    std::string_view projection;
    std::int64_t position = -1;
    bool waits = false;  ///< it does not stand still, and somebody folds the partition
};

std::optional<Behind> find_behind(core::Connection& connection, int partition, std::int64_t position) {
    auto const types = projections::registry();
    std::array const partitions{partition};
    auto const standings = projections::load_standings(connection, types, partitions).at(partition);
    for (std::size_t i = 0; i < types.size(); ++i) {
        auto const standing = standings[i].value_or(projections::Progress::Standing{});
        if (standing.position >= position) continue;
        auto const leases = workers::read_cluster(connection).leases;
        bool const folded = std::any_of(leases.begin(), leases.end(), [&](workers::Lease const& lease) {
            return lease.kind == workers::LeaseKind::projector && lease.partition == partition &&
                   lease.left.count() > 0;
        });
        return Behind{types[i].name, standing.position, folded && !standing.stopped};
    }
    return std::nullopt;
}

/// Returns once no read model shows the person any more. Errors: std::runtime_error when one still does.
void await_read_models(core::Config const& config, api::ErasedPerson const& erased) {
    auto position = erased.position;
    if (position < 0) {  // on record before, at a place that is not known
        auto const log = open_for_audit(config);
        position = log->head(erased.partition).position;
        log->stop();
    }
    core::Connection connection(projections::aimed_at(workers::session(config, "workforce_reader", "workforce erase"),
                                                      projections::Tables::live));
    auto const deadline = std::chrono::steady_clock::now() + kFoldPatience;
    while (auto const behind = find_behind(connection, erased.partition, position)) {
        if (!behind->waits || std::chrono::steady_clock::now() > deadline) {
            throw std::runtime_error(fmt::format(
                "{} is erased, but read models may still show them until these are folded: {} stands at {} of {} in "
                "partition {}; see `workforce status`, and repeat this to be sure",
                erased.person, behind->projection, behind->position, position, erased.partition));
        }
        std::this_thread::sleep_for(kFoldPause);
    }
}

int erase(core::Config const& config, EraseArguments const& arguments) {
    auto const request = request_of(workers::checked(config), arguments);
    auto const local = [&](workers::Runtime& runtime, auto const&) { return erase_person(runtime, request); };
    bool const has_keys = request.person.starts_with("user/");  // which end with the user
    auto const answer = run_where_served(config, "/internal/erase", request, local,
                                         has_keys ? api::kKeyTrust : std::chrono::milliseconds{});
    await_read_models(config, core::from_stored_json<api::ErasedPerson>(answer));
    return 0;
}

}  // namespace

void add_erase(CommandLine& line) {
    auto const arguments = std::make_shared<EraseArguments>();
    auto* command = line.app.add_subcommand(
        "erase", "Forget a person: their key is destroyed, for good; waits until nothing shows them");
    command->add_option("PERSON", arguments->person, std::string(events::person_names()))->required();
    command->add_option("--reason", arguments->reason, "Why, for the record; nothing of the person")->required();
    command->callback([&line, arguments] {
        line.run = [arguments](core::LoadedConfig const& loaded) { return erase(loaded.config, *arguments); };
    });
}

}  // namespace workforce::cli
