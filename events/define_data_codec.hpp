// The definition of DataCodec. Heavy to compile: only for the source that has an aggregate's fold, which ends with
// `template struct DataCodec<…>`.
#pragma once

#include <array>
#include <type_traits>
#include <utility>
#include <variant>

#include "events/data_codec.hpp"

namespace workforce::events {

template <class E>
concept NamesKey = requires(E data) { data.sealedFor; };

template <class Group>
void DataCodec<Group>::write(core::JsonWriter& writer, Group const& group) {
    std::visit([&](auto const& data) { core::write_json(writer, data); }, group);
}

template <class Group>
std::string_view DataCodec<Group>::sealed_for(Group const& group) {
    return std::visit(
        []<class E>(E const& data) -> std::string_view {
            if constexpr (NamesKey<E>) {
                static_assert(core::kIsInternal<decltype(E::sealedFor)>, "GET /api/events tells what is not Internal");
                std::string const& key = data.sealedFor;
                return key;
            }
            return {};
        },
        group);
}

template <class Group>
std::span<DataType const> DataCodec<Group>::types() {
    static constexpr auto kTypes = []<class... E>(std::type_identity<std::variant<E...>>) {
        return std::array{DataType{E::kType, E::kVersion, Erasing<E>, NamesKey<E>,
                                   [](core::JsonValue const& value, core::JsonReader& reader) {
                                       E data;
                                       core::JsonType<E>::read(value, data, reader);
                                       return AnyEvent(Group(std::move(data)));
                                   },
                                   [](core::JsonWriter& writer) { core::JsonType<E>::schema(writer); }}...};
    }(std::type_identity<Group>());
    return kTypes;
}

}  // namespace workforce::events
