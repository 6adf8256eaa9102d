// How events of triggers fold: the one definition, for the write side's memory and for read models.
#include "events/trigger.hpp"

#include "events/define_data_codec.hpp"
#include "events/fold.hpp"

namespace workforce::events {
namespace {

void count_fire(TriggerInternals& hour, Timestamp at) {
    if (hour.fires == 0 || at.ms >= hour.hourStartedAt.ms + kTriggerHourMs) hour = {at, 0};
    ++hour.fires;
}

void count_failure(Trigger& trigger, TriggerError const& error) {
    ++trigger.consecutiveFailures;
    trigger.lastError = error;
}

void end_run(Trigger& trigger, TriggerRunEnded const& ended) {
    if (trigger.lastRunId.value == ended.runId) trigger.lastRunStatus = ended.status;
    if (ended.error.value) {
        count_failure(trigger, *ended.error.value);
    } else if (ended.status == kCompletedRun) {
        trigger.consecutiveFailures = 0;
        trigger.lastError = {};
    }
}

}  // namespace

void evolve(TriggerRecord& record, TriggerEvents const& event, Envelope const& meta) {
    auto& trigger = static_cast<Trigger&>(record);
    std::visit(Overloaded{[&](TriggerCreated const& e) {
                              static_cast<TriggerPlace&>(trigger) = e;
                              static_cast<TriggerDetails&>(trigger) = e;
                              trigger.isEnabled = e.isEnabled;
                              trigger.nextRunAt = e.nextRunAt;
                              if (e.isEnabled) return;
                              trigger.disabledReason = kDisabledByHand;
                              trigger.disabledAt = meta.time;
                          },
                          [&](TriggerUpdated const& e) {
                              merge(trigger, static_cast<TriggerChanges const&>(e));
                              trigger.nextRunAt = e.nextRunAt;
                          },
                          [&](TriggerEnabled const& e) {
                              trigger.isEnabled = true;
                              trigger.consecutiveFailures = 0;
                              trigger.nextRunAt = e.nextRunAt;
                              trigger.disabledReason.clear();
                              trigger.disabledAt = {};
                              trigger.lastError = {};
                          },
                          [&](TriggerDisabled const& e) {
                              trigger.isEnabled = false;
                              trigger.nextRunAt = {};
                              trigger.disabledReason = e.reason;
                              trigger.disabledAt = meta.time;
                          },
                          [&](TriggerDeleted const&) { record.deleted = true; },
                          [&](TriggerFired const& e) {
                              trigger.lastRunId = e.runId;
                              trigger.lastRunStatus = kQueuedRun;
                              trigger.lastFiredAt = meta.time;
                              trigger.nextRunAt = e.nextRunAt;
                              count_fire(record.internals, meta.time);
                          },
                          [&](TriggerDispatchFailed const& e) {
                              count_failure(trigger, e.error);
                              trigger.nextRunAt = e.nextRunAt;
                          },
                          [&](TriggerSkipped const& e) { trigger.nextRunAt = e.nextRunAt; },
                          [&](TriggerRunEnded const& e) { end_run(trigger, e); }},
               event);
    stamp(record, meta);
}

template struct DataCodec<TriggerEvents>;

}  // namespace workforce::events
