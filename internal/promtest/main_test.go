package promtest_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"testing"

	"github.com/lagwatch/lagwatch/internal/await"
	"github.com/lagwatch/lagwatch/internal/promtest/settled"
)

// startScene starts the settled cluster and its lagwatch for one test. What
// lagwatch warned of fails the test.
func startScene(t *testing.T) *settled.Scene {
	t.Helper()
	log := &await.Buffer{}
	scene, err := settled.Start(t.Context(), slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelWarn})))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := scene.Close(); err != nil {
			t.Errorf("lagwatch ended with %v", err)
		}
		if text := log.String(); text != "" {
			t.Errorf("lagwatch warned:\n%s", text)
		}
	})
	return scene
}

// get asks for a page as a scraper does. The caller closes the body, which is
// as it was sent.
func get(url, accept, encoding string) (*http.Response, error) {
	request, err := http.NewRequest(http.MethodGet, url, http.NoBody)
	if err != nil {
		return nil, err
	}
	if accept != "" {
		request.Header.Set("Accept", accept)
	}
	request.Header.Set("Accept-Encoding", encoding)
	r, err := http.DefaultClient.Do(request)
	if err == nil && r.StatusCode != http.StatusOK {
		r.Body.Close()
		err = fmt.Errorf("GET %s: HTTP status %s", url, r.Status)
	}
	return r, err
}
