// libcurl, as channels for mail use it.
#pragma once

#include <curl/curl.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>

namespace workforce::workers {

struct FreeCurlHandle {
    void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};
struct FreeCurlList {
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using CurlList = std::unique_ptr<curl_slist, FreeCurlList>;

/// A list with one more line. Errors: std::bad_alloc.
CurlList with_line(CurlList list, std::string const& line);

/// A handle of libcurl, and the connection that it keeps from one transfer to the next until it is destroyed.
/// Certificates are verified, time is limited, and neither redirections, proxies of the environment nor other protocols
/// are followed. Not thread-safe.
class Transfer {
   public:
    static constexpr std::chrono::seconds kConnectTime{5};
    static constexpr std::chrono::seconds kTime{25};        ///< of a transfer as a whole
    static constexpr std::chrono::seconds kAnswerTime{20};  ///< to a command of SMTP, the farewell among them

    /// `protocols` are separated by commas. `ca_file` alone vouches for the server; empty: whom the system trusts.
    /// Errors: std::runtime_error.
    Transfer(std::string const& url, std::string const& protocols, std::string const& ca_file);
    Transfer(Transfer const&) = delete;
    Transfer& operator=(Transfer const&) = delete;
    ~Transfer() = default;

    /// Sets an option, with a value of the type that libcurl wants for it. Errors: std::runtime_error.
    template <class T>
    void set(CURLoption option, T value) {
        check(curl_easy_setopt(handle_.get(), option, value));
    }

    /// How a transfer ended.
    struct Result {
        CURLcode code = CURLE_OK;
        long status = 0;           ///< that the server said last; 0: nothing
        std::string_view command;  ///< of SMTP that was sent last: "MAIL", "RCPT", "DATA"; empty: none of these
    };
    /// Blocks, for kTime at most. A stop that is asked for ends it with CURLE_ABORTED_BY_CALLBACK, unless the server
    /// may have taken the mail by then.
    Result perform(std::stop_token const& stop);

   private:
    static void check(CURLcode code);
    static int note(CURL* handle, curl_infotype type, char* data, std::size_t size, void* self);
    static int look(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t);

    std::unique_ptr<CURL, FreeCurlHandle> handle_;
    std::string_view command_;
    std::stop_token stop_;
};

}  // namespace workforce::workers
