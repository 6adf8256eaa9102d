// Who writes which partition, as every process sees it: a view of the leases that the keeper renews.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/database.hpp"
#include "workers/cluster/leases.hpp"

namespace workforce::workers {

/// A live process, as others reach it.
struct Owner {
    std::string name;
    std::string admin_url;
    int calls = 0;  ///< as Process::calls; 0 as well while that is not known
};

/// What an Owners::Watch waits for.
struct Watched {
    int partition = 0;
    std::string owner;
    std::function<void()> changed;  ///< empty once it was called
};

/// The last known view of processes and leases. A lease that ran out since then counts as nobody's. Thread-safe.
class Owners {
   public:
    /// `self` is this process's name; the database's sessions are of role workforce_writer and outlive this.
    Owners(core::Database& database, std::string self) : database_(database), self_(std::move(self)) {}

    /// This process's name.
    [[nodiscard]] std::string const& self() const { return self_; }

    /// The live process that holds the partition's lease, this one included; nothing while there is none.
    [[nodiscard]] std::optional<Owner> find(int partition, LeaseKind kind = LeaseKind::writer) const;

    /// The processes that lived when the view was read, this one included; none while there is no view.
    [[nodiscard]] std::vector<Process> processes() const;

    /// Whether no other process lives that answers requests (serve or api). False too while that is not known.
    [[nodiscard]] bool alone() const;

    /// Reads the leases anew, unless that was done within the last 100 ms. Resumes on the caller's executor. Trouble
    /// with the database leaves the view as it was.
    boost::asio::awaitable<void> refresh();

    /// For as long as it lives, looks whether another live process than `owner` has taken the partition to write. Then
    /// `changed` is called, once, on any thread; it must not throw, nor use the Owners. May still be under way when the
    /// watch ends.
    class Watch {
       public:
        Watch(Owners& owners, int partition, std::string owner, std::function<void()> changed);
        ~Watch();
        Watch(Watch const&) = delete;
        Watch& operator=(Watch const&) = delete;

       private:
        Owners& owners_;
        std::list<Watched>::iterator self_;
    };

    /// Takes over what a renewal returned.
    void show(ClusterView view);

    /// `wake` is called when refresh() has met a partition that nobody writes. Set it before the first refresh().
    void on_free(std::function<void()> wake) { wake_ = std::move(wake); }

   private:
    using Clock = std::chrono::steady_clock;
    struct Shown {
        ClusterView cluster;
        Clock::time_point at;
    };
    [[nodiscard]] std::shared_ptr<Shown const> shown() const;
    [[nodiscard]] std::vector<std::function<void()>> changes(ClusterView const& view);

    core::Database& database_;
    std::string const self_;
    std::function<void()> wake_;
    mutable std::mutex mutex_;
    std::shared_ptr<Shown const> shown_;
    std::list<Watched> watched_;
    Clock::time_point asked_;  // the last refresh, so that many requests ask once
};

}  // namespace workforce::workers
