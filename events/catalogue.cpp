// What holds of events of all aggregates.
#include "events/catalogue.hpp"

#include <string>
#include <type_traits>

namespace workforce::events {

AnyEvent::AnyEvent() = default;
AnyEvent::AnyEvent(AnyEvent const&) = default;
AnyEvent::AnyEvent(AnyEvent&&) noexcept = default;
AnyEvent& AnyEvent::operator=(AnyEvent const&) = default;
AnyEvent& AnyEvent::operator=(AnyEvent&&) noexcept = default;
AnyEvent::~AnyEvent() = default;

bool erases(AnyEvent const& event) {
    return visit_data(event, [](auto const& data) { return Erasing<std::remove_cvref_t<decltype(data)>>; });
}

bool ends(AnyEvent const& event) {
    return visit_data(event, [](auto const& data) { return Ending<std::remove_cvref_t<decltype(data)>>; });
}

std::string_view person_names() {
    static std::string const names = [] {
        std::string all;
        for_each_kind<Kinds>([&](Kind kind, auto) {
            if (is_person(kind)) all += (all.empty() ? "" : ", ") + std::string(core::enum_name(kind)) + "/ID";
        });
        return all;
    }();
    return names;
}

}  // namespace workforce::events
