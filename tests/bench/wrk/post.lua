-- The same POST again and again. Arguments: token, path, body, prefix of the idempotency keys ("-": send none).
local here = debug.getinfo(1, "S").source:match("@(.*/)")
local bench = dofile(here .. "common.lua")
done = bench.done

local mark = "0123456789ab" -- where the number goes: as wide as the number, so nothing else changes

function init(args)
  local keyed = args[4] ~= "-"
  local whole = wrk.format("POST", args[2], bench.fields(args[1], keyed and args[4] .. mark or nil), args[3])
  if not keyed then
    function request() return whole end
    return
  end
  local first, last = whole:find(mark, 1, true)
  local before, after = whole:sub(1, first - 1), whole:sub(last + 1)
  local n = 0
  function request()
    n = n + 1
    return before .. string.format("%012d", n) .. after
  end
end
