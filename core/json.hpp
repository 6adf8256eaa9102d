// One mapper between described structs and JSON: writes, reads with every fault named, and emits JSON Schema.
//
// A struct joins by BOOST_DESCRIBE_STRUCT next to it, an enum by BOOST_DESCRIBE_ENUM; wire names are the C++ names,
// without a trailing '_' (which keywords need). Other types specialise JsonType. A member is required unless it is
// std::optional or AbsentOrNull, or the struct has a static kRequired list that leaves it out, in which case it keeps
// its default. A struct with rules between its members has `void check(FieldCheck&) const`. One with a member of the
// same name as a base's has `static constexpr bool kHidesMembers = true`.
#pragma once

#include <rapidjson/document.h>
#include <array>
#include <boost/describe.hpp>
#include <boost/mp11.hpp>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json_fields.hpp"
#include "core/json_io.hpp"
#include "core/result.hpp"

namespace workforce::core {

/// How a type maps: write(JsonWriter&, T const&), read(JsonValue const&, T&, JsonReader&), schema(JsonWriter&) which
/// writes the members of an open schema object.
template <class T>
struct JsonType;

/// A value or null on the wire; std::optional is a member that may be absent.
template <class T>
struct Nullable {
    std::optional<T> value;

    Nullable() = default;
    Nullable(T v) : value(std::move(v)) {}  // NOLINT(google-explicit-constructor): stands for its value
    bool operator==(Nullable const&) const = default;
};

/// A member that a request may leave out, or give as null. Answers and read models show null; events leave it out.
template <class T>
struct AbsentOrNull {
    using value_type = T;
    std::optional<T> value;

    AbsentOrNull() = default;
    AbsentOrNull(T v) : value(std::move(v)) {}  // NOLINT(google-explicit-constructor): stands for its value
    [[nodiscard]] bool has_value() const { return value.has_value(); }
    explicit operator bool() const { return has_value(); }
    T& operator*() { return *value; }
    T const& operator*() const { return *value; }
    bool operator==(AbsentOrNull const&) const = default;
};

template <class T>
concept DescribedStruct = std::is_class_v<T> && boost::describe::has_describe_members<T>::value;
template <class T>
concept DescribedEnum = boost::describe::has_describe_enumerators<T>::value;

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;
template <class T>
inline constexpr bool kIsOptional<AbsentOrNull<T>> = true;

/// Whether a type is Personal (core/text.hpp).
template <class T>
inline constexpr bool IsPersonal = false;
/// Whether a member of that type is, where it is there.
template <class T>
inline constexpr bool kIsPersonalMember = IsPersonal<T>;
template <class T>
inline constexpr bool kIsPersonalMember<std::optional<T>> = IsPersonal<T>;
template <class T>
inline constexpr bool kIsPersonalMember<AbsentOrNull<T>> = IsPersonal<T>;

/// Whether a type is Internal (core/text.hpp).
template <class T>
inline constexpr bool kIsInternal = false;

/// The wire name of a described member or enumerator.
constexpr std::string_view wire_name(char const* name) {
    std::string_view v = name;
    if (v.ends_with('_')) v.remove_suffix(1);
    return v;
}

/// Whether a struct says, by kHidesMembers, that a member of it has the name of one of a base's, which it hides.
template <class T>
concept HidesMembers = requires { requires T::kHidesMembers; };

/// The members of a described struct with those of its bases first. Boost's own walk over bases looks for members that
/// hide others, which costs the compiler most of what a description costs, so it is asked only where there are such.
template <class T>
struct MembersOf {
    template <class Base>
    using OfBase = typename MembersOf<typename Base::type>::type;
    using type = boost::mp11::mp_apply<
        boost::mp11::mp_append,
        boost::mp11::mp_push_back<
            boost::mp11::mp_transform<OfBase, boost::describe::describe_bases<T, boost::describe::mod_any_access>>,
            boost::describe::describe_members<T, boost::describe::mod_any_access>>>;
};
template <HidesMembers T>
struct MembersOf<T> {
    using type = boost::describe::describe_members<T, boost::describe::mod_any_access | boost::describe::mod_inherited>;
};
template <class T>
using Members = typename MembersOf<T>::type;

/// Whether an absent member is a fault.
template <class T, class Member>
constexpr bool is_required(std::string_view name) {
    if constexpr (kIsOptional<Member>) {
        return false;
    } else if constexpr (requires { T::kRequired; }) {
        for (std::string_view required : T::kRequired) {
            if (required == name) return true;
        }
        return false;
    } else {
        return true;
    }
}

/// Writes any mapped value.
template <class T>
void write_json(JsonWriter& writer, T const& value) {
    JsonType<T>::write(writer, value);
}

/// The JSON text of a mapped value, personal fields in clear.
template <class T>
std::string to_json(T const& value) {
    JsonWriter writer;
    write_json(writer, value);
    return writer.take();
}

template <>
struct JsonType<bool> {
    static void write(JsonWriter& w, bool v) { w.boolean(v); }
    static void read(JsonValue const& v, bool& out, JsonReader& r);
    static void schema(JsonWriter& w) { w.member("type", "boolean"); }
};

template <class T>
    requires(std::integral<T> && !std::same_as<T, bool>)
struct JsonType<T> {
    static void write(JsonWriter& w, T v) { w.integer(static_cast<std::int64_t>(v)); }
    static void read(JsonValue const& v, T& out, JsonReader& r) {
        if (!v.IsInt64() || !std::in_range<T>(v.GetInt64())) return r.fail("type", "must be an integer");
        out = static_cast<T>(v.GetInt64());
    }
    static void schema(JsonWriter& w) { w.member("type", "integer"); }
};

template <>
struct JsonType<double> {
    static void write(JsonWriter& w, double v) { w.number(v); }
    static void read(JsonValue const& v, double& out, JsonReader& r);
    static void schema(JsonWriter& w) { w.member("type", "number"); }
};

template <>
struct JsonType<std::string> {
    static void write(JsonWriter& w, std::string const& v) { w.string(v); }
    static void read(JsonValue const& v, std::string& out, JsonReader& r);
    static void schema(JsonWriter& w) { w.member("type", "string"); }
};

template <class T>
struct JsonType<std::optional<T>> {
    static void write(JsonWriter& w, std::optional<T> const& v) { write_json(w, *v); }
    static void read(JsonValue const& v, std::optional<T>& out, JsonReader& r) {
        JsonType<T>::read(v, out.emplace(), r);
    }
    static void schema(JsonWriter& w) { JsonType<T>::schema(w); }
};

template <class T>
struct JsonType<Nullable<T>> {
    static void write(JsonWriter& w, Nullable<T> const& v) {
        if (v.value) {
            write_json(w, *v.value);
        } else {
            w.null();
        }
    }
    static void read(JsonValue const& v, Nullable<T>& out, JsonReader& r) {
        if (v.IsNull()) {
            out.value.reset();
        } else {
            JsonType<T>::read(v, out.value.emplace(), r);
        }
    }
    static void schema(JsonWriter& w) {
        w.key("anyOf");
        w.begin_array();
        w.begin_object();
        JsonType<T>::schema(w);
        w.end_object();
        w.begin_object();
        w.member("type", "null");
        w.end_object();
        w.end_array();
    }
};

template <class T>
struct JsonType<AbsentOrNull<T>> {
    static void write(JsonWriter& w, AbsentOrNull<T> const& v) { write_json(w, *v); }
    static void read(JsonValue const& v, AbsentOrNull<T>& out, JsonReader& r) {
        if (v.IsNull()) return out.value.reset();
        JsonType<T>::read(v, out.value.emplace(), r);
    }
    static void schema(JsonWriter& w) { JsonType<T>::schema(w); }
};

template <class T>
struct JsonType<std::vector<T>> {
    static constexpr std::size_t kMaxItems = 100;  // of arrays from outside, unless a type says otherwise

