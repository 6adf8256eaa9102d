# Plays published nurse rosters against the service through its public REST API alone.
