// What people know the ids in rows by: names of staff members, and when and what a shift is.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "operations/dashboard/page_content.hpp"

namespace workforce::operations {

/// A member of a row that holds an id, and the member that says beside it what that is.
struct NamedMember {
    enum class What : std::uint8_t { person, shift };
    char const* id = nullptr;
    What what = What::person;
    char const* name = nullptr;
};

/// The names that one page needs, each asked for once, of the first hundred. Not thread-safe.
class RowNames {
   public:
    explicit RowNames(Call& page) : page_(page) {}

    /// "Mary Seacole"; "Staff member 12" of somebody whom the page's caller does not see. Throws as ask().
    boost::asio::awaitable<std::string> person(Id staff);
    /// "2031-03-05, 08:00–16:00, Ward"; "Shift 12" of one that they do not see. Throws as ask().
    boost::asio::awaitable<std::string> shift(Id shift);
    /// Adds the list to the content as PageContent::add_rows() does, with names in its rows. Throws as ask().
    boost::asio::awaitable<void> add_list(PageContent& content, std::string_view member, Question question,
                                          std::vector<NamedMember> named, RowMark mark = {});

   private:
    boost::asio::awaitable<Outcome> look_up(std::string_view operation, Id id);

    Call& page_;
    std::size_t asked_ = 0;
    std::map<Id, std::string> people_;
    std::map<Id, std::string> shifts_;
};

}  // namespace workforce::operations
