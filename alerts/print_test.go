package alerts_test

import (
	"bytes"
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/alerts"
)

var update = flag.Bool("update", false, "write the shipped files anew")

// Whoever prints the rules without options has what is shipped.
func TestDefaultsPrintWhatIsShipped(t *testing.T) {
	for file, options := range map[string]alerts.Options{
		"lagwatch.rules.yaml":          {},
		"lagwatch.prometheusrule.yaml": {Format: alerts.PrometheusRule},
	} {
		t.Run(file, func(t *testing.T) {
			var got bytes.Buffer
			if err := alerts.Print(&got, options); err != nil {
				t.Fatal(err)
			}
			if *update {
				if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got.String()); diff != "" {
				t.Errorf("%s is not what is printed; run make alerts (-shipped +printed):\n%s", file, diff)
			}
		})
	}
}
