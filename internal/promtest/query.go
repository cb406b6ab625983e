package promtest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/prometheus/common/model"
)

// Target is what Prometheus says of one of its targets.
type Target struct {
	Labels    model.LabelSet `json:"labels"`
	Health    string         `json:"health"` // up, down, or unknown before the first scrape
	LastError string         `json:"lastError"`
}

// Targets are the active targets, by their job. Two targets of one job are a
// mistake in the test, and an error.
func (s *Server) Targets(ctx context.Context) (map[string]Target, error) {
	var found struct {
		Active []Target `json:"activeTargets"`
	}
	if err := s.Get(ctx, "targets", nil, &found); err != nil {
		return nil, err
	}
	targets := make(map[string]Target)
	for _, target := range found.Active {
		job := string(target.Labels[model.JobLabel])
		if _, twice := targets[job]; twice {
			return nil, fmt.Errorf("several targets of job %s: give each its own", job)
		}
		targets[job] = target
	}
	return targets, nil
}

// Query evaluates a PromQL expression of an instant vector at the present.
func (s *Server) Query(ctx context.Context, expr string) (model.Vector, error) {
	var v model.Vector
	return v, s.query(ctx, expr, "vector", &v)
}

// QueryRange is [Server.Query] for a range vector, such as up[5m]: every
// sample as it was stored, the oldest first.
func (s *Server) QueryRange(ctx context.Context, expr string) (model.Matrix, error) {
	var m model.Matrix
	return m, s.query(ctx, expr, "matrix", &m)
}

func (s *Server) query(ctx context.Context, expr, kind string, into any) error {
	var answer struct {
		Kind   string          `json:"resultType"`
		Result json.RawMessage `json:"result"`
	}
	if err := s.Get(ctx, "query", url.Values{"query": {expr}}, &answer); err != nil {
		return fmt.Errorf("query %s: %w", expr, err)
	}
	if answer.Kind != kind {
		return fmt.Errorf("query %s: it is a %s, not a %s", expr, answer.Kind, kind)
	}
	return json.Unmarshal(answer.Result, into)
}

// Get asks for what is at /api/v1/ and the path, and decodes the data of the
// answer into a pointer. A warning is an error.
func (s *Server) Get(ctx context.Context, path string, params url.Values, into any) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+"/api/v1/"+path+"?"+params.Encode(), nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return fmt.Errorf("asking Prometheus: %w", err)
	}
	defer response.Body.Close()
	var answer struct {
		Data     json.RawMessage `json:"data"`
		Error    string          `json:"error"`
		Warnings []string        `json:"warnings"`
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return fmt.Errorf("asking Prometheus for %s: HTTP status %s: %w", path, response.Status, err)
	}
	if answer.Error != "" || len(answer.Warnings) > 0 {
		return fmt.Errorf("asking Prometheus for %s: %s", path, strings.Join(append(answer.Warnings, answer.Error), "; "))
	}
	return json.Unmarshal(answer.Data, into)
}
