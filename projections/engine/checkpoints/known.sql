-- The projections that have a checkpoint of the partition.
SELECT projection FROM checkpoint WHERE partition = $1
