// The reactors, each in a source of its name.
#pragma once

#include "workers/engine/reactor.hpp"

namespace workforce::workers {

/// A mail to whoever is assigned to a shift or offered one, for each time; the sandbox sends none. When an organization
/// is deactivated, whatever mail of it waits is dropped. It folds the names and addresses of staff, sealed under each
/// person's key, and what shifts are called and when they are.
ReactorType shift_mail();

/// Notifications to users, each once: who is assigned to a shift, or was assigned to one that is cancelled; who made a
/// webhook subscription or a trigger that the system gave up; and who made or approved a payroll run that failed, in
/// whole or in part. Nothing in them is personal. It folds which users are which staff members, what shifts and
/// subscriptions are called, and whose payroll runs are.
ReactorType notifications();

/// Events to webhook deliveries: one for each subscription that matches an event (domain 7.1). The sandbox has none. It
/// folds subscriptions, and what payloads tell of leads; its work is done by the delivery engine
/// (workers/webhooks/delivery_engine.hpp).
ReactorType webhooks();

/// Approved payroll runs to submissions to their provider, which the engine of workers/payroll/ makes. Of the sandbox,
/// too: its provider is the simulated one. It folds what a provider is told of runs, and what became of each approval.
ReactorType payroll();

/// Outcomes (domain 8). It folds markers of the whole log, for usage; and, for events past acts_after(), rows of
/// ops.billing_outbox, which workers/billing/ sends. Never more than one marker for a request, nor for repeats of a
/// call of a tool within a day.
ReactorType usage();

/// Approvals to what follows them: approved calls that ask somebody outside are carried out, approvers are told of
/// calls that wait, and who asked of what was decided. Nothing in it is personal. It folds nothing: the operations that
/// it asks for read the approval.
ReactorType approvals();

/// Runs of agents to turns of them, which the engine of workers/agents/ asks for. Of the sandbox, too. It keeps a row
/// of work for each run that is queued or running.
ReactorType agent_runs();

/// Events to runs: each event trigger that waits for an event is asked to fire for it, once. It folds what triggers
/// wait for.
ReactorType triggers();

/// Messages that leave by e-mail: a row of work for each. It folds nothing: the operation that it asks for reads the
/// message and its recipients' addresses. What was handed to the mailer counts as sent.
ReactorType message_mail();

}  // namespace workforce::workers
