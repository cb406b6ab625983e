package trace_test

import (
	"bytes"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/internal/simulate"
	"github.com/lagwatch/lagwatch/internal/simulate/trace"
)

const (
	header = `{"format":"lagwatch-trace","version":1,"times":"seconds","offsets":"positions","interval":10}` + "\n"
	poll   = `{"t":10,"logs":[{"topic":"a","partition":0,"start":5,"end":20,"t":10.25}],` +
		`"positions":[{"group":"g","topic":"a","partition":0,"committed":12,"t":10.1,"owner":"m",` +
		`"truth":{"arrival":1.5,"drain":1,"age":4,"eta":"+Inf","remaining":8,"gap":5,"polls":2,"commits":1}}]}` + "\n"
)

func TestReadByHand(t *testing.T) {
	got, err := trace.Read(strings.NewReader(header+poll), "x")
	if err != nil {
		t.Fatal(err)
	}
	ms := trace.Moment(time.Millisecond)
	want := trace.Trace{
		Header: trace.Header{Interval: 10000 * ms},
		Polls: []trace.Poll{{
			At:   10000 * ms,
			Logs: []trace.Log{{Topic: "a", Start: 5, End: 20, At: 10250 * ms}},
			Positions: []trace.Position{{
				Group: "g", Topic: "a", Committed: 12, At: 10100 * ms, Owner: "m",
				Truth: &trace.Truth{Arrival: 1.5, Drain: 1, Age: 4, ETA: trace.Infinite(math.Inf(1)), Remaining: 8, Gap: 5, Polls: 2, Commits: 1},
			}},
		}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	for _, s := range simulate.Scenarios()[:12] {
		want := s.Make(1).Trace
		want.Polls = want.Polls[:50]
		var file bytes.Buffer
		if err := trace.Write(&file, want); err != nil {
			t.Fatal(err)
		}
		got, err := trace.Read(&file, s.Name)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-written +read):\n%s", s.Name, diff)
		}
	}
}

