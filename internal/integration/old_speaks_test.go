package integration

// speaks is by version of Kafka the highest version of each request that its
// brokers and lagwatch both have. What 2.8 has is a listing with states and
// without types, an OffsetFetch for one group, and a group that is not there
// described as dead; only 4.x says that there is none.
var speaks = map[string]map[string]int{
	"2.8.2": {"METADATA": 11, "LIST_GROUPS": 4, "DESCRIBE_GROUPS": 5, "OFFSET_FETCH": 7, "LIST_OFFSETS": 6},
	"3.9.2": {"METADATA": 12, "LIST_GROUPS": 5, "DESCRIBE_GROUPS": 5, "OFFSET_FETCH": 9, "LIST_OFFSETS": 9, "CONSUMER_GROUP_DESCRIBE": 0},
	"4.4.0": {"METADATA": 13, "LIST_GROUPS": 5, "DESCRIBE_GROUPS": 6, "OFFSET_FETCH": 9, "LIST_OFFSETS": 9, "CONSUMER_GROUP_DESCRIBE": 1},
}
