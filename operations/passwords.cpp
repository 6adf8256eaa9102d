// Passwords that anybody guesses first.
#include <algorithm>
#include <array>
#include <set>

#include "core/ascii.hpp"
#include "operations/accounts.hpp"

namespace workforce::operations {
namespace {

/// Words that most common passwords consist of: with digits and signs around them, or repeated.
constexpr auto kWords = std::to_array<std::string_view>({
    "1q2w3e",        "1q2w3e4r",     "1q2w3e4r5t", "1qaz2wsx",
    "1qaz2wsx3edc",  "abc",          "abcd",       "abcdef",
    "abcdefgh",      "abcdefghijkl", "admin",      "administrador",
    "administrator", "amanda",       "andrew",     "angel",
    "angels",        "anthony",      "april",      "arsenal",
    "asdfgh",        "asdfghjkl",    "ashley",     "august",
    "autumn",        "azerty",       "banana",     "barcelona",
    "baseball",      "basketball",   "batman",     "berlin",
    "blessed",       "blink",        "brother",    "butterfly",
    "changeit",      "changeme",     "charlie",    "chelsea",
    "chocolate",     "christ",       "clinic",     "company",
    "computer",      "contrasena",   "cookie",     "correcthorsebatterystaple",
    "corvette",      "daniel",       "december",   "default",
    "demo",          "doctor",       "dragon",     "example",
    "facebook",      "family",       "father",     "february",
    "ferrari",       "flower",       "football",   "forever",
    "fortnite",      "freedom",      "friday",     "friends",
    "george",        "ginger",       "google",     "guest",
    "harley",        "health",       "heaven",     "hello",
    "helloworld",    "hospital",     "hunter",     "iloveu",
    "iloveyou",      "internet",     "january",    "jennifer",
    "jessica",       "jesus",        "jordan",     "joshua",
    "killer",        "letmein",      "linkedin",   "liverpool",
    "login",         "london",       "lovely",     "loveyou",
    "manager",       "march",        "master",     "matthew",
    "mercedes",      "metallica",    "michael",    "michelle",
    "minecraft",     "monday",       "monkey",     "motdepasse",
    "mother",        "mustang",      "naruto",     "newyork",
    "nicole",        "nirvana",      "november",   "nurse",
    "october",       "office",       "orange",     "p4ssword",
    "p@ssw0rd",      "p@ssword",     "pa55word",   "paris",
    "parola",        "passw0rd",     "passwd",     "password",
    "passwort",      "payroll",      "pepper",     "platform",
    "pokemon",       "porsche",      "princess",   "q1w2e3r4",
    "qazwsx",        "qazwsxedc",    "qwe123",     "qweasd",
    "qweasdzxc",     "qwerty",       "qwertyuiop", "qwertz",
    "realmadrid",    "robert",       "root",       "samantha",
    "sample",        "samsung",      "schedule",   "secret",
    "senha",         "september",    "shadow",     "sister",
    "slipknot",      "snoopy",       "sommer",     "spring",
    "starwars",      "summer",       "sunshine",   "superman",
    "superuser",     "sysadmin",     "temp",       "temporary",
    "test",          "tester",       "testing",    "thequickbrownfox",
    "thomas",        "tigger",       "topsecret",  "trustno",
    "user",          "username",     "wachtwoord", "welcome",
    "whatever",      "winter",       "workforce",  "yamaha",
    "zaq12wsx",      "zxcvbn",       "zxcvbnm",
});

/// Common passwords of other forms, of the length that ours have.
constexpr auto kPasswords = std::to_array<std::string_view>({
    "123456qwerty",     "12345qwert12345",  "1234qwerasdf",         "123qwe123qwe",     "123qweasdzxc",
    "1a2b3c4d5e6f",     "1q2w3e4r5t6y",     "1q2w3e4r5t6y7u",       "1qaz2wsx3edc4rfv", "a1b2c3d4e5f6",
    "abc123abc123",     "abcd1234efgh",     "admin12345678",        "adminadmin12",     "administrator!",
    "administrator1",   "basketball123",    "californication",      "changemenow!",     "changethispassword",
    "chocolatechip",    "congratulations",  "correcthorse",         "demodemo1234",     "guestguest12",
    "harrypotter1",     "harrypotter123",   "iloveyoubaby",         "iloveyouforever",  "iloveyousomuch",
    "independence",     "justinbieber",     "letmein12345",         "letmeinplease",    "lovelylovely",
    "manchesterunited", "manunited1234",    "mypassword123",        "newpassword1",     "nopassword12",
    "oldpassword1",     "p@ssw0rd1234",     "passw0rd1234",         "passwordpassword", "q1w2e3r4t5y6",
    "qazwsxedcrfv",     "qazwsxedcrfvtgb",  "qwe123qwe123",         "qweasdzxc123",     "qwer1234asdf",
    "qwerty123456",     "qwertyqwerty",     "qwertyuiop[]",         "qwertyuiop[]\\",   "qwertyuiopasdfgh",
    "rootroot1234",     "secretpassword",   "spongebobsquarepants", "supersecret12",    "sweetheart12",
    "teenageninja",     "tempordemo12",     "test12345678",         "testtest1234",     "testtesttest",
    "thisisapassword",  "thisismypassword", "thunderbirds",         "topsecret1234",    "unbelievable",
    "useruser1234",     "verysecret123",    "welcome12345",         "welcome@1234",     "welcometothejungle",
    "yourpassword",     "zaq12wsxcde3",
});

bool is_letter(char c) { return static_cast<unsigned char>(c) >= 0x80 || (c >= 'a' && c <= 'z'); }

bool is_word(std::string_view text) { return std::ranges::binary_search(kWords, text); }

/// Without what stands before the first letter and after the last one.
std::string_view core_of(std::string_view text) {
    auto const first = std::ranges::find_if(text, is_letter) - text.begin();
    text.remove_prefix(static_cast<std::size_t>(first));
    while (!text.empty() && !is_letter(text.back())) text.remove_suffix(1);
    return text;
}

/// Whether the text is one shorter text again and again: "abcabcabc".
bool repeats(std::string_view text) {
    for (std::size_t length = 1; length <= 6 && length * 2 <= text.size(); ++length) {
        bool same = true;
        for (std::size_t i = length; i < text.size() && same; ++i) same = text[i] == text[i - length];
        if (same) return true;
    }
    return false;
}

/// Whether each character follows the one before by the same small step: "123456789012", "lkjihgfedcba".
bool is_sequence(std::string_view text) {
    auto const follows = [](char before, char next, int step) {
        bool const digits = before >= '0' && before <= '9' && next >= '0' && next <= '9';
        return digits ? (next - before - step) % 10 == 0 : next - before == step;
    };
    auto const goes = [&](int step) {
        for (std::size_t i = 1; i < text.size(); ++i) {
            if (!follows(text[i - 1], text[i], step)) return false;
        }
        return true;
    };
    return goes(1) || goes(-1);
}

}  // namespace

bool is_common_password(std::string_view password) {
    static_assert(std::ranges::is_sorted(kWords) && std::ranges::is_sorted(kPasswords));
    auto const text = core::ascii_lower(password);
    if (std::ranges::binary_search(kPasswords, text)) return true;
    std::set<char> const characters(text.begin(), text.end());
    if (characters.size() <= 3 || repeats(text) || is_sequence(text)) return true;
    auto const core = core_of(text);
    // What stands around the word is a word of digits and signs, which all guess: a long one is a password of its own.
    constexpr std::size_t kAround = 8;
    if (text.size() - core.size() > kAround) return false;
    return core.empty() || is_word(core);
}

core::Result<void> check_password(std::string_view field, NewPassword const& password,
                                  std::vector<std::string> const& names) {
    auto const fault = [&](std::string_view message) {
        return tl::unexpected(core::validation_problem({{std::string(field), "common", std::string(message)}}));
    };
    if (is_common_password(password.value)) return fault("is a password that many people have");
    auto const text = core::ascii_lower(password.value);
    bool const own = std::ranges::any_of(names, [&](auto const& name) { return core::ascii_lower(name) == text; });
    if (own) return fault("must not be one of your own names");
    return {};
}

boost::asio::awaitable<core::Result<void>> check_password_of(Accounts& accounts, std::string_view field,
                                                             NewPassword password, workers::AccountRef whom) {
    auto const named = co_await accounts.passwords.find(accounts.digest(events::login_name(password.value)));
    std::vector<std::string> names;
    if (named && named->whom == whom) names.push_back(password.value);
    co_return check_password(field, password, names);
}

std::vector<std::string> names_of(events::UserDetails const& user) {
    return {user.email.value.value, user.username.value.value};
}

}  // namespace workforce::operations
