// Finding the owner of a partition, and finding it once more.
#include "api/cluster.hpp"

namespace workforce::api {

boost::asio::awaitable<core::Result<Reply>> Cluster::send_to_owner(int partition, Request const& request,
                                                                   ForwardedFrom const& from) const {
    core::Result<Reply> answer =
        core::refuse(core::Code::service_unavailable, "No process serves this organization at the moment.");
    for (bool again : {false, true}) {
        if (again) co_await owners.refresh();
        auto const owner = owners.find(partition);
        if (!owner || owner->name == owners.self()) continue;
        answer = co_await forwarder.forward(owner->admin_url, request, from);
        if (answer || answer.error().code != core::Code::service_unavailable) break;  // it may have got there
    }
    co_return answer;
}

}  // namespace workforce::api
