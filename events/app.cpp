// How events of connections to apps fold: the one definition, for the write side's memory and for read models.
#include "events/app.hpp"

#include "events/define_data_codec.hpp"
#include "events/fold.hpp"

namespace workforce::events {
namespace {

void use(AppRecord& record, AppStatus status, Timestamp at) {
    ++record.internals.executions;
    record.lastUsedAt = at;
    // What was under way when it was disconnected does not connect it again.
    if (record.status != AppStatus::disconnected) record.status = status;
}

}  // namespace

void evolve(AppRecord& record, AppEvent const& event, Envelope const& meta) {
    std::visit(Overloaded{[&](AppConnected const& e) {
                              static_cast<AppConnectionDetails&>(record) = e;
                              record.internals.accountId = e.accountId;
                              if (meta.actor.user != 0) record.createdBy = meta.actor.user;
                          },
                          [&](AppDisconnected const&) { record.status = AppStatus::disconnected; },
                          [&](AppExecuted const&) { use(record, AppStatus::connected, meta.time); },
                          [&](AppExecutionFailed const& e) {
                              use(record, e.unauthorized ? AppStatus::error : record.status, meta.time);
                          },
                          [&](AppDeleted const&) { record.deleted = true; },
                          [&](AppErased const&) {
                              erase_personal(static_cast<AppConnectionDetails&>(record));
                              record.status = AppStatus::disconnected;
                          }},
               event);
    stamp(record, meta);
}

template struct DataCodec<AppEvent>;

}  // namespace workforce::events
