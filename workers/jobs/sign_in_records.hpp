// What happened at sign-in, on its way from the tables that decide to the log, and links on their way to their users.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <string>
#include <vector>

#include "core/database.hpp"
#include "core/session_pool.hpp"
#include "workers/engine/reactor.hpp"
#include "workers/mail/mailer.hpp"
#include "workers/store/password_store.hpp"

namespace workforce::workers {

/// Asks for what the records of organizations at home in these partitions say, oldest first, some hundred at most; each
/// is done once, also where two processes ask. Ends locks whose time is over, and forgets failures that count no more
/// and records of names that nobody has.
/// Throws core::DatabaseUnavailable, core::DatabaseBusy.
boost::asio::awaitable<void> tell_sign_ins(core::Database& writes, std::vector<int> partitions, AskOperation ask);

/// Deletes links that ended, and passwords of users who never came to be. Throws as tell_sign_ins.
boost::asio::awaitable<void> forget_sign_in_rests(core::Database& writes);

/// Mails the links that were not mailed yet, to users whom the read models show; the id of a mail is its link's. The
/// sessions are as due_session() has them for `readers`, of role workforce_writer for `writers`. `base_url` is where
/// the links lead to. A mail that can't be sent is logged, and tried again. Blocks. Errors: core::DatabaseUnavailable.
void mail_links(core::SessionPool& readers, core::SessionPool& writers, PasswordStore const& passwords, Mailer& mailer,
                std::string const& base_url);

}  // namespace workforce::workers
