package configs

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLoadBrokers(t *testing.T) {
	two := []string{"a:9092", "b:9092"}
	for _, tt := range []struct {
		name string
		in   sources
		want []string
	}{
		{name: "flag with commas and blanks", in: sources{flags: []string{"--brokers", " a:9092,\tb:9092 "}}, want: two},
		{name: "flag given twice", in: sources{flags: []string{"--brokers=a:9092", "--brokers=b:9092"}}, want: two},
		{name: "empty entries and duplicates", in: sources{flags: []string{"--brokers=,a:9092,, b:9092,a:09092,"}}, want: two},
		{name: "environment", in: sources{env: []string{"LAGWATCH_BROKERS=a:9092, b:9092"}}, want: two},
		{name: "text in the file", in: sources{yaml: `brokers: "a:9092, b:9092"`}, want: two},
		{name: "folded text in the file", in: sources{yaml: "brokers: >\n  a:9092,\n  b:9092\n"}, want: two},
		{name: "list in the file", in: sources{yaml: "brokers:\n- a:9092\n- b:9092\n-\n- ''"}, want: two},
		{name: "list with a comma in an element", in: sources{yaml: `brokers: ["a:9092, b:9092", a:9092]`}, want: two},
		{name: "text in a cluster", in: sources{yaml: `clusters: [{brokers: "a:9092, b:9092"}]`}, want: two},
		{name: "list in a cluster", in: sources{yaml: `clusters: [{brokers: ["a:9092 ,b:9092"]}]`}, want: two},
		{name: "IPv4, IPv6, zones and underscores", in: sources{flags: []string{"--brokers=10.0.0.1:1,[::1]:2,[fe80::1%eth0]:3,kafka_1.x-y:65535"}}, want: []string{"10.0.0.1:1", "[::1]:2", "[fe80::1%eth0]:3", "kafka_1.x-y:65535"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Load(tt.in.options(t))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got.Clusters[0].Brokers); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestLoadRefusesBrokers(t *testing.T) {
	for _, tt := range []struct{ brokers, want string }{
		{"kafka1", `"kafka1" has no port; write kafka1:9092`},
		{"kafka1:", `"kafka1:" has no port; write kafka1:9092`},
		{"a:1, kafka2", `"kafka2" has no port; write kafka2:9092`},
		{"9092", `"9092" is a port without a host; write kafka1:9092`},
		{":9092", `":9092" has no host; write kafka1:9092`},
		{":", `":" is no address; write kafka1:9092`},
		{"", "names no broker; write kafka1:9092"},
		{" , ", "names no broker; write kafka1:9092"},
		{"http://a:9092", `"http://a:9092" has a scheme; write a:9092`},
		{"SASL_SSL://a/", `"SASL_SSL://a/" has a scheme; write a:9092`},
		{"http://", `"http://" has a scheme; write kafka1:9092`},
		{"me:secret@a:9092", "has a user before an @; write the address only, like kafka1:9092"},
		{"ssl://me:secret@a:9092", "has a user before an @; write the address only, like kafka1:9092"},
		{"a:0", `"a:0" has the port "0"; write a number from 1 to 65535`},
		{"a:65536", `"a:65536" has the port "65536"; write a number from 1 to 65535`},
		{"a:-1", `"a:-1" has the port "-1"; write a number from 1 to 65535`},
		{"a:kafka", `"a:kafka" has the port "kafka"; write a number from 1 to 65535`},
		{"a:1 b:2", `"a:1 b:2" has a blank in it; write kafka1:9092, with commas between addresses`},
		{"a:1;b:2", `"a:1;b:2" is not host:port; write kafka1:9092, or [::1]:9092 for IPv6`},
		{"::1", `"::1" is IPv6 without brackets and port; write [::1]:9092`},
		{"[::1]", `"[::1]" has no port; write [::1]:9092`},
		{"[kafka1]:1", `"kafka1" in brackets is not an IPv6 address; write [::1]:9092`},
		{"[10.0.0.1]:1", `"10.0.0.1" in brackets is not an IPv6 address; write [::1]:9092`},
		{"[fe80::1%a\x00b]:1", `"fe80::1%a\x00b" in brackets is not an IPv6 address; write [::1]:9092`},
		{"a/b:1", `"a/b" is not a host name; write kafka1:9092`},
		{"a..b:1", `"a..b" is not a host name; write kafka1:9092`},
		{"kâfka:1", `"kâfka" is not a host name; write kafka1:9092`},
	} {
		t.Run(tt.brokers, func(t *testing.T) {
			_, err := Load(sources{flags: []string{"--brokers", tt.brokers}}.options(t))
			if want := "flag --brokers: " + tt.want; err == nil || err.Error() != want {
				t.Errorf("got  %v\nwant %s", err, want)
			}
		})
	}
}

func TestLoadRefusesBrokersInTheFile(t *testing.T) {
	checkFailures(t, []failure{
		{
			name: "blank after the colon makes a mapping",
			in:   sources{yaml: "clusters:\n- brokers:\n  - a:9092\n  - b: 9092"},
			want: "lagwatch.yaml:2: clusters[0].brokers: item 1 is a mapping; write one host:port",
		},
		{
			name: "number",
			in:   sources{yaml: "brokers: [9092]"},
			want: `lagwatch.yaml:1: brokers: "9092" is a port without a host; write kafka1:9092`,
		},
		{
			name: "empty list",
			in:   sources{yaml: "clusters: [{brokers: []}]"},
			want: "lagwatch.yaml:1: clusters[0].brokers: names no broker; write kafka1:9092",
		},
	})
}

func TestLoadListen(t *testing.T) {
	for _, tt := range []struct{ listen, want, wantErr string }{
		{listen: ":0", want: ":0"},
		{listen: "localhost:09742", want: "localhost:9742"},
		{listen: "[::]:9742", want: "[::]:9742"},
		{listen: "9742", wantErr: `"9742" is a port without a host; write :9742`},
		{listen: "8080", wantErr: `"8080" is a port without a host; write :8080`},
		{listen: "localhost", wantErr: `"localhost" has no port; write localhost:9742`},
		{listen: "", wantErr: `"" is no address; write :9742`},
		{listen: "*:9742", wantErr: `"*" is not a host name; write :9742`},
		{listen: ":65536", wantErr: `":65536" has the port "65536"; write a number from 0 to 65535`},
		{listen: "http://a:1", wantErr: `"http://a:1" has a scheme; write a:1`},
	} {
		t.Run(tt.listen, func(t *testing.T) {
			got, err := Load(sources{flags: []string{"--brokers=a:1", "--listen", tt.listen}}.options(t))
			if tt.wantErr != "" {
				if want := "flag --listen: " + tt.wantErr; err == nil || err.Error() != want {
					t.Errorf("got  %v\nwant %s", err, want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got.Listen != tt.want {
				t.Errorf("got %q, want %q", got.Listen, tt.want)
			}
		})
	}
}
