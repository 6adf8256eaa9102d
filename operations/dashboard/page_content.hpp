// What a page of the dashboard shows: answers of other operations, asked for as whoever looks at it.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "operations/call.hpp"
#include "operations/outcome.hpp"

namespace workforce::operations {

/// A question to another operation.
struct Question {
    std::string_view operation;  ///< its name
    PathParameters path{};       ///< as its row names them
    QueryMap parameters{};
    std::string body = "{}";   ///< a JSON object; of no meaning to what takes none
    std::int64_t version = 0;  ///< that what it acts on has to have (as If-Match); 0: any
};

/// The path parameters of what is about one id.
PathParameters path_of(Id id);

/// Asks as the caller of the page does: with their rights, about the organization that the question is about, at the
/// process that writes its partition where the operation is a write. A page waits once for a read model that is behind,
/// and says then that it may be stale (Call::stale). Refusals are outcomes. Throws as handlers do, and std::logic_error
/// for an operation that the table lacks.
boost::asio::awaitable<Outcome> ask(Call& page, Question question);
/// Asks what a form of the page asks, once under its idempotency key: where the same form is being carried out already,
/// its answer is awaited for some seconds. The outcome names the organization that it acted on. Throws as ask().
boost::asio::awaitable<Outcome> ask_by_form(Call& page, Question question, commands::Idempotency idempotency);

/// The text that tells people of a refusal of ask().
std::string problem_of(Outcome const& outcome);

/// A parameter of the page's address; "" where it has none.
std::string parameter_of(Call const& page, std::string_view name);

using Allocator = rapidjson::Document::AllocatorType;
/// Adds members to a row of a list.
using RowMark = std::function<void(core::JsonValue& row, Allocator& allocator)>;

/// The values of a page's template, member by member. Moments are shown to the minute, and what a member named
/// "arguments" or "executionResult" holds as JSON text. Not thread-safe.
class PageContent {
   public:
    explicit PageContent(Call& page);

    /// Asks, and adds the answer. What the caller may not ask is left out; of any other refusal, and of a list that has
    /// more than its page, the page says so. Returns whether it was answered. Throws as ask().
    boost::asio::awaitable<bool> add(std::string_view member, Question question);
    /// As add(), of a list, whose rows get what `mark` adds.
    boost::asio::awaitable<bool> add_rows(std::string_view member, Question question, RowMark mark);
    /// As add(), of the one thing that the page is about, as take_subject() takes it: its forms tell of its version.
    /// Returns the answer, an object;
    /// nothing where it was refused.
    boost::asio::awaitable<std::optional<rapidjson::Document>> add_subject(std::string_view member, Question question);
    /// Takes the answer about the one thing that the page is about: a refusal is the page's own, with its status.
    /// Returns whether it is none.
    bool take_subject(Outcome const& outcome);
    /// Has the page say something about itself.
    void remark(std::string text) { remarks_.push_back(std::move(text)); }
    /// Adds the outcome's body as the member, as add() does. Returns whether it is an answer.
    bool take(std::string_view member, Outcome const& outcome);
    /// Calls the page by what it shows.
    void set_title(std::string title) { title_ = std::move(title); }
    /// Adds a member of JSON text.
    void add_json(std::string_view member, std::string_view json);
    /// Adds a member of text.
    void add_text(std::string_view member, std::string_view text);
    /// Adds `may_<operation>`, with '_' for '.', of those that the caller may ask for.
    void add_rights(std::initializer_list<std::string_view> operations);
    /// The refusal of what the page is about; null: there is none.
    [[nodiscard]] Outcome const* refusal() const { return refusal_ ? &*refusal_ : nullptr; }
    /// The title that the page gave itself; empty: none.
    [[nodiscard]] std::string const& title() const { return title_; }
    /// Fills the template. Adds nothing afterwards.
    [[nodiscard]] std::string fill(std::string_view text);

   private:
    Call& page_;
    core::JsonWriter values_;
    std::vector<std::string> remarks_;
    std::string title_;
    std::optional<Outcome> refusal_;
    std::int64_t version_ = 0;  // of the one thing that the page is about
};

/// The value as JSON text for people to read.
std::string indented_json(core::JsonValue const& value);

/// Whether the caller may ask for the operation of that name.
bool may_ask(Caller const& caller, std::string_view operation);

}  // namespace workforce::operations
