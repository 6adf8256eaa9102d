-- What was done through an app names its run by a number, as everything that names one.

UPDATE read.app_execution SET doc = regexp_replace(doc, '"runId":"([0-9]+)"', '"runId":\1') WHERE doc LIKE '%"runId":"%';
