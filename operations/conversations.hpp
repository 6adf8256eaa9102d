// What operations on conversations and on their messages share.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <string>
#include <vector>

#include "commands/conversation.hpp"
#include "operations/operation.hpp"

namespace workforce::operations {

/// A conversation as a query gives it.
struct FoundConversation {
    commands::ShownConversation conversation;
    std::int64_t version = 0;
};

/// The conversation, which the caller sees. Errors: NOT_FOUND.
boost::asio::awaitable<core::Result<FoundConversation>> find_conversation(Call& call, core::Id id);

/// Orders of a list, with the default one first: its first key's, but backwards.
std::vector<std::string> latest_first(std::vector<std::string> names);

}  // namespace workforce::operations
