// Lines, and how many there may be.
#include "workers/webhooks/failure_log.hpp"

#include <utility>

#include "core/logging.hpp"
#include "core/web_origin.hpp"
#include "workers/webhooks/schedule.hpp"

namespace workforce::workers {
namespace {

using core::Level;

constexpr std::size_t kMostTold = 10'000;            // before old ones are forgotten
constexpr std::chrono::minutes kForgotten{24 * 60};  // of one that fails still, or is gone

}  // namespace

bool FailureLog::may_tell() {
    auto const now = now_();
    if (lines_ == 0 || now - window_begun_ >= kWindow) {
        if (untold_ > 0) {
            core::log(
                Level::warn,
                "webhook subscriptions failed or recovered without a line: `workforce webhooks --worst` shows them",
                {{"untold", untold_}});
        }
        window_begun_ = now;
        lines_ = 0;
        untold_ = 0;
    }
    if (lines_ < kMostLines) {
        ++lines_;
        return true;
    }
    ++untold_;
    return false;
}

void FailureLog::forget_old() {
    if (told_.size() < kMostTold) return;
    auto const now = now_();
    std::erase_if(told_,
                  [&](auto const& each) { return now - each.second.at >= (each.second.fails ? kForgotten : kEvery); });
}

void FailureLog::failed(core::Id webhook, core::Id organization, std::string_view url, std::string_view error,
                        std::int64_t failures) {
    forget_old();
    auto const [place, is_new] = told_.try_emplace(webhook);
    auto& told = place->second;
    auto const now = now_();
    if (is_new) {
        told.at = now - kEvery;
        told.fails = failures > 1;  // whoever sent its deliveries before has told
    }
    if (told.fails || now - told.at < kEvery || !may_tell()) return;
    told = {true, now};
    core::log(Level::warn, "a webhook subscription fails; its deliveries are tried again",
              {{"webhook", webhook},
               {"organization", organization},
               {"origin", core::origin_of(url)},
               {"error", error},
               {"failures", failures}});
}

void FailureLog::recovered(core::Id webhook, core::Id organization, std::int64_t failures) {
    if (auto const told = told_.find(webhook); told != told_.end() && !std::exchange(told->second.fails, false)) return;
    if (!may_tell()) return;
    core::log(Level::info, "a webhook subscription takes deliveries again",
              {{"webhook", webhook}, {"organization", organization}, {"failures", failures}});
}

void FailureLog::disabled(core::Id webhook, core::Id organization, std::string_view url, std::string_view error) {
    told_.erase(webhook);  // what becomes of it when it is enabled is told anew
    if (!may_tell()) return;
    core::log(Level::warn, "a webhook subscription is disabled: all attempts of one delivery failed",
              {{"webhook", webhook},
               {"organization", organization},
               {"origin", core::origin_of(url)},
               {"error", error},
               {"attempts", kMostAttempts}});
}

}  // namespace workforce::workers
