package promtest_test

import (
	"testing"

	"github.com/lagwatch/lagwatch/internal/promtest"
)

// Every scraper gets the format that the contract says.
func TestAccepts(t *testing.T) {
	scene := startScene(t)
	for _, a := range promtest.Accepts() {
		t.Run(a.Name, func(t *testing.T) {
			r, err := get(scene.URL, a.Header, "identity")
			if err != nil {
				t.Fatal(err)
			}
			p, err := readPage(r)
			if err == nil {
				err = a.Want.Check(p.contentType)
			}
			if err != nil {
				t.Errorf("%v; the header was %s", err, a.Header)
			}
			if n, err := p.count(); n == 0 || err != nil {
				t.Errorf("%d samples, %v", n, err)
			}
		})
	}
}
