// Options that hold for every transfer.
#include "workers/mail/transfer.hpp"

#include <array>
#include <chrono>
#include <csignal>
#include <new>

namespace workforce::workers {
namespace {

constexpr std::array<std::string_view, 3> kCommands{"MAIL", "RCPT", "DATA"};

long milliseconds(std::chrono::milliseconds time) { return static_cast<long>(time.count()); }

CURL* new_handle() {
    static CURLcode const started = [] {
        std::signal(SIGPIPE, SIG_IGN);  // a server that leaves is an error of the transfer, and ends no process
        return curl_global_init(CURL_GLOBAL_DEFAULT);
    }();
    CURL* const handle = started == CURLE_OK ? curl_easy_init() : nullptr;
    if (handle == nullptr) throw std::runtime_error("libcurl does not start");
    return handle;
}

}  // namespace

CurlList with_line(CurlList list, std::string const& line) {
    auto* const longer = curl_slist_append(list.get(), line.c_str());
    if (longer == nullptr) throw std::bad_alloc();
    (void)list.release();  // it is the beginning of the longer one
    return CurlList(longer);
}

void Transfer::check(CURLcode code) {
    if (code != CURLE_OK)
        throw std::runtime_error(std::string("libcurl refuses a setting: ") + curl_easy_strerror(code));
}

Transfer::Transfer(std::string const& url, std::string const& protocols, std::string const& ca_file)
    : handle_(new_handle()) {
    set(CURLOPT_URL, url.c_str());
    set(CURLOPT_PROTOCOLS_STR, protocols.c_str());
    set(CURLOPT_PROXY, "");
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_CONNECTTIMEOUT_MS, milliseconds(kConnectTime));
    set(CURLOPT_TIMEOUT_MS, milliseconds(kTime));
    set(CURLOPT_SERVER_RESPONSE_TIMEOUT, static_cast<long>(kAnswerTime.count()));
    set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
    if (!ca_file.empty()) {
        set(CURLOPT_CAINFO, ca_file.c_str());
        set(CURLOPT_CAPATH, static_cast<char const*>(nullptr));
    }
    set(CURLOPT_VERBOSE, 1L);
    set(CURLOPT_DEBUGFUNCTION, &Transfer::note);
    set(CURLOPT_DEBUGDATA, static_cast<void*>(this));
    set(CURLOPT_NOPROGRESS, 0L);
    set(CURLOPT_XFERINFOFUNCTION, &Transfer::look);
    set(CURLOPT_XFERINFODATA, static_cast<void*>(this));
}

// What else it is told, as passwords, is not looked at.
int Transfer::note(CURL*, curl_infotype type, char* data, std::size_t size, void* self) {
    if (type != CURLINFO_HEADER_OUT) return 0;
    auto& command = static_cast<Transfer*>(self)->command_;
    command = {};
    for (auto const each : kCommands) {
        if (std::string_view(data, size).starts_with(each)) command = each;
    }
    return 0;
}

int Transfer::look(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
    auto const& transfer = *static_cast<Transfer*>(self);
    return transfer.stop_.stop_requested() && transfer.command_ != "DATA" ? 1 : 0;
}

Transfer::Result Transfer::perform(std::stop_token const& stop) {
    stop_ = stop;
    command_ = {};
    Result result{.code = curl_easy_perform(handle_.get()), .command = command_};
    check(curl_easy_getinfo(handle_.get(), CURLINFO_RESPONSE_CODE, &result.status));
    return result;
}

}  // namespace workforce::workers
