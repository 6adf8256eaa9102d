// What a partition's memory lacks and gets, and what it lets go of.
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "commands/partition.hpp"
#include "core/logging.hpp"

namespace workforce::commands {
namespace {

using std::chrono::steady_clock;

constexpr std::size_t kAnswerRecords = 1;
/// Memory may hold so many times its share while what is to leave is not stored yet; then commands are refused.
constexpr std::size_t kOverflow = 4;
constexpr std::size_t kLeastOverflow = 1000;
/// A sweep that could not let go of enough is not repeated before that.
constexpr auto kSweepPause = std::chrono::milliseconds(50);

/// The answer that stands there, if it is the one to the request with that key.
std::optional<StoredAnswer> read_answer(events::EventLog& log, events::Keyring& keyring, int partition,
                                        std::int64_t position, std::string const& key) {
    auto const records = log.read(partition, position, kAnswerRecords, events::kMaxRecordBytes);
    auto const events = events::decode_all(records, keyring);
    if (events.empty() || events.front().meta.idempotency_key != key) return std::nullopt;
    return answer_of(events.front(), partition);
}

}  // namespace

std::optional<Needs> Partition::try_stage(Pending& pending, Staged& staged, bool& broken) {
    try {
        stage(pending, staged);
    } catch (NotResident& lack) {
        return std::move(lack.needs);
    } catch (std::exception const& error) {
        // State may be half evolved: nothing of this batch can be trusted.
        core::log(core::Level::error, "a command could not be staged; the partition is folded anew",
                  {{"partition", number_}, {"error", error.what()}});
        broken = true;
        finish(pending, refusal(pending.submission, {Code::internal_error, "The command failed.", {}}));
    }
    return std::nullopt;
}

/// Decides for the needs alone: whatever else comes of it is not what it will be at its turn.
void Partition::add_needs_of(Submission& submission, Needs& needs) {
    try {
        submission.context.now = std::max(core::now(), memory_.last_time);
        auto const view = view_of(submission);
        if (known_answer(submission, view)) return;
        if (auto const decision = decide_safely(submission, view)) require_keys(submission, view, decision->events);
    } catch (NotResident const& lack) {
        needs.insert(lack.needs.begin(), lack.needs.end());
    } catch (std::exception const&) {
        // Its own turn will tell.
    }
}

boost::asio::awaitable<std::optional<core::Problem>> Partition::bring_in(std::vector<Pending>& batch, std::size_t at,
                                                                         Needs needs) {
    for (auto i = at + 1; i < batch.size(); ++i) add_needs_of(batch[i].submission, needs);
    try {
        co_await look_up(std::move(needs));
        co_return std::nullopt;
    } catch (std::exception const& error) {
        core::log(core::Level::warn, "the state that commands need could not be looked up",
                  {{"partition", number_}, {"error", error.what()}});
    }
    co_return core::Problem{Code::service_unavailable, "The state that the command needs can't be looked up.", {}};
}

boost::asio::awaitable<void> Partition::look_up(Needs needs) {
    LookUp wanted{number_, {}, memory_.gone(), {}};
    std::vector<std::string> keys;
    for (auto const& need : needs) {
        if (need.kind == Need::Kind::key) {
            keys.push_back(need.text);
            continue;
        }
        if (need.kind == Need::Kind::hindrance) {
            if (auto const* state = memory_.find(need.organization)) {
                for (auto const& [id, held] : state->shifts) wanted.shifts_here.push_back(id);
            }
        }
        wanted.needs.insert(need);
    }
    Found found;
    std::unordered_map<std::string, StoredAnswer> answers;
    auto const work = [&]() -> boost::asio::awaitable<void> {
        if (!keys.empty()) context_.keyring.prefetch(keys);
        if (!wanted.needs.empty()) found = context_.store->find(wanted);
        for (auto const& [key, position] : found.answers) {
            auto answer = read_answer(context_.log, context_.keyring, number_, position, key);
            if (answer && answer_counts(answer->time, core::now())) answers.emplace(key, *std::move(answer));
        }
        co_return;
    };
    co_await boost::asio::co_spawn(context_.loading, work(), boost::asio::use_awaitable);
    memory_.add(std::move(found));
    for (auto& [key, answer] : answers) memory_.show_answer(key, std::move(answer));
    memory_.note_absent(needs);
    stats_.looked_up.fetch_add(needs.size(), std::memory_order_relaxed);
}

std::size_t Partition::share() const {
    return context_.limits.aggregates / static_cast<std::size_t>(std::max(1, context_.claimed.load()));
}

bool Partition::overflows() const {
    return context_.store && memory_.aggregates() > kOverflow * share() + kLeastOverflow;
}

boost::asio::awaitable<void> Partition::sweep() {
    show_memory();
    if (!context_.store || !claim_) co_return;
    auto const aggregates = share();
    auto const answer_bytes =
        context_.limits.answer_bytes / static_cast<std::size_t>(std::max(1, context_.claimed.load()));
    // Some more may gather before it is worth the question.
    bool const full =
        memory_.aggregates() > aggregates + aggregates / 8 || memory_.answer_bytes() > answer_bytes + answer_bytes / 8;
    if (!full || steady_clock::now() < next_sweep_) co_return;
    try {
        Positions through = kNowhere;
        auto const work = [&]() -> boost::asio::awaitable<void> {
            through = context_.store->through(number_);
            co_return;
        };
        co_await boost::asio::co_spawn(context_.loading, work(), boost::asio::use_awaitable);
        auto const left = memory_.let_go(through, aggregates, answer_bytes);
        stats_.let_go.fetch_add(left, std::memory_order_relaxed);
    } catch (std::exception const& error) {
        core::log(core::Level::warn, "memory could not be let go of",
                  {{"partition", number_}, {"error", error.what()}});
    }
    if (memory_.aggregates() > aggregates || memory_.answer_bytes() > answer_bytes) {
        next_sweep_ = steady_clock::now() + kSweepPause;
    }
    show_memory();
}

boost::asio::awaitable<void> Partition::tidy() {
    {
        std::lock_guard const lock(mutex_);
        if (busy_) co_return;
        busy_ = true;
    }
    co_await sweep();
    spawn_drain();
}

void Partition::show_memory() {
    stats_.aggregates.store(memory_.aggregates(), std::memory_order_relaxed);
    stats_.answers.store(memory_.answers(), std::memory_order_relaxed);
    stats_.lacks_until.store(memory_.answers_lack_until().ms, std::memory_order_relaxed);
}

void Partition::note_crowd(bool crowded) {
    if (std::exchange(crowded_, crowded) == crowded) return;
    core::log(core::Level::warn,
              crowded ? "commands are refused: read models are too far behind for memory to be let go of"
                      : "commands are taken again",
              {{"partition", number_}, {"aggregates", memory_.aggregates()}});
}

std::optional<Need> Partition::answer_to_look_up(Submission const& submission) const {
    if (!submission.idempotency || stats_.lacks_until.load(std::memory_order_relaxed) < core::now().ms) {
        return std::nullopt;
    }
    // What is refused at once needs no look-up.
    if (!open_ || stats_.queued.load(std::memory_order_relaxed) >= context_.queue_limit) return std::nullopt;
    return Need{Need::Kind::answer, submission.context.organization, 0, submission.context.sandbox,
                submission.idempotency->key};
}

}  // namespace workforce::commands
