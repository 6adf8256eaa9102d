// When a call travels, and as what.
#include "api/cluster/owner_call.hpp"

#include <string>
#include <string_view>
#include <utility>

#include "core/json_values.hpp"
#include "operations/commands.hpp"
#include "workers/cluster/leases.hpp"

namespace workforce::api {
namespace {

/// For a partition that is on its way from one process to another. A killed owner's lease has to run out before another
/// process claims the partition and folds its tail.
constexpr std::chrono::milliseconds kHandOverPatience = workers::kLeaseLife + std::chrono::seconds(2);

}  // namespace

bool is_for_owner(operations::Call const& call) {
    return call.caller && call.operation.effect != operations::Effect::read && call.operation.appends;
}

boost::asio::awaitable<bool> is_served_elsewhere(commands::Processor& processor, core::Id organization) {
    auto const home = co_await processor.homes().find(organization);
    co_return home >= 0 && !processor.owns(home) && !fails_here(processor, home);
}

boost::asio::awaitable<core::Result<std::optional<OwnerAnswer>>> ask_owner(Cluster const& cluster,
                                                                           operations::Call& call, SentOn const& sent) {
    auto& processor = call.services.processor;
    auto const home = co_await processor.homes().find(call.meta.organization);
    auto const here = [&] { return processor.owns(home); };
    if (home < 0 || here()) co_return std::nullopt;
    auto const patience = fails_here(processor, home) ? std::chrono::milliseconds(0) : kHandOverPatience;
    ForwardedCall to_owner{message_of(call, sent.from.client_address), sent.body, sent.request, sent.from};
    to_owner.limit += call.operation.waits;
    if (sent.asks_only) to_owner.message.asksOnly = true;
    to_owner.sent_before = &call.sent_before;
    co_return co_await cluster.send_to_owner(home, to_owner, here, patience);
}

boost::asio::awaitable<operations::Outcome> perform_call(Cluster const* cluster, operations::Call& call,
                                                         ForwardedFrom const& from,
                                                         operations::Unavailable& unavailable) {
    if (cluster != nullptr && is_for_owner(call)) {
        auto const body = call.input.body && *call.input.body ? core::json_of(**call.input.body) : std::string();
        auto asked = co_await ask_owner(*cluster, call, {body, from});
        if (!asked) {
            unavailable = operations::Unavailable::forwarding;
            co_return operations::refuse(call, asked.error());
        }
        if (*asked && (*asked)->answer) co_return std::move((*asked)->answer->outcome);
    }
    auto outcome = co_await call.operation.handler(call);
    if (outcome.refused == core::Code::service_unavailable) unavailable = operations::reason_of(call);
    co_return outcome;
}

boost::asio::awaitable<operations::Outcome> recall_call(Cluster const* cluster, operations::Call& call,
                                                        ForwardedFrom const& from) {
    if (cluster != nullptr && is_for_owner(call)) {
        auto asked = co_await ask_owner(*cluster, call, {.body = {}, .from = from, .asks_only = true});
        if (!asked) co_return operations::refuse(call, asked.error());
        if (*asked && (*asked)->answer) co_return std::move((*asked)->answer->outcome);
    }
    co_return co_await operations::recall_answer(call);
}

}  // namespace workforce::api
