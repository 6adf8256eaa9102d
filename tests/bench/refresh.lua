-- Refreshes tokens, each by what the answer before it brought. Arguments: file with a token a line, at least as many as there are
-- connections; path; and the body, in which TOKEN stands for the token.

local tokens, first, last = {}, 1, 0

function done(summary, latency)
  local e = summary.errors
  io.write(string.format(
    'BENCH {"requests":%d,"seconds":%.6f,"p50_ms":%.3f,"p99_ms":%.3f,"bad_status":%d,"socket_errors":%d}\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    e.status, e.connect + e.read + e.write + e.timeout))
end

local function keep(token)
  last = last + 1
  tokens[last] = token
end

function init(args)
  for token in io.lines(args[1]) do keep(token) end
  local path, before, after = args[2], args[3]:match("^(.*)TOKEN(.*)$")
  local fields = {["Content-Type"] = "application/x-www-form-urlencoded"}
  function request()
    local token = tokens[first]
    tokens[first] = nil
    first = first + 1
    return wrk.format("POST", path, fields, before .. token .. after)
  end
end

function response(status, headers, body)
  local token = body:match('"refresh_token":"([^"]+)"')
  if token then keep(token) end
end
