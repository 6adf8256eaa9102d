// The head of an answer as bytes, with the fields that every answer has.
#pragma once

#include <cstdint>
#include <ctime>
#include <string>
#include <string_view>

#include "net/http.hpp"

namespace workforce::net {

/// The moment, in seconds of the Unix clock, as IMF-fixdate (RFC 9110 section 5.6.7).
std::string http_date(std::time_t when);

/// What the connection, not the handler, decides about an answer.
struct ReplyFraming {
    bool last = false;      ///< the connection closes after it
    bool http_1_0 = false;  ///< the client must be told of a connection that stays open
};

/// Writes heads. Keeps the fields that change once a second as text, so one for each I/O thread. Not thread-safe.
class ReplyWriter {
   public:
    /// Appends status line and fields of `reply` to `out` (RFC 9112 section 4, RFC 9110 sections 6.6.1 and 8.6):
    /// Date, Server, Content-Type when there is a body, its framing where the status allows one, the reply's own
    /// fields, Connection where it differs from the client's default. Control characters in the reply's fields are sent
    /// as spaces, so that no value can end its field.
    void append_head(std::string& out, Reply const& reply, ReplyFraming framing);

    /// Whether an answer with that status can have a body at all (RFC 9110 section 6.4.1).
    static bool has_body(unsigned status);

   private:
    std::string_view common_fields();

    std::time_t second_ = -1;
    std::string common_fields_;
};

}  // namespace workforce::net
