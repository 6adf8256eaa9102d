-- GETs of the given paths in turn. Arguments: token ("-" for none), path...
local here = debug.getinfo(1, "S").source:match("@(.*/)")
local bench = dofile(here .. "common.lua")
done = bench.done

function init(args)
  local requests = {}
  for i = 2, #args do
    requests[#requests + 1] = wrk.format("GET", args[i], args[1] ~= "-" and bench.fields(args[1]) or nil)
  end
  local n = 0
  function request()
    n = n % #requests + 1
    return requests[n]
  end
end
