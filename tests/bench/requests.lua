-- Sends the requests of a file in turn. Arguments: file, prefix of the idempotency keys ("-": send none), and "once"
-- where a request must not be sent again. A line of the file: method, path, token ("-" for none, "cookie=…" for a cookie),
-- body, and more header fields with "|" between them, between tabs. A mark in a body is replaced by the request's number, too.

local mark = "0123456789ab" -- where a key's number goes: as wide as the number, so that nothing else changes

function done(summary, latency)
  local e = summary.errors
  io.write(string.format(
    'BENCH {"requests":%d,"seconds":%.6f,"p50_ms":%.3f,"p99_ms":%.3f,"bad_status":%d,"socket_errors":%d}\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    e.status, e.connect + e.read + e.write + e.timeout))
end

function init(args)
  local prefix, once = args[2], args[3] == "once"
  local heads, tails = {}, {}
  for line in io.lines(args[1]) do
    local method, path, token, body = line:match("([^\t]*)\t([^\t]*)\t([^\t]*)\t?([^\t]*)")
    local fields = {}
    for field in (line:match("^[^\t]*\t[^\t]*\t[^\t]*\t[^\t]*\t(.*)") or ""):gmatch("[^|]+") do
      local name, value = field:match("([^:]*): (.*)")
      fields[name] = value
    end
    if token:find("=", 1, true) then
      fields["Cookie"] = token
    elseif token ~= "-" then
      fields["Authorization"] = "Bearer " .. token
    end
    if body ~= "" and not fields["Content-Type"] then fields["Content-Type"] = "application/json" end
    if prefix ~= "-" then fields["Idempotency-Key"] = prefix .. mark end
    local whole = wrk.format(method, path, fields, body ~= "" and body or nil)
    local first, last = whole:find(mark, 1, true)
    heads[#heads + 1] = first and whole:sub(1, first - 1) or whole
    tails[#heads] = first and whole:sub(last + 1)
  end
  local n, count = 0, #heads
  function request()
    local i = n % count + 1
    n = n + 1
    if once and n >= count then wrk.thread:stop() end
    if not tails[i] then return heads[i] end
    return heads[i] .. string.format("%012d", n) .. tails[i]
  end
end
