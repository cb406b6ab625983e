package exercise

// Report is what the exercise found.
type Report struct {
	Brokers []string `json:"brokers"`
	Topic   string   `json:"topic"`
	Group   string   `json:"group"`
	// Held says that every check did.
	Held   bool    `json:"held"`
	Steps  []*Step `json:"steps"`
	Checks []Check `json:"checks"`
	// Lost are events that had no effect. Duplicates are deliveries whose effect the
	// store absorbed. Skips are commits that passed an unfinished record.
	Lost       []Event    `json:"lost"`
	Duplicates []Delivery `json:"duplicates"`
	Skips      []Skip     `json:"skips"`
}

// Step is one step: what was done, what consumers got, and what lagwatch saw at its
// end.
type Step struct {
	Number int      `json:"step"`
	Title  string   `json:"title"`
	Says   []string `json:"says"` // paragraphs
	// Deliveries are those of the step, and earlier ones that something became of.
	Deliveries []Delivery `json:"deliveries"`
	Saw        Sight      `json:"lagwatch"`
	// Differs lists where lagwatch did not see what the consumers know.
	Differs []string `json:"differs,omitempty"`
}

// Check is one thing that has to hold.
type Check struct {
	Name   string `json:"name"`
	Held   bool   `json:"held"`
	Detail string `json:"detail"`
}

// add appends a check that holds if err is nil, and says what is wrong otherwise.
func (r *Report) add(name, detail string, err error) {
	c := Check{name, err == nil, detail}
	if err != nil {
		c.Detail = err.Error()
	}
	r.Checks = append(r.Checks, c)
}