    static void write(JsonWriter& w, std::vector<T> const& v) {
        w.begin_array();
        for (T const& item : v) write_json(w, item);
        w.end_array();
    }
    static void read(JsonValue const& v, std::vector<T>& out, JsonReader& r) {
        if (!v.IsArray()) return r.fail("type", "must be an array");
        if (r.outside() && v.Size() > kMaxItems) return r.fail("max_items", "takes at most 100 items");
        out.clear();
        out.reserve(v.Size());
        for (rapidjson::SizeType i = 0; i < v.Size(); ++i) {
            PathGuard at(r.path(), i);
            JsonType<T>::read(v[i], out.emplace_back(), r);
        }
    }
    static void schema(JsonWriter& w) {
        w.member("type", "array");
        w.key("items");
        w.begin_object();
        JsonType<T>::schema(w);
        w.end_object();
    }
};

/// A row for each descriptor of the list: what `make` returns for it.
template <class Row, template <class...> class List, class... D>
constexpr std::array<Row, sizeof...(D)> rows_of(List<D...> const*, auto make) {
    return { {make.template operator()<D>()...} };
}

/// The table of a described enumeration.
template <DescribedEnum T>
inline constexpr auto kEnumerators =
    rows_of<Enumerator>(static_cast<boost::describe::describe_enumerators<T> const*>(nullptr),
                        []<class D>() { return Enumerator{wire_name(D::name), static_cast<std::int64_t>(D::value)}; });

template <DescribedEnum T>
struct JsonType<T> {
    static void write(JsonWriter& w, T v) { w.string(name(v)); }
    static void read(JsonValue const& v, T& out, JsonReader& r) {
        if (auto found = read_enum(v, kEnumerators<T>, r)) out = static_cast<T>(*found);
    }
    static void schema(JsonWriter& w) { write_enum_schema(w, kEnumerators<T>); }

