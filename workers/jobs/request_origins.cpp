// Deletes in rounds, so that no statement takes long.
#include "workers/jobs/request_origins.hpp"

namespace workforce::workers {
namespace {

constexpr int kOriginsPruned = 5000;  // rows that one statement deletes
constexpr int kOriginRounds = 200;    // such statements in a row

constexpr core::Statement kPruneOrigins{"prune_request_origins", R"(
DELETE FROM auth.request_origin WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM auth.request_origin WHERE at < now() - interval '400 days' LIMIT $1 FOR UPDATE SKIP LOCKED)))"};

}  // namespace

void prune_request_origins(core::SessionPool& sessions) {
    for (int round = 0; round < kOriginRounds; ++round) {
        auto const deleted = sessions.run([](core::Connection& connection) {
            return connection.execute(kPruneOrigins, kOriginsPruned).affected_rows();
        });
        if (deleted < kOriginsPruned) return;
    }
}

}  // namespace workforce::workers
