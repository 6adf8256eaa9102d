// What a part of a partition's writer works on, without the other parts, a log engine or a database.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>

#include "commands/engine/memory.hpp"
#include "commands/engine/partition_context.hpp"
#include "tests/support/await.hpp"
#include "tests/support/given.hpp"
#include "tests/support/memory_keyring.hpp"
#include "tests/support/memory_log.hpp"
#include "tests/unit/commands/engine/memory_store.hpp"

namespace workforce::tests {

class PartTest : public testing::Test {
   protected:
    static constexpr Id kOrganization = Given::kOrganization;

    explicit PartTest(bool stored = true) {
        given_.context.request_id = "req_test";
        clock_.follow({now(), std::chrono::steady_clock::now()});
        if (stored) context_.store = &store_;
    }

    static core::Timestamp now() { return at("2026-07-24T10:00:00Z"); }

    /// The event as the next one of its aggregate and of the log.
    events::Event next(events::AggregateRef subject, events::AnyEvent data) {
        events::Event event{{}, std::move(data)};
        auto& meta = event.meta;
        meta.id = "event " + std::to_string(log_.claim().head.position + 1);
        meta.time = now();
        meta.subject = subject;
        meta.organization = kOrganization;
        meta.seq = subject.kind == events::Kind::command ? 0 : store_.truth.version(subject) + 1;
        meta.epoch = log_.claim().epoch;
        meta.position = log_.claim().head.position + 1;
        meta.previous_hash = log_.claim().head.hash;
        return event;
    }
    /// Puts an event into the log, and what it leads to into the store's rows; their position stays as it is.
    void put(events::Event const& event) {
        log_.put(encoder_.encode(event.meta, event.data));
        if (event.meta.seq > 0) store_.truth.apply(event);
    }
    void put(events::AggregateRef subject, events::AnyEvent data) { put(next(subject, std::move(data))); }
    void found_organization() {
        events::OrganizationCreated created;
        created.name = "Harbour Care";
        created.timezone = "UTC";
        put({events::Kind::organization, kOrganization}, events::OrganizationEvent(created));
    }
    void onboard(Id id) {
        events::StaffOnboarded onboarded;
        onboarded.firstName = core::Name("Ada");
        onboarded.lastName = core::Name("Number " + std::to_string(id));
        onboarded.email = core::Email("staff" + std::to_string(id) + "@example.test");
        put({events::Kind::staff, id}, events::StaffEvent(onboarded));
    }
    /// All that the log holds is stored, and memory holds nothing.
    void store_all() {
        store_.position = log_.claim().head.position;
        memory_ = commands::Memory(store_.through(0));
        memory_.head = log_.claim().head;
        memory_.last_time = now();
    }
    bool holds(Id staff) {
        auto const* state = memory_.find(kOrganization);
        return state && state->rows<events::StaffRecord>().contains(staff);
    }

    Given given_;  // the caller who sends commands
    MemoryLog log_;
    MemoryKeyring keyring_;
    events::Encoder encoder_{"urn:workforce:test", keyring_};
    core::CheckedClock clock_{&PartTest::now};
    boost::asio::thread_pool threads_{1};
    MemoryStore store_;
    commands::MemoryUse use_;
    commands::PartitionContext context_{.log = log_,
                                        .encoder = encoder_,
                                        .keyring = keyring_,
                                        .clock = clock_,
                                        .folding = threads_,
                                        .storing = threads_,
                                        .loading = threads_,
                                        .use = use_,
                                        .owner = "a test"};
    commands::Memory memory_;
    commands::PartitionStats stats_;
};

/// A command of a caller, whose refusals read as their code.
inline commands::Submission finished(commands::Submission submission) {
    submission.render_problem = [](core::Problem const& problem) { return std::string(core::info(problem.code).name); };
    return submission;
}

}  // namespace workforce::tests
