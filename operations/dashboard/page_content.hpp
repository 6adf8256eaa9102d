// What a page of the dashboard shows: answers of other operations, asked for as whoever looks at it.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "operations/call.hpp"
#include "operations/outcome.hpp"

namespace workforce::operations {

/// What is asked of another operation.
struct Question {
    std::string_view operation;  ///< its name
    PathParameters path{};       ///< as its row names them
    QueryMap parameters{};
    std::string body = "{}";  ///< a JSON object; of no meaning to what takes none
};

/// The path parameters of what is about one id.
PathParameters path_of(Id id);

/// Asks as the caller of the page does: with their rights, about the organization that the question is about, at the
/// process that writes its partition where the operation is a write. Refusals are outcomes. Throws as handlers do, and
/// std::logic_error for an operation that the table lacks.
boost::asio::awaitable<Outcome> ask(Call& page, Question question,
                                    std::optional<commands::Idempotency> idempotency = {});

/// A refusal as people are told it.
struct PageProblem {
    std::string message;
    std::string hint;
};
BOOST_DESCRIBE_STRUCT(PageProblem, (), (message, hint))

/// The problem that an outcome of ask() is refused with; a text of our own where it says none.
PageProblem problem_of(Outcome const& outcome);

/// The values of a page's template, member by member. Moments are shown to the minute, and what a member named
/// "arguments" or "executionResult" holds as JSON text. Not thread-safe.
class PageContent {
   public:
    explicit PageContent(Call& page);

    /// Asks, and adds the answer; where it is refused, `<member>_refused` with the problem. Returns whether it was
    /// answered. Throws as ask().
    boost::asio::awaitable<bool> add(std::string_view member, Question question);
    /// Adds a member of JSON text.
    void add_json(std::string_view member, std::string_view json);
    /// Adds a member of text.
    void add_text(std::string_view member, std::string_view text);
    /// Adds `may_<operation>`, with '_' for '.', of those that the caller may ask for.
    void add_rights(std::initializer_list<std::string_view> operations);
    /// Fills the template. Adds nothing afterwards.
    [[nodiscard]] std::string fill(std::string_view text);

   private:
    Call& page_;
    core::JsonWriter values_;
};

/// Whether the caller may ask for the operation of that name.
bool may_ask(Caller const& caller, std::string_view operation);

}  // namespace workforce::operations
