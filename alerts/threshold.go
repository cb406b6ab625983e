package alerts

// Threshold is a number in an expression that can be set.
type Threshold struct {
	Name    string  `json:"name"`
	Default float64 `json:"default"`
	Unit    string  `json:"unit"`
	Help    string  `json:"help"`
	Min     float64 `json:"min"` // the least that makes sense
}

// Thresholds are all numbers that can be set. When a condition holds is not among
// them: that is conditions in the config of lagwatch, by group.
func Thresholds() []Threshold {
	return []Threshold{
		{"age_factor", 2, "× objective", "KafkaGroupLagAgeHigh: the unread age that is too high at once", 1},
		{"burn_1h", 14.4, "× budget", "KafkaGroupLagBudgetBurn: burn rate over 1 h and 5 m; 14.4 uses up 2 % of the budget of 30 days in an hour", 1},
		{"burn_6h", 6, "× budget", "KafkaGroupLagBudgetBurn: burn rate over 6 h and 30 m; 6 uses up 5 % in six hours", 1},
		{"burn_1d", 3, "× budget", "KafkaGroupLagBudgetBurnSlow: burn rate over 1 d and 2 h; 3 uses up 10 % in a day", 1},
		{"never_drains_share", 0.25, "× objective", "KafkaGroupNeverDrains: the unread age below which a lag that grows is too young for a ticket", 0},
		{"drain_factor", 1, "× objective", "KafkaGroupDrainSlow: the drain time that is too long for a group that is late", 0.1},
	}
}

// threshold is the default of that name; the table of rules names no other.
func threshold(name string) (Threshold, bool) {
	for _, t := range Thresholds() {
		if t.Name == name {
			return t, true
		}
	}
	return Threshold{}, false
}
