// The states of an outage, and its lines.
#include "core/outage.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "core/time.hpp"

namespace workforce::core {
namespace {

double seconds_between(Outage::Clock::time_point from, Outage::Clock::time_point to) {
    return std::chrono::duration<double>(std::chrono::duration_cast<std::chrono::milliseconds>(to - from)).count();
}

}  // namespace

void Outage::broke(std::string_view why, Clock::time_point opened) noexcept {
    try {
        std::lock_guard const lock(mutex_);
        if (opened < last_answer_ && opened < last_failure_) return;  // it broke in an outage that was told of
        if (broken_++ == 0) why_broken_ = why;
        suspect(now_());
    } catch (std::exception const&) {
        // As in log(): the caller's work matters more than its line.
    }
}

void Outage::doubt() noexcept {
    std::lock_guard const lock(mutex_);
    suspect(now_());
}

void Outage::suspect(Clock::time_point now) {
    last_break_ = now;
    known_until_ = now + kDoubt;
    if (state_ == State::well) state_ = State::doubted;
}

void Outage::failed(std::string_view why, Clock::time_point asked) noexcept {
    try {
        std::lock_guard const lock(mutex_);
        if (asked < last_answer_) return;
        auto const now = now_();
        last_failure_ = now;
        if (state_ != State::away) begin(now, asked);
        tell(why);
    } catch (std::exception const&) {
        // As above.
    }
}

void Outage::begin(Clock::time_point now, Clock::time_point since) {
    state_ = State::away;
    began_ = std::min(now, since);
    told_ = false;
    broken_ = 0;
}

void Outage::tell(std::string_view why) {
    auto const now = now_();
    bool const soon = ended_ != Clock::time_point() && now - ended_ < kCalm;
    if (told_ ? now - last_line_ < kRepeat : soon) return;
    auto const lasted = now - began_;
    auto const since =
        Timestamp{core::now().ms - std::chrono::duration_cast<std::chrono::milliseconds>(lasted).count()};
    log_line(Level::error, told_ ? texts_.lasts : texts_.begins,
             {{"since", to_string(since)},
              {"seconds", seconds_between(began_, now)},
              {"means", texts_.means},
              {"error", why}});
    told_ = true;
    last_line_ = now;
}

void Outage::answered(Clock::time_point asked) noexcept {
    if (!troubled()) return;
    try {
        std::lock_guard const lock(mutex_);
        auto const now = now_();
        if (asked < last_break_) return;
        if (state_ == State::away) {
            if (asked < last_failure_) return;
            if (std::exchange(told_, false)) {
                ended_ = now;
                log_line(Level::info, texts_.ends, {{"after_seconds", seconds_between(began_, now)}});
            }
        } else if (broken_ > 0) {
            bool const again = last_lost_line_ != Clock::time_point() && now - last_lost_line_ < kRepeat;
            if (!again) {
                last_lost_line_ = now;
                log_line(Level::warn, texts_.lost, {{"connections", broken_}, {"error", why_broken_}});
            }
        }
        known_until_ = now + kAfter;
        last_answer_ = now;
        broken_ = 0;
        state_ = State::well;
    } catch (std::exception const&) {
        // As above.
    }
}

bool Outage::known() const noexcept {
    if (!announced_.load(std::memory_order_relaxed)) return false;
    return away() || now_() < known_until_.load(std::memory_order_relaxed);
}

void Outage::log_line(Level level, std::string const& message, std::initializer_list<LogField> fields) const {
    if (announced_.load(std::memory_order_relaxed)) log(level, message, fields);
}

Outage& database_outage() {
    static Outage outage({.begins = "PostgreSQL can't be reached",
                          .lasts = "PostgreSQL still can't be reached",
                          .ends = "PostgreSQL is reached again",
                          .lost = "PostgreSQL ended sessions of this process, and opens new ones",
                          .means = "reads and writes are answered with 503 until it is back"});
    return outage;
}

Outage& broker_outage() {
    static Outage outage({.begins = "no Kafka broker can be reached",
                          .lasts = "still no Kafka broker can be reached",
                          .ends = "Kafka is reached again",
                          .lost = "",
                          .means = "writes are answered with 503 until one is back; reads go on"});
    return outage;
}

Level quiet_while_away(Level usual) noexcept {
    return database_outage().known() || broker_outage().known() ? Level::debug : usual;
}

}  // namespace workforce::core
