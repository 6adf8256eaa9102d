// One mapper between described structs and JSON: writes, reads with every fault named, and emits JSON Schema.
//
// A struct joins by BOOST_DESCRIBE_STRUCT next to it, an enum by BOOST_DESCRIBE_ENUM; wire names are the C++ names,
// without a trailing '_' (which keywords need). Other types specialise JsonType. A member is required unless it is
// std::optional or AbsentOrNull, or the struct has a static kRequired list that leaves it out, in which case it keeps
// its default. A struct with rules between its members has `void check(FieldCheck&) const`.
#pragma once

#include <rapidjson/document.h>
#include <boost/describe.hpp>
#include <boost/mp11.hpp>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

/// A member that may be absent, as std::optional is; in a request null says the same.
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

/// The wire name of a described member or enumerator.
constexpr std::string_view wire_name(char const* name) {
    std::string_view v = name;
    if (v.ends_with('_')) v.remove_suffix(1);
    return v;
}

/// The members of a described struct with those of its bases first.
template <class T>
using Members = boost::describe::describe_members<T, boost::describe::mod_any_access | boost::describe::mod_inherited>;

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
    static void read(JsonValue const& v, bool& out, JsonReader& r) {
        if (!v.IsBool()) return r.fail("type", "must be true or false");
        out = v.GetBool();
    }
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
    static void read(JsonValue const& v, double& out, JsonReader& r) {
        if (!v.IsNumber()) return r.fail("type", "must be a number");
        out = v.GetDouble();
    }
    static void schema(JsonWriter& w) { w.member("type", "number"); }
};

template <>
struct JsonType<std::string> {
    static void write(JsonWriter& w, std::string const& v) { w.string(v); }
    static void read(JsonValue const& v, std::string& out, JsonReader& r) {
        if (!v.IsString()) return r.fail("type", "must be a string");
        out.assign(v.GetString(), v.GetStringLength());
    }
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

template <DescribedEnum T>
struct JsonType<T> {
    using Enumerators = boost::describe::describe_enumerators<T>;

    static void write(JsonWriter& w, T v) { w.string(name(v)); }
    static void read(JsonValue const& v, T& out, JsonReader& r) {
        if (!v.IsString()) return r.fail("type", "must be a string");
        if (auto found = parse({v.GetString(), v.GetStringLength()})) {
            out = *found;
        } else {
            r.fail("enum", "must be one of " + list());
        }
    }
    static void schema(JsonWriter& w) {
        w.member("type", "string");
        w.key("enum");
        w.begin_array();
        boost::mp11::mp_for_each<Enumerators>([&](auto d) { w.string(wire_name(d.name)); });
        w.end_array();
    }

    static std::string_view name(T v) {
        std::string_view found;
        boost::mp11::mp_for_each<Enumerators>([&](auto d) {
            if (d.value == v) found = wire_name(d.name);
        });
        return found;
    }
    static std::optional<T> parse(std::string_view text) {
        std::optional<T> found;
        boost::mp11::mp_for_each<Enumerators>([&](auto d) {
            if (wire_name(d.name) == text) found = d.value;
        });
        return found;
    }
    static std::string list() {
        std::string names;
        boost::mp11::mp_for_each<Enumerators>([&](auto d) {
            if (!names.empty()) names += ", ";
            names += wire_name(d.name);
        });
        return names;
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

template <DescribedStruct T>
struct JsonType<T> {
    static void write(JsonWriter& w, T const& v) {
        w.begin_object();
        write_members(w, v);
        w.end_object();
    }
    /// The members alone, into an object that is already open.
    static void write_members(JsonWriter& w, T const& v) {
        boost::mp11::mp_for_each<Members<T>>([&](auto d) {
            auto const& member = v.*d.pointer;
            if constexpr (kIsOptional<std::remove_cvref_t<decltype(member)>>) {
                if (!member) return;
            }
            w.key(wire_name(d.name));
            if (w.sealer()) {
                PathGuard at(w.path(), wire_name(d.name));
                write_json(w, member);
            } else {
                write_json(w, member);
            }
        });
    }
    static void read(JsonValue const& v, T& out, JsonReader& r) {
        if (!v.IsObject()) return r.fail("type", "must be an object");
        auto const before = r.errors().size();
        boost::mp11::mp_for_each<Members<T>>([&](auto d) {
            using Member = std::remove_cvref_t<decltype(out.*d.pointer)>;
            constexpr std::string_view kName = wire_name(decltype(d)::name);
            PathGuard at(r.path(), kName);
            auto found = v.FindMember(JsonValue(rapidjson::StringRef(kName.data(), kName.size())));
            if (found != v.MemberEnd()) {
                JsonType<Member>::read(found->value, out.*d.pointer, r);
            } else if (is_required<T, Member>(kName)) {
                r.fail("required", "is required");
            }
        });
        if (!r.outside()) return;
        if constexpr (requires(FieldCheck& check) { out.check(check); }) {
            FieldCheck check(r, before);
            out.check(check);
        }
        note_unknown(v, r);
    }
    static void schema(JsonWriter& w) {
        w.member("type", "object");
        w.key("properties");
        w.begin_object();
        boost::mp11::mp_for_each<Members<T>>([&](auto d) {
            using Member = std::remove_cvref_t<decltype(std::declval<T>().*d.pointer)>;
            w.key(wire_name(d.name));
            w.begin_object();
            JsonType<Member>::schema(w);
            w.end_object();
        });
        w.end_object();
        bool any = false;
        boost::mp11::mp_for_each<Members<T>>([&](auto d) {
            using Member = std::remove_cvref_t<decltype(std::declval<T>().*d.pointer)>;
            if (!is_required<T, Member>(wire_name(d.name))) return;
            if (!any) {
                w.key("required");
                w.begin_array();
                any = true;
            }
            w.string(wire_name(d.name));
        });
        if (any) w.end_array();
    }

   private:
    static void note_unknown(JsonValue const& v, JsonReader& r) {
        for (auto const& member : v.GetObject()) {
            std::string_view const name(member.name.GetString(), member.name.GetStringLength());
            bool known = false;
            boost::mp11::mp_for_each<Members<T>>([&](auto d) { known = known || wire_name(d.name) == name; });
            if (!known) r.note_unknown(name);
        }
    }
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
