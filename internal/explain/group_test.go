package explain

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/internal/api"
	"github.com/lagwatch/lagwatch/internal/api/apitest"
	"github.com/lagwatch/lagwatch/internal/api/document"
	"github.com/lagwatch/lagwatch/rates/diagnosis"
)

var update = flag.Bool("update", false, "write the golden texts instead of comparing with them")

// answered is the document that the API has of a path, with views that stand still.
func answered[T any](t *testing.T, path string, views ...apitest.Fixed) *T {
	t.Helper()
	w := httptest.NewRecorder()
	api.New(views...).ServeHTTP(w, httptest.NewRequest("GET", path, nil))
	var d T
	if err := json.Unmarshal(w.Body.Bytes(), &d); err != nil || w.Code != 200 {
		t.Fatalf("%s: status %d, %v", path, w.Code, err)
	}
	return &d
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	path := filepath.Join("testdata", file)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got; go test -update writes it):\n%s", path, d)
	}
	fits(t, got)
}

// fits holds that no line is wider than a terminal, but for those to paste.
func fits(t *testing.T, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		if n := utf8.RuneCountInString(line) - 1; n > 120 && !strings.HasPrefix(line, "      ") {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

// Groups of all kinds: behind, empty, between two assignments, of several owners, not
// readable, missing, and with a name that would break a terminal.
func TestGroup(t *testing.T) {
	for file, group := range map[string]string{
		"hot.txt": "order-fulfilment", "empty.txt": "shared", "rebalancing.txt": "audit-tail", "share.txt": "refunds",
		"unreadable.txt": "unreadable", "in-part.txt": "unread-in-part", "missing.txt": "nightly-export", "bytes.txt": `bad\xffbyte`,
	} {
		t.Run(file, func(t *testing.T) {
			d := answered[document.GroupPartitions](t, document.GroupPath(group, "main"), apitest.Views()...)
			pin(&d.Group)
			golden(t, file, (Page{}).Group(d))
		})
	}
}

// On a narrow terminal every paragraph broke twice, and rows of the table once. Text fits
// down to 60 columns and tables to 72, but for lines to paste.
func TestColumns(t *testing.T) {
	v := apitest.Main()
	g := apitest.Group(v, "order-fulfilment")
	g.Diagnosis = apitest.Diagnosis(apitest.Hot(), apitest.Idle())
	group := answered[document.GroupPartitions](t, document.GroupPath(g.ID, ""), apitest.Fixed{View: v})
	group.Partitions[0].Topic = strings.Repeat("long", 20)
	groups := answered[document.Groups](t, "/api/v1/groups?sort=condition", apitest.Views()...)
	row := regexp.MustCompile(`^  (PARTITION|\S+/\d|\d+ min ago) `)
	for _, columns := range []int{60, 80, 100} {
		for line := range strings.Lines((Page{Columns: columns}).Group(group) + (Page{Columns: columns}).List(groups)) {
			if n := utf8.RuneCountInString(line) - 1; n > columns && !strings.HasPrefix(line, "      kafka-") && (n > 72 || !row.MatchString(line)) {
				t.Errorf("%d columns of %d: %s", n, columns, line)
			}
		}
	}
	if narrow, none := (Page{Columns: 20}).Group(group), (Page{Columns: 60}).Group(group); narrow != none {
		t.Errorf("fewer than 60 columns:\n%s", narrow)
	}
}

// Of unreadable the one step that needs explain was left out as what the reader sees; then
// that of a secured cluster was, which names a config in place of brokers.
func TestNextSteps(t *testing.T) {
	d := &document.GroupPartitions{}
	d.Conditions = []document.Condition{{Condition: "unreadable", Next: []document.Step{
		{Text: "all of it", Command: "lagwatch explain --cluster east g"},
		{Text: "from elsewhere", Command: "lagwatch explain --brokers a:9092 g"},
		{Text: "from there too", Command: "lagwatch explain --config lagwatch.yaml --cluster east g"},
	}}}
	if text, want := (Page{}).Group(d), "NEXT\n  - from elsewhere\n      lagwatch explain --brokers a:9092 g\n"+
		"  - from there too\n      lagwatch explain --config lagwatch.yaml --cluster east g\n"; !strings.Contains(text, want) || strings.Contains(text, "all of it") {
		t.Errorf("%q is not in:\n%s", want, text)
	}
	if text := (Page{ReadKafka: true}).Group(d); strings.Contains(text, "NEXT") {
		t.Errorf("of one that has read Kafka:\n%s", text)
	}
}

// pin sets how old an answer is, which is a matter of when the test runs.
func pin(d *document.Group) {
	if age := 1.0; d.AgeSeconds != nil {
		d.AgeSeconds = &age
	}
}

// One text for each condition, as headline of one group.
func TestEachCondition(t *testing.T) {
	var all strings.Builder
	for c := range diagnosis.Conditions {
		v := apitest.Main()
		f := apitest.Hot()
		f.Condition, f.Sentence = c, strings.Repeat("a sentence of "+c.String()+" with 1,234 offsets ", 3)
		g := apitest.Group(v, "order-fulfilment")
		g.Diagnosis = apitest.Diagnosis(f)
		d := answered[document.GroupPartitions](t, document.GroupPath(g.ID, ""), apitest.Fixed{View: v})
		pin(&d.Group)
		if !Holds(&d.Group) {
			t.Errorf("%s does not hold", c)
		}
		fmt.Fprintf(&all, "%s----\n", (Page{}).Group(d))
	}
	golden(t, "conditions.txt", all.String())
}

// A calm group has none, and says so; one of which nothing is known does not.
func TestCalmAndUnknown(t *testing.T) {
	v := apitest.Main()
	g := apitest.Group(v, "order-fulfilment")
	g.Diagnosis = apitest.Diagnosis()
	calm := answered[document.GroupPartitions](t, document.GroupPath(g.ID, ""), apitest.Fixed{View: v})
	pin(&calm.Group)
	if text := (Page{}).Group(calm); Holds(&calm.Group) || !strings.HasPrefix(text, "order-fulfilment in main: no condition holds\n") {
		t.Errorf("calm:\n%s", text)
	}
	g.Diagnosis = diagnosis.Diagnosis{}
	unknown := answered[document.GroupPartitions](t, document.GroupPath(g.ID, ""), apitest.Fixed{View: v})
	if text := (Page{}).Group(unknown); strings.Contains(text, "no condition holds") || !strings.Contains(text, "nothing can be said") {
		t.Errorf("nothing evaluated:\n%s", text)
	}
}

// What the age is held against, and who is told. A lagwatch that is older does not tell.
func TestObjective(t *testing.T) {
	for name, tt := range map[string]struct{ answer, want string }{
		"usual":       {`"objective_seconds":300,"objective_target":0.99,"objective_mode":"continuous"`, "objective 5 min (99 % of the time)\n"},
		"batch":       {`"objective_seconds":93600,"objective_target":0.9999,"objective_mode":"batch","team":"shop\u001b"`, "objective 26 h 0 min (99.99 % of the time), batch, team \"shop\\x1b\"\n"},
		"no target":   {`"objective_seconds":60`, "objective 60 s\n"},
		"not told":    {`"lag_offsets":1`, ""},
		"a marker":    {`"objective_seconds":60,"estimates":{"lag_age_seconds":9,"unread_age_seconds":0}`, "objective 60 s; all that is unread may be markers of transactions, which do not count\n"},
		"a record":    {`"objective_seconds":60,"estimates":{"lag_age_seconds":9,"unread_age_seconds":9}`, "objective 60 s\n"},
		"nothing":     {`"objective_seconds":60,"estimates":{"lag_age_seconds":0,"unread_age_seconds":0}`, "objective 60 s\n"},
		"not known":   {`"objective_seconds":60,"estimates":{"lag_age_seconds":9}`, "objective 60 s\n"},
		"age unknown": {`"objective_seconds":60,"estimates":{"unread_age_seconds":0}`, "objective 60 s\n"},
	} {
		t.Run(name, func(t *testing.T) {
			var d document.GroupPartitions
			if err := json.Unmarshal([]byte("{"+tt.answer+"}"), &d); err != nil {
				t.Fatal(err)
			}
			got := ""
			for line := range strings.Lines((Page{}).Group(&d)) {
				if strings.HasPrefix(line, "  objective") {
					got = strings.TrimPrefix(line, "  ")
				}
			}
			if got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// Of open transactions nothing is known but for groups that read committed records: every
// other one was said to lack something.
func TestNotAskedOfOthers(t *testing.T) {
	d := &document.GroupPartitions{}
	d.At, d.Up = &document.Time{}, true
	d.Verdicts = map[string]string{"open_transaction": "unknown", "idle_members": "unknown", "rewound": "clear"}
	for _, reads := range []bool{false, true} {
		d.ReadCommitted = &reads
		if text := (Page{}).Group(d); strings.Contains(text, "open_transaction") != reads || !strings.Contains(text, "cannot be evaluated (yet): ") {
			t.Errorf("read committed %v:\n%s", reads, text)
		}
	}
}

func TestList(t *testing.T) {
	d := answered[document.Groups](t, "/api/v1/groups?sort=condition", apitest.Views()...)
	if !AnyHolds(d) {
		t.Error("no condition holds")
	}
	golden(t, "list.txt", (Page{}).List(d))
	cut := answered[document.Groups](t, "/api/v1/groups?sort=condition&limit=1", apitest.Views()...)
	if got, want := (Page{}).List(cut), "a condition holds of 1 of 11 groups at least"; !strings.Contains(got, want) {
		t.Errorf("%q is not in:\n%s", want, got)
	}
	calm := answered[document.Groups](t, "/api/v1/groups?condition=none", apitest.Fixed{View: apitest.Main()})
	want := fmt.Sprintf("a condition holds of 0 of %d groups\nnote: it is not known yet whether one holds of \"bad\\\\xffbyte\"\n", calm.Total)
	if got := (Page{}).List(calm); AnyHolds(calm) || got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// While no cluster could be read it was said that a condition holds of none of the groups.
func TestListOfUnreadClusters(t *testing.T) {
	at := &document.Time{}
	down := document.ClusterMoment{Cluster: "main", Moment: document.Moment{At: at, PollError: "refused"}}
	d := &document.Groups{Total: 2, Clusters: []document.ClusterMoment{down}}
	want := "note: main could not be read in the last poll: refused\nwhether a condition holds of 2 groups is not known\n"
	if got := (Page{}).List(d); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	d.Clusters = append(d.Clusters, document.ClusterMoment{Cluster: "east", Moment: document.Moment{At: at, Up: true}})
	if got, want := (Page{}).List(d), "a condition holds of 0 of 2 groups\n"; !strings.HasSuffix(got, want) {
		t.Errorf("%q, want it to end with %q", got, want)
	}
}

// Whether owners changed near a rewind was said as "0 boolean".
func TestAmountOfTruth(t *testing.T) {
	for value, want := range map[float64]string{0: "no", 1: "yes"} {
		if got := amount(&document.Evidence{Name: "near_ownership_change", Value: &value, Unit: "boolean"}); got != want {
			t.Errorf("%g is %q, want %q", value, got, want)
		}
	}
}

// While Kafka was down each of thousands of groups had the same paragraph.
func TestListSaysASentenceOnce(t *testing.T) {
	d := &document.Groups{Total: 9, Clusters: []document.ClusterMoment{{Cluster: "main", Moment: document.Moment{At: &document.Time{}, PollError: "refused"}}}}
	for i := range 9 {
		s := document.Summary{Cluster: "main", Group: fmt.Sprint("g", i), Conditions: []string{"unreadable"}, Sentence: "not read"}
		if i == 1 {
			s.Conditions, s.Sentence = []string{"rewound"}, "moved back"
		}
		d.Groups = append(d.Groups, s)
	}
	row := func(i int) string { return fmt.Sprintf("g%d: unreadable; lag ?, age ?, catches up: ?\n", i) }
	want := "note: main could not be read in the last poll: refused\n\n" +
		row(0) + row(2) + row(3) + row(4) + row(5) + "and 3 more groups of which the same is to be said; --json names all\n  not read\n" +
		"g1: rewound; lag ?, age ?, catches up: ?\n  moved back\n\n" +
		"a condition holds of 9 of 9 groups\n"
	if diff := cmp.Diff(want, (Page{}).List(d)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Names as long as Kafka allows, with what moves a cursor, fit and move nothing.
func TestLongNames(t *testing.T) {
	v := apitest.Main()
	g := apitest.Group(v, "order-fulfilment")
	long := strings.Repeat("very-long-name-", 16)
	f := apitest.Hot()
	f.Sentence = long + "\x1b[31m\x07 " + long
	f.Evidence[0].Name, f.Evidence[0].Unit = long, long
	f.Partitions = []diagnosis.TopicPartition{{Topic: long, Partition: 2147483647}}
	g.Diagnosis = apitest.Diagnosis(f)
	d := answered[document.GroupPartitions](t, document.GroupPath(g.ID, ""), apitest.Fixed{View: v})
	for i := range d.Partitions {
		p := &d.Partitions[i]
		p.Topic, p.Partition = long+"\n\x1b[2J", 2147483647
		p.Owners[0].ClientID, p.Owners[0].Host = long+"\x00", long
	}
	text := (Page{}).Group(d)
	for line := range strings.Lines(text) {
		if strings.Contains(line, "/2147483647") && utf8.RuneCountInString(line) > 120 {
			t.Errorf("%d columns: %s", utf8.RuneCountInString(line), line)
		}
	}
	printable(t, text)
}

func printable(t *testing.T, text string) {
	t.Helper()
	for _, r := range text {
		if r != '\n' && !unicode.IsGraphic(r) {
			t.Fatalf("%U is in:\n%s", r, text)
		}
	}
}

// Whatever an answer has in it, it is said, or refused, without a panic and without
// anything that moves a cursor.
func FuzzAnswers(f *testing.F) {
	w := httptest.NewRecorder()
	api.New(apitest.Views()...).ServeHTTP(w, httptest.NewRequest("GET", "/api/v1/groups/order-fulfilment", nil))
	f.Add(w.Body.Bytes())
	w = httptest.NewRecorder()
	api.New(apitest.Views()...).ServeHTTP(w, httptest.NewRequest("GET", "/api/v1/groups", nil))
	f.Add(w.Body.Bytes())
	f.Add([]byte(`{"cluster":"\u001b","verdicts":{"\n":"unknown"},"conditions":[{"evidence":[{"value":-1e308,"unit":"seconds"}]}],"partitions":[{"lag_offsets":-9}],"rounds":[{"at":"0001-01-01T00:00:00Z"}]}`))
	f.Add([]byte(`{"estimates":{"drain_seconds":1e300,"drain_low_seconds":null,"drain_high_seconds":0,"lag_age_seconds":-5}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		var group document.GroupPartitions
		if json.Unmarshal(body, &group) == nil {
			printable(t, (Page{}).Group(&group))
		}
		var groups document.Groups
		if json.Unmarshal(body, &groups) == nil {
			printable(t, (Page{}).List(&groups))
		}
	})
}
