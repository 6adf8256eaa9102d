// A writer that forgets what read models tell, and the read models beside it.
#pragma once

#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "tests/integration/commands/fixture.hpp"

namespace workforce::tests {

class ResidencyTest : public CommandsTest {
   protected:
    explicit ResidencyTest(Recall recall = Recall::nothing) : CommandsTest(recall) {}

    std::string told(Submission submission) {
        auto const r = ask(std::move(submission));
        return std::to_string(r.status) + (r.status < 300 ? "" : " " + r.body);
    }
    void stop_read_models() { runner_.reset(); }
    /// Waits until all of the log is folded.
    void settle() {
        auto const head = first_->engine.head(home_).position;
        auto const deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
        while (!runner_->runner.progress().reached(home_, head)) {
            if (std::chrono::steady_clock::now() > deadline) throw std::runtime_error("read models do not come");
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    }
    commands::UpdateStaff renaming(Id person, std::string const& email) const {
        commands::UpdateStaff update;
        update.id = person;
        update.email = core::Personal<core::Email>(core::Email(email));
        return update;
    }
    /// Whether a person with that address can be made.
    std::string onboarding(std::string const& name) { return told(staff(name)); }
};

}  // namespace workforce::tests
