// How events of users fold: the one definition, for the write side's memory and for read models.
#include "events/user.hpp"

#include "events/define_data_codec.hpp"
#include "events/fold.hpp"

namespace workforce::events {

void evolve(User& user, UserEvent const& event, Envelope const& meta) {
    std::visit(Overloaded{[&](UserCreated const& e) {
                              static_cast<UserDetails&>(user) = e;
                              if (user.username.value.value.empty()) {
                                  user.username = core::ShortText(user.email.value.value);
                              }
                              if (e.email.erased) user.status = UserStatus::deactivated;
                          },
                          [&](UserErased const&) {
                              erase_personal(static_cast<UserDetails&>(user));
                              user.status = UserStatus::deactivated;
                          }},
               event);
    stamp(user, meta);
}

template struct DataCodec<UserEvent>;

}  // namespace workforce::events
