// Names for the ids in rows: of people and places, and the time and title of shifts.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "operations/dashboard/page_content.hpp"

namespace workforce::operations {

/// A member of a row that holds an id or null, and the member that says beside it what that is.
struct NamedMember {
    enum class What : std::uint8_t { person, shift, user, facility, organization, agent };
    char const* id = nullptr;
    What what = What::person;
    char const* name = nullptr;
};

/// The names that one page needs, each asked for once, of the first hundred. Not thread-safe.
class RowNames {
   public:
    explicit RowNames(Call& page) : page_(page) {}

    /// "Mary Seacole", "Saint Mary's", "2031-03-05, 08:00–16:00, Ward"; "Facility 12" and the like of what the page's
    /// caller does not see. Throws as ask().
    boost::asio::awaitable<std::string> name(NamedMember::What what, Id id);
    /// The name of a staff member, and of a shift, as name().
    boost::asio::awaitable<std::string> person(Id staff) { return name(NamedMember::What::person, staff); }
    boost::asio::awaitable<std::string> shift(Id shift) { return name(NamedMember::What::shift, shift); }
    /// The time zone by whose clocks a facility's times are told; "UTC" of one that they do not see. Throws as ask().
    boost::asio::awaitable<std::string> zone(Id facility);
    /// Adds the list to the content as PageContent::add_rows() does, with names in its rows. Throws as ask().
    boost::asio::awaitable<void> add_list(PageContent& content, std::string_view member, Question question,
                                          std::vector<NamedMember> named, RowMark mark = {});

   private:
    Call& page_;
    std::size_t asked_ = 0;
    std::map<std::pair<NamedMember::What, Id>, std::string> known_;
    std::map<Id, std::string> zones_{};
};

}  // namespace workforce::operations
