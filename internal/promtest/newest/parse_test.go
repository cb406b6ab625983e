package newest

import "testing"

// What the comparison relies on: parse refuses what is wrong by itself.
func TestParse(t *testing.T) {
	for _, test := range []struct {
		name, contentType, body string
		reads                   bool
	}{
		{"text", text, "# HELP a b\n# TYPE a gauge\na 1\n", true},
		{"OpenMetrics", openMetrics, "# HELP a b\n# TYPE a counter\na_total 1\n# EOF\n", true},
		{"OpenMetrics with a gauge by a counter's name", openMetrics, "# TYPE a gauge\na 1\n# TYPE a counter\na_total 1\n# EOF\n", false},
		{"the Go collector's", openMetrics, "# TYPE " + twice + " gauge\n" + twice + " 1\n# TYPE " + twice + " counter\n" + twice + "_total 1\n# EOF\n", true},
		{"OpenMetrics without an end", openMetrics, "a 1\n", false},
		{"OpenMetrics as text", text, "# TYPE a gauge\na 1\n# EOF\n", false},
		{"no protobuf", protobuf, "a 1\n", false},
		{"no type", "", "a 1\n", false},
		{"a series twice", text, "a{b=\"c\"} 1\na{b=\"c\"} 1\n", false},
		{"a family twice", text, "# TYPE a gauge\na 1\n# TYPE a gauge\n", false},
		{"a family in two parts", text, "# TYPE a gauge\na{b=\"c\"} 1\n# HELP a b\na 1\n", false},
		{"a timestamp", text, "a 1 1000\n", false},
		{"an exemplar", openMetrics, "# TYPE a counter\na_total 1 # {} 1\n# EOF\n", false},
		{"a raw byte", text, "a{b=\"\xff\"} 1\n", false},
		{"a name that needs quotes", text, "{\"a b\"} 1\n", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			p, err := parse([]byte(test.body), test.contentType)
			if (err == nil) != test.reads {
				t.Errorf("%+v, %v", p, err)
			}
		})
	}
}