    static std::string_view name(T v) { return enumerator_name(static_cast<std::int64_t>(v), kEnumerators<T>); }
    static std::optional<T> parse(std::string_view text) {
        auto const found = enumerator_value(text, kEnumerators<T>);
        return found ? std::optional(static_cast<T>(*found)) : std::nullopt;
    }
};

/// The wire name of an enumerator.
template <DescribedEnum T>
std::string_view enum_name(T value) {
    return JsonType<T>::name(value);
}
/// The enumerator of a wire name, or nothing.
template <DescribedEnum T>
std::optional<T> parse_enum(std::string_view name) {
    return JsonType<T>::parse(name);
}

/// The type of T's member `D`, a descriptor.
template <class T, class D>
using MemberType = std::remove_cvref_t<decltype(std::declval<T const&>().*D::pointer)>;

/// A row for each member of T: what `make` returns for its descriptor.
template <class T, class Row>
constexpr auto table_of(auto make) {
    return rows_of<Row>(static_cast<Members<T> const*>(nullptr), make);
}

/// Where T's member `D` is within an object that is a T.
template <class T, class D>
void const* at_member(void const* object) {
    return &(static_cast<T const*>(object)->*D::pointer);
}
/// Whether an absent member is written as null, where the writer shows it.
template <class M>
inline constexpr bool kShownAsNull = false;
template <class T>
inline constexpr bool kShownAsNull<AbsentOrNull<T>> = true;
/// What tells whether the member has anything to write; null of those that always have.
template <class M>
constexpr auto presence_of() -> bool (*)(void const*) {
    if constexpr (kIsOptional<M>) {
        return [](void const* member) { return static_cast<M const*>(member)->has_value(); };
    } else {
        return nullptr;
    }
}
/// Writes a member that is an M.
template <class M>
void write_member(JsonWriter& w, void const* member) {
    JsonType<M>::write(w, *static_cast<M const*>(member));
}
/// Reads a member that is an M.
template <class M>
void read_member(JsonValue const& v, void* member, JsonReader& r) {
    JsonType<M>::read(v, *static_cast<M*>(member), r);
}

/// The tables of a described struct. Each is made where it is used: answers are never read, commands never written.
template <DescribedStruct T>
inline constexpr auto kFieldWrites = table_of<T, FieldWrite>([]<class D>() {
    using M = MemberType<T, D>;
    return FieldWrite{
        wire_name(D::name), &at_member<T, D>, presence_of<M>(), kShownAsNull<M>, kIsPersonalMember<M> || kIsInternal<M>,
        &write_member<M>};
});
template <DescribedStruct T>
inline constexpr auto kFieldReads = table_of<T, FieldRead>([]<class D>() {
    using M = MemberType<T, D>;
    return FieldRead{wire_name(D::name), is_required<T, M>(wire_name(D::name)), &at_member<T, D>, &read_member<M>};
});
template <DescribedStruct T>
inline constexpr auto kFieldSchemas = table_of<T, FieldSchema>([]<class D>() {
    using M = MemberType<T, D>;
    return FieldSchema{wire_name(D::name), is_required<T, M>(wire_name(D::name)), &JsonType<M>::schema};
});

template <DescribedStruct T>
struct JsonType<T> {
    static void write(JsonWriter& w, T const& v) {
        w.begin_object();
        write_members(w, v);
        w.end_object();
    }
    /// The members alone, into an object that is already open.
    static void write_members(JsonWriter& w, T const& v) { write_fields(w, &v, kFieldWrites<T>); }
    static void read(JsonValue const& v, T& out, JsonReader& r) {
        if (!v.IsObject()) return r.fail("type", "must be an object");
        auto const before = r.errors().size();
        read_fields(v, &out, kFieldReads<T>, r);
        if (!r.outside()) return;
        if constexpr (requires(FieldCheck& check) { out.check(check); }) {
            FieldCheck check(r, before);
            out.check(check);
        }
        note_unknown_fields(v, kFieldReads<T>, r);
    }
    static void schema(JsonWriter& w) { write_object_schema(w, kFieldSchemas<T>); }
};

/// Parses text to a document. Refuses what is no JSON, is nested more than 32 deep, or follows the value.
/// Errors: VALIDATION_ERROR with details.reason "invalid_json".
Result<rapidjson::Document> parse_json(std::string_view text);

/// VALIDATION_ERROR naming all fields in `details.fields`.
Problem validation_problem(std::vector<FieldError> const& errors);

/// Reads stored text of ours (a read model's row, an event's data).
/// Errors: throws std::runtime_error naming the first faulty field, for stored text is not supposed to be faulty.
template <class T>
T from_stored_json(std::string_view text) {
    auto document = parse_json(text);
    if (!document) throw std::runtime_error("stored JSON does not parse: " + document.error().message);
    T value;
    JsonReader reader(JsonReader::Trust::stored);
    JsonType<T>::read(*document, value, reader);
    if (!reader.errors().empty()) {
        auto const& e = reader.errors().front();
        throw std::runtime_error("stored JSON: " + e.field + " " + e.message);
    }
    return value;
}

}  // namespace workforce::core
