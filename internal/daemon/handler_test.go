package daemon

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/lagwatch/lagwatch/configs"
)

// The API's root was a redirect in HTML, and another version of it plain text: all that
// begins with /api is JSON, also that it is not there.
func TestAllOfTheAPIIsJSON(t *testing.T) {
	h, err := (&Daemon{config: &configs.Config{}, log: slog.New(slog.DiscardHandler)}).handler()
	if err != nil {
		t.Fatal(err)
	}
	for target, status := range map[string]int{
		"/api": 404, "/api/": 404, "/api/v1": 200, "/api/v1/": 200, "/api/v1/clusters": 200, "/api/v1/topics": 404, "/api/v2/groups": 404,
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, target, nil))
		if w.Code != status || w.Header().Get("Content-Type") != "application/json" || !json.Valid(w.Body.Bytes()) {
			t.Errorf("%s: status %d, want %d: %v %s", target, w.Code, status, w.Header(), w.Body)
		}
	}
}
