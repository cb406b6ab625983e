package openapi

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
)

// described is the description that a server serves of itself.
type described struct {
	spec   *openapi3.T
	router routers.Router
}

func describe(t *testing.T, base string) *described {
	t.Helper()
	_, body := fetch(t, http.MethodGet, base+"/api/v1/openapi.yaml")
	spec, err := openapi3.NewLoader().LoadFromData(body)
	if err != nil {
		t.Fatal(err)
	}
	if err := spec.Validate(t.Context()); err != nil {
		t.Fatalf("the description is no OpenAPI: %v", err)
	}
	router, err := gorillamux.NewRouter(spec)
	if err != nil {
		t.Fatal(err)
	}
	return &described{spec, router}
}

func fetch(t *testing.T, method, target string) (*http.Response, []byte) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, target, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r, body
}

// template stands for a name in a path: routers don't agree on what an escaped slash is.
const template = "x"

// operation is what the description says of a target, whose path has a name for kind.
func (d *described) operation(method, target string) (*routers.Route, map[string]string, *http.Request, error) {
	u, err := url.Parse(target)
	if err != nil {
		return nil, nil, nil, err
	}
	for _, kind := range []string{"/api/v1/groups/", "/api/v1/topics/"} {
		if strings.HasPrefix(u.Path, kind) {
			u.Path, u.RawPath = kind+template, ""
		}
	}
	request, err := http.NewRequest(method, u.String(), http.NoBody)
	if err != nil {
		return nil, nil, nil, err
	}
	route, parameters, err := d.router.FindRoute(request)
	return route, parameters, request, err
}

// check holds one answer to the description, and returns it decoded.
func (d *described) check(t *testing.T, base, target string, status int, seen coverage) any {
	t.Helper()
	r, body := fetch(t, http.MethodGet, base+target)
	if r.StatusCode != status {
		t.Errorf("%s: status %d, want %d: %s", target, r.StatusCode, status, body)
		return nil
	}
	route, parameters, request, err := d.operation(http.MethodGet, target)
	if err != nil {
		t.Errorf("%s: %v", target, err)
		return nil
	}
	input := &openapi3filter.RequestValidationInput{Request: request, PathParams: parameters, Route: route}
	if err := openapi3filter.ValidateRequest(t.Context(), input); err != nil && status == http.StatusOK {
		t.Errorf("%s is answered and not described: %v", target, err)
	}
	options := &openapi3filter.Options{IncludeResponseStatus: true, MultiError: true}
	options.WithCustomSchemaErrorFunc(func(err *openapi3.SchemaError) string { // without the whole schema
		return strings.Join(err.JSONPointer(), "/") + ": " + err.Reason
	})
	answer := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: input, Status: r.StatusCode, Header: r.Header, Options: options,
	}
	if err := openapi3filter.ValidateResponse(t.Context(), answer.SetBodyBytes(body)); err != nil {
		t.Errorf("%s: %v", target, err)
	}
	var value any
	if err := json.Unmarshal(body, &value); err != nil {
		t.Errorf("%s: %v", target, err)
	}
	seen.add(route.Operation.Responses.Status(status).Value.Content.Get("application/json").Schema, value)
	return value
}

func TestOpenAPI(t *testing.T) {
	fixed, live := serve(t)
	t.Run("answers are as described", func(t *testing.T) { answersAreAsDescribed(t, fixed, live) })
	t.Run("enums are as accepted", func(t *testing.T) { enumsAreAsAccepted(t, fixed) })
	t.Run("methods are refused", func(t *testing.T) { methodsAreRefused(t, fixed) })
	t.Run("objects are closed", func(t *testing.T) { objectsAreClosed(t, fixed) })
}

