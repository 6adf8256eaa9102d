// JSON Schema of the types that requests and answers are made of. It says more than the schema of an event, which is
// fixed once released: of a request all rules that its reader applies, of an answer which members always stand there.
// Structs and enums are named after their C++ types, so that clients can be generated.
#pragma once

#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/bool_or_any.hpp"
#include "core/currencies.hpp"
#include "core/day_or_moment.hpp"
#include "core/enum_text.hpp"
#include "core/json.hpp"
#include "core/text.hpp"
#include "core/text_map.hpp"
#include "operations/schema/components.hpp"
#include "operations/schema/ids.hpp"

namespace workforce::operations {

enum class Side : std::uint8_t { request, answer };

/// The texts that core::clean_text takes and that then have at least `min` characters, as a regular expression
/// (ECMA-262).
std::string text_pattern(std::size_t min, bool multiline);

/// The last type that a template's __PRETTY_FUNCTION__ names, without its namespaces.
constexpr std::string_view type_name_in(std::string_view pretty_function) {
    auto name = pretty_function;
    name.remove_prefix(name.rfind("T = ") + 4);
    name = name.substr(0, name.find_first_of(";]<"));
    return name.substr(name.rfind(':') + 1);  // npos + 1 is 0
}

/// The type's name without its namespaces.
template <class T>
constexpr std::string_view type_name() {
    return type_name_in(__PRETTY_FUNCTION__);  // … [T = workforce::events::Shift]
}

template <class T, class M>
std::type_identity<T> declaring_type(M T::*);
/// The name of the struct that declares the member `D` (a descriptor), which may be a base of the one that has it.
template <class D>
inline constexpr std::string_view kDeclaring = type_name<typename decltype(declaring_type(D::pointer))::type>();

/// What the type says of every member of it, besides what the member means; empty: nothing.
template <class T>
inline constexpr std::string_view kNote{};
template <std::int64_t Min, std::int64_t Max>
inline constexpr std::string_view kNote<core::Decimal<Min, Max>> = "At most two decimals";
template <>
inline constexpr std::string_view kNote<core::TimeZoneName> = "IANA time zone, such as Europe/Berlin";
template <>
inline constexpr std::string_view kNote<core::TimeOfDay> = "HH:MM";
template <>
inline constexpr std::string_view kNote<core::HttpsUrl> = "https URL";
template <class T>
inline constexpr std::string_view kNote<std::optional<T>> = kNote<T>;
template <class T>
inline constexpr std::string_view kNote<core::Nullable<T>> = kNote<T>;
template <class T>
inline constexpr std::string_view kNote<core::AbsentOrNull<T>> = kNote<T>;
template <class T>
inline constexpr std::string_view kNote<core::Personal<T>> = kNote<T>;

/// What a member means (operations/words), with what its type says of it.
std::string description_of(std::string_view declaring, std::string_view member, std::string_view note);
/// Writes the member `description`, where the named type has words of its own.
void describe_type(core::JsonWriter& w, std::string_view type);

/// Writes the members of an open schema object; by default those of the schema in events.
template <class T>
struct ApiSchema {
    static void write(core::JsonWriter& w, Side, Components&) { core::JsonType<T>::schema(w); }
};

/// Whether answers of T may have members that are not declared.
template <class T>
inline constexpr bool kIsOpen = false;

/// What a struct or enum is called in schemas, by its C++ name: that name, unless there is one that reads better.
std::string schema_name(std::string_view type);

/// An id in a schema. It is positive, or at least 0 where 0 stands for nobody.
template <core::Id Least>
struct IdOf {};
/// The least id that members of T hold.
template <class T>
inline constexpr core::Id kLeastId = 1;

template <core::Id Least>
struct ApiSchema<IdOf<Least>> {
    static void write(core::JsonWriter& w, Side side, Components&) {
        w.member("type", "integer");
        w.member("format", "int64");
        if (side == Side::answer) return;
        w.member("minimum", Least);
        w.member("maximum", core::kMaxId);
    }
};

/// The type with IdOf where it holds integers.
template <class T, core::Id Least>
struct WithIds {
    using type = T;
};
template <core::Id Least>
struct WithIds<core::Id, Least> {
    using type = IdOf<Least>;
};
template <class T, core::Id Least>
struct WithIds<std::optional<T>, Least> {
    using type = std::optional<typename WithIds<T, Least>::type>;
};
template <class T, core::Id Least>
struct WithIds<core::Nullable<T>, Least> {
    using type = core::Nullable<typename WithIds<T, Least>::type>;
};
template <class T, core::Id Least>
struct WithIds<core::AbsentOrNull<T>, Least> {
    using type = core::AbsentOrNull<typename WithIds<T, Least>::type>;
};
template <class T, core::Id Least>
struct WithIds<std::vector<T>, Least> {
    using type = std::vector<typename WithIds<T, Least>::type>;
};
template <class T, std::size_t Most, core::Id Least>
struct WithIds<core::LongList<T, Most>, Least> {
    using type = core::LongList<typename WithIds<T, Least>::type, Most>;
};

/// What the schema of T's member `D` (a descriptor) is made of.
template <class T, class D>
using Shown = boost::mp11::mp_if_c<
    names_ids(core::wire_name(D::name)),
    typename WithIds<std::remove_cvref_t<decltype(std::declval<T>().*D::pointer)>, kLeastId<T>>::type,
    std::remove_cvref_t<decltype(std::declval<T>().*D::pointer)>>;

template <class T>
struct ApiSchema<std::optional<T>> : ApiSchema<T> {};

/// What answers have in the place of a T about a person, who may be erased: then it is empty.
template <class T>
struct OrErased {
    using type = T;
};
template <std::size_t Min, std::size_t Max, core::TextForm Form>
struct OrErased<core::Text<Min, Max, Form>> {
    using type = core::Text<0, Max, Form>;
};
template <>
struct OrErased<core::Email> {
    using type = core::OptionalEmail;
};

template <class T>
struct ApiSchema<core::Personal<T>> {
    static void write(core::JsonWriter& w, Side side, Components& components) {
        if (side == Side::request) return ApiSchema<T>::write(w, side, components);
        ApiSchema<typename OrErased<T>::type>::write(w, side, components);
    }
};

template <class T>
void write_object(core::JsonWriter& w, Side side, Components& components) {
    w.begin_object();
    ApiSchema<T>::write(w, side, components);
    w.end_object();
}

/// Writes the members of a schema, an object as text, that takes null as well.
void write_nullable(core::JsonWriter& w, std::string_view schema);

template <class T>
struct ApiSchema<core::Nullable<T>> {
    static void write(core::JsonWriter& w, Side side, Components& components) {
        core::JsonWriter own;
        write_object<T>(own, side, components);
        write_nullable(w, own.text());
    }
};

template <class T>
struct ApiSchema<core::AbsentOrNull<T>> : ApiSchema<core::Nullable<T>> {};

template <class T>
void write_array(core::JsonWriter& w, Side side, Components& components, std::size_t most) {
    w.member("type", "array");
    w.key("items");
    write_object<T>(w, side, components);
    if (side == Side::request) w.member("maxItems", most);
}

template <class T>
struct ApiSchema<std::vector<T>> {
    static void write(core::JsonWriter& w, Side side, Components& components) {
        write_array<T>(w, side, components, core::JsonType<std::vector<T>>::kMaxItems);
    }
};

template <class T, std::size_t Most>
struct ApiSchema<core::LongList<T, Most>> {
    static void write(core::JsonWriter& w, Side side, Components& components) {
        write_array<T>(w, side, components, Most);
    }
};

/// Names and texts have rules, as core/text_map.hpp reads them.
template <std::size_t Most, std::size_t Longest>
struct ApiSchema<core::TextMap<Most, Longest>> {
    static void write(core::JsonWriter& w, Side side, Components& components) {
        w.member("type", "object");
        if (side == Side::answer) {
            w.key("additionalProperties");
            return w.raw(R"({"type":"string"})");
        }
        w.member("maxProperties", Most);
        w.key("propertyNames");
        write_object<core::Text<1, 100>>(w, side, components);
        w.key("additionalProperties");
        write_object<core::Text<0, Longest, core::TextForm::paragraph>>(w, side, components);
    }
};

template <core::DescribedEnum T>
struct ApiSchema<T> {
    static void write(core::JsonWriter& w, Side, Components& components) {
        components.refer(w, schema_name(type_name<T>()), [](core::JsonWriter& own, Components&) {
            core::JsonType<T>::schema(own);
            describe_type(own, type_name<T>());
        });
    }
};

/// Answers may show text that was stored before it was bound.
template <core::DescribedEnum T>
struct ApiSchema<core::EnumText<T>> {
    static void write(core::JsonWriter& w, Side side, Components& components) {
        if (side == Side::request) return ApiSchema<T>::write(w, side, components);
        w.member("type", "string");
    }
};

template <>
struct ApiSchema<core::Currency> {
    static void write(core::JsonWriter& w, Side side, Components& components) {
        if (side == Side::answer) return w.member("type", "string");
        components.refer(w, "Currency", [](core::JsonWriter& own, Components&) {
            own.member("type", "string");
            describe_type(own, "Currency");
            own.key("enum");
            own.begin_array();
            for (auto const code : core::currency_codes()) own.string(code);
            own.end_array();
        });
    }
};

template <core::End End>
struct ApiSchema<core::DayOrMoment<End>> {
    static void write(core::JsonWriter& w, Side, Components&) {
        w.key("anyOf");
        w.raw(R"([{"type":"string","format":"date"},{"type":"string","format":"date-time"}])");
    }
};

/// Whether every answer has a member of that type.
template <class M>
inline constexpr bool kInAnswer = !core::kIsOptional<M> || core::kShownAsNull<M>;

/// A member in the schemas of an object.
struct ApiField {
    std::string_view name;
    std::string_view declaring;  ///< the struct that declares it
    std::string_view note;       ///< what its type says of it
    bool in_request;             ///< whether every request has it
    bool in_answer;              ///< whether every answer has it
    void (*write)(core::JsonWriter&, Side, Components&);
};

/// Writes the members of the schema of an object. Errors: those of core::require_distinct_names().
void define_object(core::JsonWriter& w, Side side, Components& components, std::span<ApiField const> fields);

template <core::DescribedStruct T>
inline constexpr auto kApiFields = core::table_of<T, ApiField>([]<class D>() {
    using Member = core::MemberType<T, D>;
    constexpr auto kName = core::wire_name(D::name);
    return ApiField{kName,
                    kDeclaring<D>,
                    kNote<Member>,
                    core::is_required<T, Member>(kName),
                    kInAnswer<Member>,
                    &ApiSchema<Shown<T, D>>::write};
});

template <core::DescribedStruct T>
struct ApiSchema<T> {
    static void write(core::JsonWriter& w, Side side, Components& components) {
        // Commands and parts of updates are only ever sent; anything else looks otherwise in a request.
        bool const both = !requires { typename T::Answer; } && !requires { typename T::PartOf; };
        if (side == Side::answer) {
            components.refer(w, schema_name(type_name<T>()), &define<Side::answer>);
        } else {
            components.refer(w, schema_name(std::string(type_name<T>()) + (both ? "Input" : "")),
                             &define<Side::request>);
        }
    }

