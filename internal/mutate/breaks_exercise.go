package main

var (
	ofBoundary = []string{"./internal/exercise/boundary"}
	ofExercise = []string{"./internal/exercise"}
	ofLab      = []string{"./cmd/lagwatch-lab"}
)

// exercised are the ways in which the exercise must never commit what is not done, nor
// say that all held where it did not.
var exercised = []change{
	{
		name: "highest-done-committed", file: "internal/exercise/boundary/boundary.go", packages: ofBoundary,
		old: "	if len(t.open) > 0 {\n		next = t.open[0].offset\n	}\n", new: "",
	},
	{
		name: "committed-after-the-revocation", file: "internal/exercise/boundary/boundary.go", packages: ofBoundary,
		old: "*t = Tracker{revoked: true}", new: "t.open = nil",
	},
	{
		name: "gap-in-the-log-waited-for", file: "internal/exercise/boundary/boundary.go", packages: ofBoundary,
		old: "	t.open = append(t.open, record{offset: offset})\n",
		new: "	for gap := t.last + 1; t.began && len(t.open) > 0 && gap < offset; gap++ {\n		t.open = append(t.open, record{offset: gap})\n	}\n	t.open = append(t.open, record{offset: offset})\n",
	},
	{
		name: "wrong-order-of-a-key-held", file: "internal/exercise/verify.go", packages: ofExercise, run: "^TestVerify$",
		old: "d.Number <= last[d.Key]", new: "d.Number <= last[d.Key]-len(effects)",
	},
	{
		name: "delivered-taken-for-done", file: "internal/exercise/verify.go", packages: ofExercise, run: "^TestVerify$",
		old: "		if !l.seen[e.Operation] {\n", new: "		if !l.delivered[e.Operation] {\n",
	},
	{
		name: "last-skipped-record-not-seen", file: "internal/exercise/ledger.go", packages: ofExercise, run: "^TestVerify$",
		old: "d.Offset < next && d.Effect == EffectNone", new: "d.Offset < next-1 && d.Effect == EffectNone",
	},
	{
		name: "effect-had-twice", file: "internal/exercise/ledger.go", packages: ofExercise, run: "^TestVerify$",
		old: "	if l.seen[d.Operation] {\n", new: "	if l.seen[d.Operation] && d.Operation == \"\" {\n",
	},
	{
		name: "duplicate-of-a-commit-explained", file: "internal/exercise/verify.go", packages: ofExercise, run: "^TestVerify$",
		old: "		if d.Offset >= d.tenure.committed {\n", new: "		if d.Offset >= d.tenure.committed-1 {\n",
	},
	{
		name: "loss-with-exit-status-0", file: "cmd/lagwatch-lab/exercise.go", packages: ofLab, run: "^TestExerciseWithTheWrongRule$",
		old: "	if err == nil && !report.Held {\n", new: "	if err == nil && report == nil {\n",
	},
}