// Each answer is as described, and each member that is described is in some answer.
func answersAreAsDescribed(t *testing.T, fixed, live string) {
	seen := coverage{}
	for _, base := range []string{fixed, live} {
		d := describe(t, base)
		d.check(t, base, "/api/v1/", http.StatusOK, seen)
		clusters := d.check(t, base, "/api/v1/clusters", http.StatusOK, seen)
		list := d.check(t, base, "/api/v1/groups", http.StatusOK, seen)
		for _, query := range []string{
			"?sort=name", "?sort=age&order=asc", "?sort=drain", "?sort=headroom", "?sort=members", "?sort=condition", "?limit=1&offset=1",
			"?name=o", "?pattern=.*", "?condition=any", "?condition=none", "?condition=no_consumers&condition=rewound", "?type=classic&type=share",
		} {
			d.check(t, base, "/api/v1/groups"+query, http.StatusOK, seen)
		}
		topics := map[string]bool{}
		for _, g := range members(list, "groups") {
			document := d.check(t, base, g["path"].(string), http.StatusOK, seen)
			for _, topic := range members(document, "topics") {
				topics[topic["path"].(string)] = true
			}
		}
		for topic := range topics {
			d.check(t, base, topic, http.StatusOK, seen)
		}
		if len(members(clusters, "clusters")) == 0 || len(topics) == 0 {
			t.Errorf("%s has nothing to tell: %d topics", base, len(topics))
		}
		d.check(t, base, "/api/v1/groups/order-fulfillment", http.StatusNotFound, seen)
		d.check(t, base, "/api/v1/groups?cluster=north", http.StatusNotFound, seen)
		d.check(t, base, "/api/v1/groups?limit=0", http.StatusBadRequest, seen)
	}
	d := describe(t, fixed)
	d.check(t, fixed, "/api/v1/groups/shared", http.StatusConflict, seen)
	d.check(t, fixed, "/api/v1/topics/audit", http.StatusConflict, seen)
	for _, missing := range seen.missing(d.spec) {
		t.Errorf("%s is described, and in no answer", missing)
	}
}

// members are the objects of a list in a document.
func members(document any, list string) (out []map[string]any) {
	object, _ := document.(map[string]any)
	values, _ := object[list].([]any)
	for _, v := range values {
		out = append(out, v.(map[string]any))
	}
	return out
}

// Another method is refused, as described.
func methodsAreRefused(t *testing.T, fixed string) {
	d := describe(t, fixed)
	for path := range d.spec.Paths.Map() {
		r, body := fetch(t, http.MethodPost, fixed+strings.NewReplacer("{group}", "refunds", "{topic}", "orders").Replace(path))
		if r.StatusCode != http.StatusMethodNotAllowed || r.Header.Get("Allow") == "" {
			t.Errorf("%s: status %d, Allow %q", path, r.StatusCode, r.Header.Get("Allow"))
		}
		var value any
		if err := json.Unmarshal(body, &value); err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if err := d.spec.Components.Schemas["Error"].Value.VisitJSON(value); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// What the description relies on: every object says which members it has, and allows no
// other.
func objectsAreClosed(t *testing.T, fixed string) {
	d := describe(t, fixed)
	var open []string
	for name, schema := range d.spec.Components.Schemas {
		walk("#/"+name, schema.Value, func(where string, s *openapi3.Schema) {
			if closed := s.AdditionalProperties.Has; s.Type.Is("object") && (closed == nil || *closed || len(s.Properties) == 0) {
				open = append(open, where)
			}
		})
	}
	if slices.Sort(open); len(open) > 0 {
		t.Errorf("objects that allow anything: %v", open)
	}
}

// walk calls f for a schema and those in it. One that is referred to is walked from its
// own name.
func walk(where string, s *openapi3.Schema, f func(where string, s *openapi3.Schema)) {
	f(where, s)
	for name, p := range s.Properties {
		if p.Ref == "" {
			walk(fmt.Sprintf("%s.%s", where, name), p.Value, f)
		}
	}
	if s.Items != nil && s.Items.Ref == "" {
		walk(where+"[]", s.Items.Value, f)
	}
}
