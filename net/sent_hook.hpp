// What is called once an answer has left.
#pragma once

#include <array>
#include <cstddef>
#include <new>
#include <type_traits>

namespace workforce::net {

/// A function without arguments that is kept in place: small and made of plain values, so that it allocates nothing.
class SentHook {
   public:
    static constexpr std::size_t kRoom = 320;

    SentHook() = default;
    template <class F>
        requires(std::is_trivially_copyable_v<F> && std::is_trivially_destructible_v<F> && sizeof(F) <= kRoom &&
                 alignof(F) <= alignof(std::max_align_t))
    SentHook(F const& function)  // NOLINT(google-explicit-constructor): as std::function
        : call_([](std::byte const* room) { (*std::launder(reinterpret_cast<F const*>(room)))(); }) {
        ::new (room_.data()) F(function);
    }

    explicit operator bool() const { return call_ != nullptr; }
    void operator()() const { call_(room_.data()); }

   private:
    void (*call_)(std::byte const*) = nullptr;
    alignas(std::max_align_t) std::array<std::byte, kRoom> room_{};
};

}  // namespace workforce::net
