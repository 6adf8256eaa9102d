// Taking a partition over, from claim to memory.
#pragma once

#include "commands/engine/memory_budget.hpp"

namespace workforce::commands {

/// A take-over ended because the partition is to be given up.
struct Abandoned : std::runtime_error {
    Abandoned() : std::runtime_error("the partition is given up") {}
};

/// Claims a partition and folds its tail into memory. Not thread-safe, but for abandon().
class TakeOver {
   public:
    /// All that is referred to outlives this.
    TakeOver(int partition, PartitionContext const& context, Memory& memory, MemoryBudget& budget,
             PartitionStats& stats)
        : number_(partition), context_(context), memory_(memory), budget_(budget), stats_(stats) {}

    /// Memory is what the log says up to the claim's head; after an error it is of no use.
    /// Errors: events::LogUnavailable, and what else can't be asked; Abandoned; and what lasts: events::UnknownEvent,
    /// events::DamagedEvent, StoreBehind.
    boost::asio::awaitable<events::Claim> run();

    /// Has one that is under way end, and none begin; or no longer.
    void abandon(bool on) { abandoned_ = on; }
    [[nodiscard]] bool abandoned() const { return abandoned_; }

   private:
    /// Waits for the read models while they are far behind and come closer. Returns how far they are.
    boost::asio::awaitable<Positions> await_store();
    /// From where on the log has to be folded, of each residence. Blocks.
    Positions stored();
    void fold(events::Head const& until, Positions const& stored);
    void begin_at(std::int64_t base);
    void fold_page(std::int64_t last, events::SecretEnds& ends);
    Found find_whole(LookUp const& wanted);
    void fold_event(events::Event const& event);
    /// Evicts what was folded, and waits for read models that come closer while there is too much.
    void make_room();

    int const number_;
    PartitionContext const& context_;
    Memory& memory_;
    MemoryBudget& budget_;
    PartitionStats& stats_;
    std::atomic<bool> abandoned_{false};
};

}  // namespace workforce::commands
