// What an operation answers, whichever way it was asked.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "core/crypto.hpp"
#include "core/result.hpp"
#include "core/text.hpp"
#include "events/envelope.hpp"
#include "operations/http_binding.hpp"

namespace workforce::operations {

/// An answer, or a refusal in the form that the operation's row names.
struct Outcome {
    std::uint16_t status = 200;
    std::string body{};                           ///< of the type that was asked for, RawInput::answer
    std::optional<core::Code> refused{};          ///< why it is no success; nothing for a refusal that is told again
    std::int64_t version = 0;                     ///< of the resource that the body is; 0: it is no single resource
    std::string location{};                       ///< where what was made can be read, or empty
    std::optional<std::string> session_cookie{};  ///< that browsers are to keep; empty: to drop
    std::string form_source{};       ///< of a page: where its forms lead besides this service, as a policy's source
    std::int64_t retry_after = 0;    ///< of a refusal: in how many seconds to ask again; 0: nobody knows
    bool replayed = false;           ///< the answer of the first request with this idempotency key
    bool unsettled = false;          ///< whoever is asked outside has not said yet what becomes of it
    core::Id facility = 0;           ///< that was touched; 0: none, or it is not known
    core::Id organization = 0;       ///< that was acted on, of a page's form; 0: the call's own
    std::string_view marker{};       ///< of what was achieved (spec 2.6), static text; empty: nothing of the kind
    std::string attachment{};        ///< under which name browsers are to keep the body; empty: they show it
    net::StreamBody stream{};        ///< instead of `body`; has the type that was asked for
    std::string_view static_body{};  ///< instead of `body`: a text that lives as long as the program
    net::HeldBytes held{};           ///< what `body` counts for, where it was counted when it was made
};

/// A short text, kept in place: UTF-8 without a NUL, as whoever writes it to a database needs it.
template <std::size_t Most>
class ShortName {
   public:
    static constexpr std::size_t kMost = Most;

    ShortName() = default;
    /// Keeps the beginning of a longer text, cut between two characters. `text` is UTF-8; a NUL in it becomes a blank.
    explicit ShortName(std::string_view text) {
        auto size = std::min(text.size(), Most);
        auto const is_inside = [&](std::size_t at) { return (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U; };
        while (size < text.size() && size > 0 && is_inside(size)) --size;
        size_ = static_cast<std::uint8_t>(text.copy(text_.data(), size));
        std::replace(text_.begin(), text_.begin() + size_, '\0', ' ');
    }
    [[nodiscard]] std::string_view text() const { return {text_.data(), size_}; }

   private:
    static_assert(Most < 256);
    std::array<char, Most> text_{};
    std::uint8_t size_ = 0;
};
using CorrelationId = ShortName<40>;  // "req_" and a UUID

/// Why an operation was answered with 503, for metrics.
enum class Unavailable : std::uint8_t {
    other,
    database,            ///< it can't be reached
    database_queue,      ///< as many queries wait as may
    log,                 ///< the event log can't be reached
    read_model,          ///< the row that was asked for is not folded yet
    forwarding,          ///< the process that writes the partition can't be reached, or did not answer
    writer,              ///< the partition's writer has no room or memory, or does not serve now
    organization_share,  ///< too many requests of the organization are under way
    reply_bytes,         ///< answers that nobody read fill the organization's share
    streams,             ///< as many streams are open as may
    count
};

/// What others learn of an outcome: usage, metrics, audit. Plain values and views of text that lives as long as the
/// program, so that it is copied without an allocation.
struct Facts {
    std::string_view verb{};  ///< the operation's name; empty: there was none
    std::uint16_t row = 0;    ///< of that operation (Operation::row)
    std::uint16_t status = 0;
    std::optional<core::Code> refused{};
    Unavailable unavailable = Unavailable::other;  ///< where the status is 503
    bool stale = false;                            ///< it may lack the caller's own last write
    bool replayed = false;
    double seconds = 0;         ///< from the whole request to its answer, of a stream to its beginning
    core::Id facility = 0;      ///< the one that the caller is bound to, else the one touched; 0: none, or not known
    std::string_view marker{};  ///< as Outcome
    CorrelationId correlation{};
    std::string_view channel{};  ///< "rest" or "mcp"
    bool by_put = false;         ///< of "rest": by the PUT that does what the operation's PATCH does
    std::string_view tool{};     ///< of MCP: which was called
    ShortName<64> client{};      ///< what an MCP client calls itself
    /// Of a call of a tool: what two calls have in common of which the second is the first one again (domain 8.3).
    std::optional<core::Digest> dedupe{};
    events::ActorType credential_type = events::ActorType::system;  ///< of who asked; system: nobody
    std::string_view credential_kind{};                             ///< as credential_type_of() has it; empty: nobody
    core::Id credential = 0;
    core::Id user = 0;          ///< behind the credential
    core::Id run = 0;           ///< of an agent, whose call it is; 0: none
    core::Id organization = 0;  ///< that it was about, as far as known
    bool sandbox = false;
};
static_assert(std::is_trivially_copyable_v<Facts>);

/// A refusal as text.
std::string render_problem(core::Problem const& problem, std::string_view request_id,
                           ErrorForm form = ErrorForm::envelope);
/// The media type of that text.
MediaType media_type_of(ErrorForm form);

/// The outcome that refuses.
Outcome refusal(core::Problem const& problem, std::string_view request_id, ErrorForm form = ErrorForm::envelope);

}  // namespace workforce::operations
