// Gives an organization of an installation that does not run at the moment a long past: people, and shifts over years,
// half of them staffed. For what depends on how much history there is: start-up, memory, speed.
#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <stdexcept>

#include "core/config.hpp"
#include "core/connection.hpp"
#include "events/log/open_log.hpp"
#include "events/postgres_keyring.hpp"
#include "events/shift.hpp"
#include "events/staff.hpp"
#include "tests/bench/bench.hpp"
#include "tests/support/event_writer.hpp"

namespace workforce::bench {
namespace {

constexpr std::int64_t kHourMs = 3'600'000;
constexpr core::Id kFirst = 10'000'000;  // ids past all that the installation gave itself
constexpr int kAppend = 500;

struct History {
    core::ConfigFlags flags{};
    core::Id organization = 0;
    core::Id facility = 0;
    int people = 2000;
    int shifts = 1'000'000;
};

void add_people(tests::EventWriter& writer, int people) {
    for (int i = 0; i < people; ++i) {
        events::StaffOnboarded staff;
        staff.firstName = core::Name("Grace");
        staff.lastName = core::Name(fmt::format("Hopper {}", i));
        staff.email = core::Email(fmt::format("grace{}@history.test", i));
        staff.specialty = "ICU";
        writer.add(events::Kind::staff, kFirst + i, staff);
        if (i % kAppend == kAppend - 1) writer.append();
    }
    writer.append();
}

/// Shifts of eight hours that end yesterday and began so much earlier that each person works one a day at most.
void add_shifts(tests::EventWriter& writer, History const& history) {
    auto const days = history.shifts / history.people + 1;
    core::Timestamp const first{core::now().ms - (days + 2) * 24 * kHourMs};
    for (int i = 0; i < history.shifts; ++i) {
        events::ShiftPosted posted;
        posted.facilityId = history.facility;
        posted.title = "Night shift, intensive care";
        posted.department = "Intensive care";
        posted.specialty = "ICU";
        posted.timezone = "UTC";
        posted.startsAt = {first.ms + i / history.people * 24 * kHourMs};
        posted.endsAt = {posted.startsAt.ms + 8 * kHourMs};
        posted.date = core::local_date(posted.startsAt, posted.timezone);
        writer.add(events::Kind::shift, kFirst + i, posted);
        if (i % 2 == 0) {
            core::Id const person = kFirst + i % history.people;
            writer.add(events::Kind::shift, kFirst + i, events::ShiftStaffAssigned{person, {}, {}});
            writer.add(events::Kind::shift, kFirst + i, events::ShiftFilled{{person}});
        }
        if (i % kAppend == kAppend - 1) writer.append();
    }
    writer.append();
}

int append_history(History const& history) {
    auto const config = load_config(history.flags);
    auto const master_key = core::load_master_key(config.master_key_file);
    if (!master_key) throw std::runtime_error(master_key.error());
    core::Connection connection({.url = config.database_url});
    constexpr core::Statement kHome{"home", "SELECT partition FROM ops.organization_home WHERE organization_id = $1"};
    auto const partition = core::read<int>(connection.execute(kHome, history.organization).at(0)[0]);
    events::PostgresKeyring keyring({config.database_url, "workforce_writer", *master_key, 1});
    auto const log = events::open_log(config);
    {
        tests::EventWriter writer(*log, keyring, partition);
        writer.meta.organization = history.organization;
        writer.meta.facility = history.facility;
        add_people(writer, history.people);
        keyring.persist();
        add_shifts(writer, history);
    }
    log->stop();
    fmt::print("{} people and {} shifts in partition {}\n", history.people, history.shifts, partition);
    return 0;
}

}  // namespace

void add_history(CLI::App& bench, Run& run) {
    auto const history = std::make_shared<History>();
    auto* command = bench.add_subcommand("history", "Appends a long history to an organization's partition");
    core::add_config_flags(*command, history->flags);
    command->add_option("--organization", history->organization)->required();
    command->add_option("--facility", history->facility)->required();
    command->add_option("--people", history->people);
    command->add_option("--shifts", history->shifts);
    command->callback([&run, history] { run = [history] { return append_history(*history); }; });
}

}  // namespace workforce::bench