func TestReadSaysWhatIsWrong(t *testing.T) {
	swap := func(old, new string) string { return header + strings.Replace(poll, old, new, 1) }
	tests := []struct{ name, text, want string }{
		{"empty", "", "x:1: there is no poll"},
		{"no poll", header, "x:2: there is no poll"},
		{"an empty line", header + "\n" + poll, "x:2: the line is empty"},
		{"another format", `{"format":"other"}`, `x:1: the format is "other"`},
		{"a later version", strings.Replace(header, `:1,`, `:2,`, 1), "x:1: the version is 2"},
		{"milliseconds", strings.Replace(header, "seconds", "ms", 1), `x:1: times are in "ms"`},
		{"records", strings.Replace(header, "positions", "records", 1), `x:1: offsets are "records"`},
		{"no interval", strings.Replace(header, `,"interval":10`, "", 1), "x:1: the interval"},
		{"no JSON", header + "poll\n", `x:2: the line is no JSON: see its byte 1, at "poll"`},
		{"half of a line", header + poll[:50], "x:2: the line ends within its JSON"},
		{"two in a line", header + strings.TrimSpace(poll) + poll, "x:2: there is something after the JSON"},
		{"no commit", swap(`"committed":12,`, ""), `x:2: there is no "committed"`},
		{"no end", swap(`"end":20,`, ""), `x:2: there is no "end"`},
		{"a comma too many", header + `{"t":1,}` + "\n", `x:2: the line is no JSON: see its byte 7, at ",}"`},
		{"no header", poll, `x:1: there is no header; the first line has to be {"format":"lagwatch-trace"`},
		{"a header that is a list", "[]\n", "x:1: there is no header"},
		{"an unknown field of the header", strings.Replace(header, `"interval"`, `"every"`, 1), `x:1: the header: unknown field "every"`},
		// A poll without lists was taken for one that read nothing.
		{"no logs", header + `{"t":10,"positions":[]}` + "\n", `x:2: there is no "logs"`},
		{"no positions", header + `{"t":10,"logs":[]}` + "\n", `x:2: there is no "positions"`},
		{"null for a list", header + `{"t":10,"logs":null,"positions":[]}` + "\n", `x:2: there is no "logs"`},
		// Of two keys the last counted.
		{"a key twice", swap(`"end":20`, `"end":20,"end":30`), `x:2: "end" is there twice in one object`},
		{"a key twice, once in capitals", swap(`"end":20`, `"end":20,"End":30`), `x:2: unknown field "End"`},
		{"half of a truth", swap(`"drain":1,`, ""), `x:2: there is no "drain"`},
		{"an offset with an exponent", swap(`"end":20`, `"end":1e3`), `x:2: "logs.end" is 1e3; it has to be a whole number`},
		{"a partition that is too large", swap(`"partition":0`, `"partition":4000000000`), `x:2: "logs.partition" is 4000000000; it has to be a whole number of at most 32 bits`},
		{"a name that is a number", swap(`"group":"g"`, `"group":7`), `x:2: "positions.group" is a number; it has to be a string`},
		{"a list of no objects", header + `{"t":1,"logs":["a"],"positions":[]}` + "\n", `x:2: "logs" is a string; it has to be an object`},
		{"a line that is a list", header + "[]\n", "x:2: the line is a list; it has to be an object"},
		{"a time that is text", swap(`"t":10.1`, `"t":"soon"`), `x:2: "soon" is no time in seconds`},
		{"no UTF-8", swap(`"owner":"m"`, "\"owner\":\"\xff\""), "x:2: the line is no UTF-8"},
		{"a commit age below 0", swap(`"gap":5`, `"gap":5,"commit_age":-1`), "the commit age of its truth is below 0"},
		{"an unknown field", swap(`"owner"`, `"member"`), `x:2: unknown field "member"`},
		{"the same poll again", header + poll + poll, "x:3: the poll is of 10 s"},
		{"a log twice", swap(`"logs":[`, `"logs":[{"topic":"a","partition":0,"start":5,"end":20,"t":10.25},`), `x:2: the log of topic "a", partition 0 is there twice`},
		{"a log that ends before it starts", swap(`"end":20`, `"end":4`), `x:2: the log of topic "a", partition 0: it goes from 5 to 4`},
		{"a log of before the poll", swap(`"t":10.25`, `"t":9`), "it was read at 9 s, before the poll"},
		{"a commit after the end", swap(`"t":10.1`, `"t":11`), `x:2: the position of group "g", topic "a", partition 0: it was read at 11 s`},
		{"a commit without a log", swap(`"group":"g","topic":"a"`, `"group":"g","topic":"b"`), `x:2: the position of group "g", topic "b", partition 0 has no log`},
		{"never committed", swap(`"committed":12`, `"committed":-1`), "-1 is committed; leave out"},
		{"a negative time", swap(`"t":10,`, `"t":-1,`), "x:2: the time -1 is not from 0"},
		{"NaN", swap(`"eta":"+Inf"`, `"eta":"NaN"`), "x:2: a time that may be infinite"},
		{"a deep line", header + strings.Repeat("[", 20000) + "\n", "x:2: there are objects in objects"},
		{"a negative rate", swap(`"arrival":1.5`, `"arrival":-1.5`), "a number of its truth is below 0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := trace.Read(strings.NewReader(tt.text), "x")
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %v, want one line with %q", err, tt.want)
			}
		})
	}
}

// The examples of the document are read as they stand there.
func TestTheExamplesOfTheDocument(t *testing.T) {
	text, err := os.ReadFile("../../../docs/traces.md")
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, block := range strings.Split(string(text), "```json\n")[1:] {
		example, _, _ := strings.Cut(block, "```")
		lines = append(lines, strings.ReplaceAll(example, "\n", " ")+"\n")
	}
	got, err := trace.Read(strings.NewReader(strings.Join(lines, "")), "traces.md")
	if err != nil || len(got.Polls) != 1 || got.Polls[0].Positions[0].Owner != "billing-1" {
		t.Errorf("%+v, %v", got, err)
	}
}

// What is accepted is the same after it was written and read again.
func FuzzRead(f *testing.F) {
	f.Add([]byte(header + poll))
	f.Add([]byte(header + poll + strings.ReplaceAll(poll, "10", "20")))
	f.Fuzz(func(t *testing.T, file []byte) {
		first, err := trace.Read(bytes.NewReader(file), "x")
		if err != nil {
			if strings.Contains(err.Error(), "\n") || !strings.HasPrefix(err.Error(), "x:") {
				t.Fatalf("error %q", err)
			}
			return
		}
		var again bytes.Buffer
		if err := trace.Write(&again, first); err != nil {
			t.Fatal(err)
		}
		second, err := trace.Read(&again, "x")
		if err != nil {
			t.Fatalf("what was written: %v", err)
		}
		if diff := cmp.Diff(first, second); diff != "" {
			t.Fatalf("(-first +second):\n%s", diff)
		}
	})
}
