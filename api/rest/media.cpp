// Reading Content-Type and Accept.
#include "api/rest/media.hpp"

#include "core/ascii.hpp"

namespace workforce::api {
namespace {

using operations::MediaType;

constexpr int kWhole = 1000;  // weights are thousandths

/// Takes what is before the separator off a text.
std::string_view take_until(std::string_view& text, char separator) {
    auto const end = std::min(text.find(separator), text.size());
    auto const part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return core::without_blanks(part);
}

/// A weight such as `0.8` (RFC 9110 12.4.2); nothing for what is none.
std::optional<int> weight_of(std::string_view text) {
    if (text.empty() || (text[0] != '0' && text[0] != '1')) return std::nullopt;
    int weight = text[0] == '1' ? kWhole : 0;
    if (text.size() == 1) return weight;
    if (text[1] != '.' || text.size() > 5) return std::nullopt;
    int place = kWhole / 10;
    for (char const digit : text.substr(2)) {
        if (digit < '0' || digit > '9') return std::nullopt;
        weight += (digit - '0') * place;
        place /= 10;
    }
    return weight > kWhole ? std::nullopt : std::optional(weight);
}

/// How exactly a media range names a type: 0 not at all, 3 to the letter.
int exactness(std::string_view range, std::string_view name) {
    if (range == name) return 3;
    if (range == "*/*") return 1;
    bool const of_kind = range.ends_with("/*") && name.starts_with(range.substr(0, range.size() - 1));
    return of_kind ? 2 : 0;
}

/// How much the field likes the type: the weight of the range that names it most exactly, 0 where none does.
int liking(std::string_view accept, std::string_view name) {
    int exactest = 0;
    int weight = 0;
    while (!accept.empty()) {
        auto parameters = take_until(accept, ',');
        auto const range = core::ascii_lower(take_until(parameters, ';'));
        std::optional<int> own = kWhole;
        while (!parameters.empty()) {
            auto const parameter = take_until(parameters, ';');
            if (parameter.starts_with("q=") || parameter.starts_with("Q=")) own = weight_of(parameter.substr(2));
        }
        auto const exact = exactness(range, name);
        if (!own || exact <= exactest) continue;
        exactest = exact;
        weight = *own;
    }
    return weight;
}

}  // namespace

bool is_type(std::string_view content_type, MediaType type) {
    auto const name = core::ascii_lower(take_until(content_type, ';'));
    if (type == MediaType::json && name.starts_with("application/") && name.ends_with("+json")) return true;
    return name == operations::info(type).name;
}

std::optional<MediaType> best_type(std::span<MediaType const> gives, std::string_view accept) {
    std::optional<MediaType> best;
    int most = 0;
    for (auto const type : gives) {
        auto const likes = liking(accept, operations::info(type).name);
        if (likes <= most) continue;
        most = likes;
        best = type;
    }
    return best;
}

}  // namespace workforce::api
