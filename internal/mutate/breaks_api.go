package main

var (
	ofAPI     = []string{"./internal/api/..."}
	ofExplain = []string{"./internal/explain"}
)

// told are the ways in which the API and explain must never mislead.
var told = []change{
	{
		name: "unknown-sorted-as-zero", file: "internal/api/list.go", packages: ofAPI,
		old: "		case a.known != b.known && a.known:\n", new: "		case a.known != b.known && a.known && q.descending:\n",
	},
	{
		name: "first-of-several-clusters", file: "internal/api/answer.go", packages: ofAPI,
		old: "	switch len(found) {\n", new: "	switch min(len(found), 1) {\n",
	},
	{
		name: "never-told-as-unknown", file: "internal/api/document/seconds.go", packages: ofAPI,
		old: "	case !known:\n", new: "	case !known || math.IsInf(s, 1):\n",
	},
	{
		name: "estimates-of-nothing-complete", file: "internal/api/values.go", packages: ofAPI,
		old: "out.Complete = g.EstimatesComplete()", new: "out.Complete = g.Estimates.Complete",
	},
	{
		name: "last-known-owners-told-as-current", file: "internal/api/group.go", packages: ofAPI,
		old: "old := !g.OwnersCurrent", new: "old := !g.OwnersCurrent && !g.Complete",
	},
	{
		name: "nothing-evaluated-told-as-calm", file: "internal/explain/doubt.go", packages: ofExplain,
		old: `if verdict == "clear" {`, new: `if verdict != "" {`,
	},
	{
		name: "short-watch-told-as-calm", file: "internal/explain/doubt.go", packages: ofExplain,
		old: `begins && verdict == "clear"`, new: `begins && verdict == ""`,
	},
	{
		name: "endless-answer-read", file: "internal/explain/client.go", packages: ofExplain,
		old: "case int64(len(body)) > longest:", new: "case int64(len(body)) > longest+1:",
	},
}