   private:
    template <Side Which>
    static void define(core::JsonWriter& w, Components& components) {
        define_object(w, Which, components, kApiFields<T>);
        if (kIsOpen<T>) w.member("additionalProperties", true);
    }
};

template <class T>
    requires(std::integral<T> && !std::same_as<T, bool>)
struct ApiSchema<T> {
    static void write(core::JsonWriter& w, Side side, Components&) {
        w.member("type", "integer");
        if (sizeof(T) == 8) w.member("format", "int64");
        if (side == Side::answer) return;
        w.member("minimum", std::numeric_limits<T>::min());
        w.member("maximum", std::numeric_limits<T>::max());
    }
};

template <std::size_t Min, std::size_t Max, core::TextForm Form>
struct ApiSchema<core::Text<Min, Max, Form>> {
    static void write(core::JsonWriter& w, Side side, Components&) {
        if (side == Side::answer) return w.member("type", "string");
        core::JsonType<core::Text<Min, Max, Form>>::schema(w);
        w.member("pattern", text_pattern(Min, Form == core::TextForm::paragraph));
    }
};

template <std::int64_t Min, std::int64_t Max>
struct ApiSchema<core::Decimal<Min, Max>> {
    static void write(core::JsonWriter& w, Side side, Components&) {
        w.member("type", "number");
        if (side == Side::answer) return;
        w.member("minimum", Min);
        w.member("maximum", Max);
    }
};

template <std::int64_t Min, std::int64_t Max>
struct ApiSchema<core::Int<Min, Max>> {
    static void write(core::JsonWriter& w, Side side, Components&) {
        if (side == Side::request) return core::JsonType<core::Int<Min, Max>>::schema(w);
        w.member("type", "integer");
    }
};

/// Texts of a format, which is no rule for what answers show.
template <class Policy>
    requires(!std::same_as<Policy, core::EmailPolicy>)
struct ApiSchema<core::Formatted<Policy>> {
    static void write(core::JsonWriter& w, Side side, Components&) {
        if (side == Side::request) return core::JsonType<core::Formatted<Policy>>::schema(w);
        w.member("type", "string");
    }
};

/// Strict readers of addresses take no empty text, and so the type stands in each branch and answers name no format.
template <>
struct ApiSchema<core::OptionalEmail> {
    static void write(core::JsonWriter& w, Side side, Components&) {
        if (side == Side::answer) return w.member("type", "string");
        w.key("anyOf");
        w.raw(R"([{"type":"string","format":"email"},{"type":"string","maxLength":0}])");
    }
};

/// Of a parameter: all its values are texts there.
template <>
struct ApiSchema<core::BoolOrAny> {
    static void write(core::JsonWriter& w, Side, Components&) {
        w.member("type", "string");
        w.key("enum");
        w.raw(R"(["true","false","any"])");
    }
};

template <>
struct ApiSchema<core::TimeZoneName> {
    static void write(core::JsonWriter& w, Side, Components&) { w.member("type", "string"); }
};

template <>
struct ApiSchema<core::HttpsUrl> {
    static void write(core::JsonWriter& w, Side side, Components&) {
        if (side == Side::answer) return core::JsonType<core::HttpsUrl>::schema(w);
        w.member("type", "string");
        w.member("maxLength", 2048);
        w.member("pattern",
                 R"_(^https://[A-Za-z0-9._-]+(:[0-9]{1,5})?([/?](%[0-9A-Fa-f]{2}|[A-Za-z0-9._~:/?@!$&'()*+,;=-])*)?)_"
                 R"_((#(%[0-9A-Fa-f]{2}|[A-Za-z0-9._~:/?@!$&'()*+,;=-])*)?$)_");
    }
};

}  // namespace workforce::operations
