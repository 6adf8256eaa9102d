// What holds of events of all aggregates.
#include "events/catalogue.hpp"

#include <concepts>
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

}  // namespace workforce::events
