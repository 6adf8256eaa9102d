// Leases: which processes live, and which of them writes each partition and folds it into read models. Liveness only;
// safety is the log's epoch, and the projections' checkpoints.
#pragma once

#include <boost/describe/enum.hpp>
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/connection.hpp"
#include "core/time.hpp"

namespace workforce::workers {

/// How long a lease or a heartbeat lives without being renewed, by the database's clock.
inline constexpr std::chrono::milliseconds kLeaseLife{3000};

/// What a lease is for: to write a partition, or to fold it into read models.
enum class LeaseKind : std::uint8_t { writer, projector };
BOOST_DESCRIBE_ENUM(LeaseKind, writer, projector)

/// What a process does: `serve` both and takes everything, the others one of them and share it.
enum class Role : std::uint8_t { serve, api, workers };
BOOST_DESCRIBE_ENUM(Role, serve, api, workers)

/// The newest revision of calls between processes (api/cluster/call_message.hpp) that this program takes.
inline constexpr int kCallRevision = 6;
/// The first one whose processes are told of a person's session.
inline constexpr int kSessionsSince = 6;
/// The first one whose processes are told of tools.
inline constexpr int kToolsSince = 5;
/// The first one whose processes know retries of the command line's requests.
inline constexpr int kRequestKeysSince = 4;
/// The oldest that it sends, to processes of the release before.
inline constexpr int kOldestCallRevision = 2;

/// Whether two processes of these roles may live at the same time: `serve` is alone, also with its like.
constexpr bool may_live_beside(Role one, Role other) { return one != Role::serve && other != Role::serve; }

/// Whether processes of that role take leases of that kind.
constexpr bool may_hold(Role role, LeaseKind kind) {
    return role == Role::serve || (role == Role::api) == (kind == LeaseKind::writer);
}

/// A process that lives, or died not long ago.
struct Process {
    std::string owner;  ///< its name
    Role role = Role::serve;
    std::string admin_url;
    core::Timestamp started_at;
    std::chrono::milliseconds left{0};  ///< until its heartbeat runs out; it lives while that is positive
    bool may_write = true;              ///< false while its clock is wrong or it does not hear the log: it has no share
    std::string trouble{};              ///< which of these: kClockTrouble, kLogTrouble, or both, with a comma between
    core::Timestamp seen_at{};          ///< its last heartbeat
    int calls = 0;                      ///< revision of the calls that it takes from other processes; 0: none
};

/// A partition's lease of one kind.
struct Lease {
    LeaseKind kind = LeaseKind::writer;
    int partition = 0;
    std::string owner;  ///< empty: it was given back
    std::string admin_url;
    std::int64_t epoch = 0;             ///< of the writer's claim; 0 before it
    std::chrono::milliseconds left{0};  ///< it holds while that is positive
    std::string given_up_by{};          ///< who could not take up its work and left it to others; empty: nobody
};

/// Who lives and who holds what, at one moment.
struct ClusterView {
    std::vector<Process> processes;  ///< by their start
    std::vector<Lease> leases;       ///< by kind and partition, free ones too
};

/// What keeps a process from writing.
inline constexpr std::string_view kClockTrouble = "clock";
inline constexpr std::string_view kLogTrouble = "log";

/// The process that renews.
struct Member {
    std::string owner;
    Role role = Role::serve;
    std::string admin_url;
    std::vector<std::string> master_keys{};  ///< ids of those that it knows, the one that it uses first
};

/// A lease to give back.
struct Given {
    LeaseKind kind = LeaseKind::writer;
    int partition = 0;
    bool given_up = false;  ///< because its work can't be taken up here
};

/// What a renewal changes beside renewing all that the process holds.
struct Changes {
    std::vector<std::pair<int, std::int64_t>> epochs{};  ///< of its claims, by partition
    std::vector<Given> give{};
    int take_writers = 0;  ///< how many free leases to take at most
    int take_projectors = 0;
    bool from_anyone = false;                          ///< take leases that others hold as well
    bool given_up = false;                             ///< take those as well that this process itself gave up
    std::string trouble{};                             ///< as of Process; where there is some, takes no writer's lease
    int partitions = std::numeric_limits<int>::max();  ///< of the log as the process knows it: takes no others
};

/// Makes the rows of leases that are not there yet. Blocks.
void prepare_leases(core::Connection& connection, int partitions);

/// Keeps processes from entering, and from activating events, until the transaction's end. Blocks.
void lock_processes(core::Connection& connection);

/// Announces a process that starts, and which events it reads, unless one lives that it can't run beside: `serve` keeps
/// to itself what others have to know, so it and all others keep each other out. Returns such a process; nothing once
/// this one is announced, for kLeaseLife. Of two that start at once one is first. Errors: as require_activated_known(),
/// and for a master key in use that is not the member's. Blocks.
std::optional<Process> enter(core::Connection& connection, Member const& member);

/// Renews the process's heartbeat and leases, and takes and gives what `changes` says: one statement, which waits for
/// no other process. Returns what stands then. Blocks.
ClusterView renew(core::Connection& connection, Member const& member, Changes const& changes);

/// Gives back all that the process holds, and its heartbeat. Blocks.
void give_back(core::Connection& connection, std::string const& owner);

/// What stands now. The session may be of role workforce_writer or workforce_reader. Blocks.
ClusterView read_cluster(core::Connection& connection);

/// Whether the process holds that lease at this moment. Blocks.
bool holds(core::Connection& connection, std::string const& owner, LeaseKind kind, int partition);

/// A live lease of any process and kind; or that of the process that writes the partition. Blocks.
std::optional<Lease> live_lease(core::Connection& connection);
std::optional<Lease> live_lease(core::Connection& connection, int partition);

}  // namespace workforce::workers
